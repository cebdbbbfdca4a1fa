import { AdvisingError } from '../../machinery/advising-error.ts'

/** It cannot be explained. */
export class ExplainError extends AdvisingError {}
