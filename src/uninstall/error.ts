import { AdvisingError } from '../machinery/advising-error.ts'

/** The uninstallation cannot go on. What was done stays done, and it can be repeated. */
export class UninstallError extends AdvisingError {}
