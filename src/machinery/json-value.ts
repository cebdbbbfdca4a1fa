import { INT64_MAX, INT64_MIN } from './go/int64.ts'

/**
 * A JSON number whose text does not survive a JavaScript number (`1.0`, `12345678901234567890`), as `JSON.rawJSON`
 * makes it: frozen, without prototype, and printed by `JSON.stringify` exactly as it was written.
 */
export interface RawNumber {
  readonly rawJSON: string
}

interface ExactJson {
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

/** ECMAScript's "JSON.parse source text access", which TypeScript's library does not declare yet. */
const exact = JSON as unknown as ExactJson

export const isRawNumber = (value: unknown): value is RawNumber => exact.isRawJSON(value)

/** Takes the text of a JSON number. Throws `SyntaxError` for anything that is not a JSON scalar. */
export const rawNumber = (text: string): RawNumber => exact.rawJSON(text)

export const isNumber = (value: unknown): value is number | RawNumber => typeof value === 'number' || isRawNumber(value)

/** The text of a number as it was written, or `undefined` for a value that is not a number. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return isRawNumber(value) ? value.rawJSON : undefined
}

/** Is it an object with members: neither null, a list nor a `RawNumber`? */
export function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/** Sets an own property whatever its name is: a plain assignment of `__proto__` would set the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  } else target[key] = value
}

/** Are two JSON numbers the same? */
export type NumberEquality = (a: number | RawNumber, b: number | RawNumber) => boolean

const isSpelledAlike: NumberEquality = (a, b) => numberText(a) === numberText(b)

/**
 * Are two JSON values equal, whatever the order of their members? One that is `undefined` counts as absent. Numbers are
 * equal when they are spelled alike, `1` is not `1.0`, unless the caller has another rule for them.
 */
export function jsonEqual(a: unknown, b: unknown, sameNumber: NumberEquality = isSpelledAlike): boolean {
  if (a === b) return true
  if (isNumber(a) || isNumber(b)) return isNumber(a) && isNumber(b) && sameNumber(a, b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    for (let at = 0; at < a.length; at++) if (!jsonEqual(a[at], b[at], sameNumber)) return false
    return true
  }
  const left = a as Readonly<Record<string, unknown>>
  const right = b as Readonly<Record<string, unknown>>
  // A client may name a member like one that every object inherits.
  for (const key in left)
    if (left[key] !== undefined && !(Object.hasOwn(right, key) && jsonEqual(left[key], right[key], sameNumber)))
      return false
  for (const key in right)
    if (right[key] !== undefined && !(Object.hasOwn(left, key) && left[key] !== undefined)) return false
  return true
}

const spelling = (number: number | RawNumber): string => numberText(number) ?? ''

/** JSON with sorted members: the same text for values that `jsonEqual` calls equal, and for no others, unless numbers are spelled otherwise. */
export function canonicalJson(value: unknown, spelled: (number: number | RawNumber) => string = spelling): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, spelled)).join(',')}]`
  if (isNumber(value)) return spelled(value)
  if (!isTree(value)) return JSON.stringify(value) ?? 'null'
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key], spelled)}`)
  return `{${members.join(',')}}`
}

/** A whole number of up to 64 bits, as JSON holds it. */
export type Int64 = number | RawNumber

/** The whole number that a value is, with every digit; `undefined` for anything else. */
export function wholeNumber(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  const text = numberText(value)
  return text !== undefined && /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined
}

/** The JSON value for a whole number, cut to 64 bits as Go's arithmetic cuts it. */
export function int64(value: bigint): Int64 {
  const cut = BigInt.asIntN(64, value)
  return Number.isSafeInteger(Number(cut)) ? Number(cut) : rawNumber(String(cut))
}

/** The greatest of these numbers and 0. */
export const greatest = (numbers: readonly bigint[]): bigint =>
  numbers.reduce((most, number) => (number > most ? number : most), 0n)

/** The next whole number after a JSON value; what is not one counts as 0. */
export const successor = (value: unknown): Int64 => int64((wholeNumber(value) ?? 0n) + 1n)

/** Does the text stand for a whole number, written without fraction and exponent, that fits into an int64? */
export function isInt64Text(text: string): boolean {
  if (!/^-?\d{1,19}$/.test(text)) return false
  const value = BigInt(text)
  return value >= INT64_MIN && value <= INT64_MAX
}

/** A number that no float64 holds: `1e400`. The message is worded as Go's JSON decoder words it. */
export class BeyondFloatError extends Error {
  constructor(text: string) {
    super(`json: cannot unmarshal number ${text} into Go value of type float64`)
    this.name = 'BeyondFloatError'
  }
}

/** Throws `BeyondFloatError` for a value with a number that Go's JSON decoder cannot read where it knows no type. */
export function refuseBeyondFloat(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (isRawNumber(value)) floatOf(value)
  else if (Array.isArray(value)) for (const item of value as readonly unknown[]) refuseBeyondFloat(item)
  else {
    const members = value as Readonly<Record<string, unknown>>
    // A list of the members would cost more than to look at them.
    for (const name of Object.keys(members)) {
      const member = members[name]
      if (typeof member === 'object') refuseBeyondFloat(member)
    }
  }
}

function floatOf({ rawJSON }: RawNumber): number {
  const number = Number(rawJSON)
  if (!Number.isFinite(number)) throw new BeyondFloatError(rawJSON)
  return number
}

/**
 * The value as an API server keeps custom resources, where a number is an int64 or else a float64: `1.0` becomes `1`,
 * an int64 beyond 2^53 stays exact. Shares what does not change. Throws `BeyondFloatError`.
 */
export function withUntypedNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isRawNumber(value)) return isInt64Text(value.rawJSON) ? value : floatOf(value)
  if (Array.isArray(value)) {
    const items = value.map(withUntypedNumbers)
    return items.every((item, at) => item === value[at]) ? value : items
  }
  let changed = false
  const result: Record<string, unknown> = {}
  for (const [key, old] of Object.entries(value)) {
    const item = withUntypedNumbers(old)
    changed ||= item !== old
    setOwn(result, key, item)
  }
  return changed ? result : value
}
