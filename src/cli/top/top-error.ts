import { AdvisingError } from '../../machinery/advising-error.ts'

/** Nothing of a table can be read. */
export class TopError extends AdvisingError {}
