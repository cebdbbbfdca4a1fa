import { AdvisingError } from './advising-error.ts'

/** Of an error with a code: what it means, for the reference, and what people can do about it. */
export interface ErrorHelp {
  readonly meaning: string
  readonly advice: string
}

/** An expected error with a code out of a table that says what to do about each. */
export abstract class CodedError<Code extends string> extends AdvisingError {
  readonly code: Code
  /** `advice`: instead of the one in the table. */
  constructor(
    table: Readonly<Record<Code, ErrorHelp>>,
    code: Code,
    message: string,
    { advice = table[code].advice, ...options }: ErrorOptions & { readonly advice?: string | undefined } = {},
  ) {
    super(message, advice, options)
    this.code = code
  }
}
