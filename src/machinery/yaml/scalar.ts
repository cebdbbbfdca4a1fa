import { canonicalBase64 } from '../base64.ts'
import { goFloat } from '../go/float.ts'
import { INT64_MAX, INT64_MIN, UINT64_MAX } from '../go/int64.ts'

/** A scalar that its tag does not admit. The message is worded as Go's library words it. */
export class YamlScalarError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'YamlScalarError'
  }
}

/** The value of a scalar: a `bigint` is a whole number of up to 64 bits, a `number` is a float64. */
export type YamlScalar = string | boolean | null | bigint | number

/** A scalar as the text has it: `isPlain` without quotes, and its tag in full, such as `tag:yaml.org,2002:int`. */
export interface ScalarText {
  readonly value: string
  readonly isPlain: boolean
  readonly tag: string | undefined
}

const STANDARD = 'tag:yaml.org,2002:'

/**
 * The value that a scalar stands for. Kubernetes reads YAML 1.1 with its booleans and octal numbers, but without numbers of base 60; dates
 * stay texts, and so does what a number of 64 bits cannot hold. Throws `YamlScalarError`.
 */
export function resolveScalar({ value, isPlain, tag }: ScalarText): YamlScalar {
  if (tag === undefined) return isPlain ? plainScalar(value) : value
  switch (tag) {
    case `${STANDARD}binary`:
      return binaryText(value)
    case `${STANDARD}bool`:
      return tagged(value, 'bool', 'bool')
    case `${STANDARD}int`:
      return tagged(value, 'int', 'int')
    case `${STANDARD}null`:
      return tagged(value, 'null', 'null')
    case `${STANDARD}float`: {
      const found = tagged(value, 'float', 'float', 'int')
      return typeof found === 'bigint' ? Number(found) : found
    }
    case `${STANDARD}timestamp`:
      if (isTimestamp(value)) return value
      throw notOf(value, 'timestamp')
    default:
      return value
  }
}

type Sort = 'str' | 'bool' | 'int' | 'float' | 'null'

/** The value of a text whose tag says what it is. */
function tagged(value: string, tag: string, ...sorts: readonly Sort[]): YamlScalar {
  const found = plainScalar(value)
  if (!sorts.includes(sortOf(found)) || (tag === 'float' && isUnsigned(found))) throw notOf(value, tag)
  return found
}

/** Go turns only a signed whole number into a float64. */
const isUnsigned = (found: YamlScalar): boolean => typeof found === 'bigint' && found > INT64_MAX

function notOf(value: string, tag: string): YamlScalarError {
  return new YamlScalarError(`cannot decode !!${sortOf(plainScalar(value))} \`${value}\` as a !!${tag}`)
}

function sortOf(value: YamlScalar): Sort {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return 'float'
  return typeof value === 'boolean' ? 'bool' : 'str'
}

const WORDS: ReadonlyMap<string, boolean | null | number> = new Map<string, boolean | null | number>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
])

const MAY_BE_NUMBER = /^[-+.\d]/
/** No more digits than 64 bits may take, so that a long text is not made a number. */
const INTEGER = /^([-+]?)(?:0[xX]0*([\da-fA-F]{1,16})|0[bB]0*([01]{1,64})|0[oO]?0*([0-7]{1,22})|(0|[1-9]\d{0,19}))$/
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/

function plainScalar(value: string): YamlScalar {
  const word = WORDS.get(value)
  if (word !== undefined) return word
  if (!MAY_BE_NUMBER.test(value)) return value
  // In a number that begins with its point the marks must stand between digits.
  const digits = value.startsWith('.') ? value.replaceAll(/(?<=\d)_(?=\d)/g, '') : value.replaceAll('_', '')
  const whole = wholeOf(digits)
  if (whole !== undefined) return whole
  if (!FLOAT.test(digits)) return value
  const float = Number(digits)
  return Number.isFinite(float) ? float : value
}

/** The whole number of a text; `undefined` where 64 bits cannot hold it. A sign admits signed numbers only. */
function wholeOf(text: string): bigint | undefined {
  const match = INTEGER.exec(text)
  if (match === null) return undefined
  const [, sign = '', hexadecimal, binary, octal, decimal] = match
  const size = magnitude(hexadecimal, binary, octal, decimal)
  const number = sign === '-' ? -size : size
  return number >= INT64_MIN && number <= (sign === '' ? UINT64_MAX : INT64_MAX) ? number : undefined
}

function magnitude(
  hexadecimal: string | undefined,
  binary: string | undefined,
  octal: string | undefined,
  decimal: string | undefined,
): bigint {
  if (hexadecimal !== undefined) return BigInt(`0x${hexadecimal}`)
  if (binary !== undefined) return BigInt(`0b${binary}`)
  return octal === undefined ? BigInt(decimal ?? '') : BigInt(`0o${octal}`)
}

/** Enough of the form of a time to tell it from other texts; its value stays the text. */
const TIMESTAMP =
  /^\d{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/

const isTimestamp = (value: string): boolean => TIMESTAMP.test(value)

/** The text whose bytes are given in base64. Bytes that are not UTF-8 become the sign for what cannot be shown, one by one. */
function binaryText(value: string): string {
  return withoutLooseBytes(atob(decodable(value)))
}

function decodable(value: string): string {
  try {
    return canonicalBase64(value)
  } catch (error) {
    if (error instanceof RangeError) throw new YamlScalarError('!!binary value contains invalid base64 data')
    throw error
  }
}

/** A character of UTF-8 as bytes, or else one byte. */
const CHARACTERS =
  // oxlint-disable-next-line no-control-regex -- bytes, not characters
  /[\u0000-\u007f]+|[\u00c2-\u00df][\u0080-\u00bf]|\u00e0[\u00a0-\u00bf][\u0080-\u00bf]|[\u00e1-\u00ec\u00ee\u00ef][\u0080-\u00bf]{2}|\u00ed[\u0080-\u009f][\u0080-\u00bf]|\u00f0[\u0090-\u00bf][\u0080-\u00bf]{2}|[\u00f1-\u00f3][\u0080-\u00bf]{3}|\u00f4[\u0080-\u008f][\u0080-\u00bf]{2}|[\s\S]/g

function withoutLooseBytes(bytes: string): string {
  return bytes.replaceAll(CHARACTERS, (part) => {
    if (part.charCodeAt(0) < 0x80) return part
    if (part.length === 1) return '\ufffd'
    const [first = 0, ...rest] = Array.from(part, (byte) => byte.charCodeAt(0))
    const start = first & (0x7f >> part.length)
    return String.fromCodePoint(rest.reduce((point, byte) => (point << 6) | (byte & 0x3f), start))
  })
}

/** A float64 as a key: with the digits of a float32, as Go's library prints it. */
export function floatKey(value: number): string {
  const text = goFloat(Math.fround(value), 32)
  return KEYS.get(text) ?? text
}

const KEYS: ReadonlyMap<string, string> = new Map([
  ['NaN', '.nan'],
  ['+Inf', '.inf'],
  ['-Inf', '-.inf'],
])
