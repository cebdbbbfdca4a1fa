import type { CelType } from './cel-type.ts'
import { INT64_MAX, INT64_MIN, UINT64_MAX } from '../../machinery/go/int64.ts'

/** An error as a value, because `||`, `&&` and the macros go on past it. */
export class Failure {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

export const noSuchOverload: Failure = new Failure('no such overload')

/** An unsigned integer of 64 bits. */
export class CelUint {
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }
}

/** A point in time, in nanoseconds since 1970, with the zone that it was written in. */
export class CelTimestamp {
  readonly nanos: bigint
  /** East of UTC. Only printing heeds it. */
  readonly offsetSeconds: number
  constructor(nanos: bigint, offsetSeconds = 0) {
    this.nanos = nanos
    this.offsetSeconds = offsetSeconds
  }
}

/** A span of time in nanoseconds. */
export class CelDuration {
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A type as a value: `int`, `type(x)`. */
export class TypeValue {
  readonly name: string
  readonly type: CelType
  constructor(name: string, type: CelType) {
    this.name = name
    this.type = type
  }
}

const intOverflow = new Failure('integer overflow')
const uintOverflow = new Failure('unsigned integer overflow')

/** The number as an `int`, or the failure that every overflow gives. */
export const checkedInt = (value: bigint): bigint | Failure =>
  value < INT64_MIN || value > INT64_MAX ? intOverflow : value

/** The number as a `uint`, or the failure that every overflow gives. */
export const checkedUint = (value: bigint): CelUint | Failure =>
  value < 0n || value > UINT64_MAX ? uintOverflow : new CelUint(value)

/** The nanoseconds of `0001-01-01T00:00:00Z` and `9999-12-31T23:59:59.999999999Z`. */
const TIME_MIN = -62135596800n * 1_000_000_000n
const TIME_MAX = 253402300800n * 1_000_000_000n - 1n

/** A time within the years 1 to 9999, or the failure that any other gives. */
export const checkedTimestamp = (nanos: bigint, offsetSeconds = 0): CelTimestamp | Failure =>
  nanos < TIME_MIN || nanos > TIME_MAX ? new Failure('timestamp overflow') : new CelTimestamp(nanos, offsetSeconds)

/** A span within 292 years, or the failure that any other gives. */
export const checkedDuration = (nanos: bigint): CelDuration | Failure =>
  nanos < INT64_MIN || nanos > INT64_MAX ? intOverflow : new CelDuration(nanos)

const SURROGATE = /[\ud800-\udbff]/

/** How many code points a text has. */
export function codePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0xd800 && code <= 0xdbff && isLow(text.charCodeAt(at + 1))) count--
  }
  return count
}

const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

/** The text as a list of code points where its units differ from them, else the text itself, which indexes alike. */
export const runes = (text: string): string | readonly string[] => (SURROGATE.test(text) ? Array.from(text) : text)

/** All bytes behind one another. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
