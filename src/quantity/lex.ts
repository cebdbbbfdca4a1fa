import { QuantityError } from './error.ts'

/** The parts of a quantity's text; `whole` has no leading zeros and is `0` where no digit is given. */
export interface QuantityParts {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
  readonly suffix: string
  /** Whether the number had any digit at all: `.` and `Ki` have none. */
  readonly hasDigits: boolean
}

const ZERO = 48
const SUFFIX_LETTERS = 'eEinumkKMGTP'

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 57
}

function skipDigits(text: string, from: number): number {
  let at = from
  while (at < text.length && isDigit(text.charCodeAt(at))) at++
  return at
}

/**
 * Splits a text as upstream's scanner does: sign, digits, an optional point with digits, and a suffix of suffix letters, an
 * optional sign and digits. Only what remains after that is an error (`FormatWrong`); the suffix is not judged here.
 */
export function lexQuantity(text: string): QuantityParts {
  const end = text.length
  const signed = text.startsWith('-') || text.startsWith('+')
  const start = signed ? 1 : 0
  let wholeFrom = start
  while (wholeFrom < end && text.charCodeAt(wholeFrom) === ZERO) wholeFrom++
  const wholeTo = skipDigits(text, wholeFrom)
  const hasPoint = text[wholeTo] === '.'
  const numberTo = hasPoint ? skipDigits(text, wholeTo + 1) : wholeTo
  const fraction = hasPoint ? text.slice(wholeTo + 1, numberTo) : ''

  let at = numberTo
  while (at < end && SUFFIX_LETTERS.includes(text.charAt(at))) at++
  if (at < end && (text[at] === '-' || text[at] === '+')) at++
  at = skipDigits(text, at)
  if (at < end || end === 0) throw new QuantityError('FormatWrong', text)

  return {
    negative: text.startsWith('-'),
    whole: wholeTo > wholeFrom ? text.slice(wholeFrom, wholeTo) : '0',
    fraction,
    suffix: text.slice(numberTo),
    hasDigits: wholeTo > start || fraction !== '',
  }
}
