import { INT64_MAX } from './int64.ts'

const SECOND = 1_000_000_000n

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', 60n * SECOND],
  ['h', 3600n * SECOND],
])

/** More digits than these, zeros in front aside, are more than 64 bits hold. */
const MOST_DIGITS = 19

/** The nanoseconds of a duration as Go's `time.ParseDuration` reads it (`1h30m`, `-1.5s`, `0`), or its sentence that says what is wrong. */
export function parseGoDuration(text: string): bigint | string {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  // Most durations are valid, and to quote one costs more than to read it.
  const invalid = (): string => `time: invalid duration ${quoted(text)}`
  if (rest === '0') return 0n
  if (rest === '') return invalid()
  const part = /(\d*)(?:\.(\d*))?([^.\d]*)/y
  let nanos = 0n
  while (part.lastIndex < rest.length) {
    const [, whole = '', fraction = '', unit = ''] = part.exec(rest) ?? []
    if (whole === '' && fraction === '') return invalid()
    const digits = whole.replace(/^0+/, '')
    if (digits.length > MOST_DIGITS) return invalid()
    if (unit === '') return `time: missing unit in duration ${quoted(text)}`
    const factor = UNITS.get(unit)
    if (factor === undefined) return `time: unknown unit ${quoted(unit)} in duration ${quoted(text)}`
    nanos += BigInt(digits === '' ? 0 : digits) * factor
    const tail = fraction.slice(0, MOST_DIGITS - 1)
    if (tail !== '') nanos += (BigInt(tail) * factor) / 10n ** BigInt(tail.length)
    // Only the negative side has a number more.
    if (nanos > INT64_MAX + (sign === '-' ? 1n : 0n)) return invalid()
  }
  return sign === '-' ? -nanos : nanos
}

/** As that package quotes: bytes beyond ASCII and controls in hexadecimal digits. */
function quoted(text: string): string {
  const shown = Array.from(new TextEncoder().encode(text), (byte) => {
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, '0')}`
    const character = String.fromCharCode(byte)
    return character === '"' || character === '\\' ? `\\${character}` : character
  })
  return `"${shown.join('')}"`
}
