import { AdvisingError } from '../../machinery/advising-error.ts'

/** The flags of `allot doctor` contradict each other, or a change could not be made. */
export class DoctorError extends AdvisingError {}
