import { AdvisingError } from '../machinery/advising-error.ts'

/** The migration cannot go on. It can be repeated. */
export class MigrateError extends AdvisingError {}
