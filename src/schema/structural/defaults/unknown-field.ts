import { type FieldError, forbidden } from '../../../machinery/field-error.ts'

/** What `prune` says of a field that its schema does not know, as the error of that field. */
export const unknownField = (said: string): FieldError =>
  forbidden(/^unknown field "(.*)"$/.exec(said)?.[1] ?? said, 'unknown field')
