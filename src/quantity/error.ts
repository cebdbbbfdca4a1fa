/** Why a text is not a quantity; the first three are upstream's, the others are ours. */
export type QuantityErrorCode = 'FormatWrong' | 'Suffix' | 'Numeric' | 'TooLong' | 'Empty'

/** The longest text and the most whole digits that `Quantity.parse` takes; upstream has no such guard. */
export const MAX_QUANTITY_DIGITS = 1000

// The words are those of upstream's `resource.ParseQuantity`; `Empty` is Capsule's.
const MESSAGES: { readonly [code in QuantityErrorCode]: string } = {
  FormatWrong: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  Suffix: "unable to parse quantity's suffix",
  Numeric: 'unable to parse numeric part of quantity',
  TooLong: `quantities must not have more than ${MAX_QUANTITY_DIGITS} digits`,
  Empty: 'no quantity values found',
}

/** A text that is not a quantity. `message` has the exact words that Kubernetes clients see, `text` is what was given. */
export class QuantityError extends Error {
  readonly code: QuantityErrorCode
  readonly text: string

  constructor(code: QuantityErrorCode, text: string) {
    super(MESSAGES[code])
    this.name = 'QuantityError'
    this.code = code
    this.text = text
  }
}

/** Returns what `read` makes of quantities; `otherwise` where one of them cannot be read. */
export function ifReadable<T, U>(read: () => T, otherwise: U): T | U {
  try {
    return read()
  } catch (error) {
    if (error instanceof QuantityError) return otherwise
    throw error
  }
}
