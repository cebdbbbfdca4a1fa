import { parseGoDuration } from '../../machinery/go/duration.ts'
import { CelDuration, CelTimestamp, Failure, checkedDuration, checkedTimestamp } from '../types/scalar.ts'
import type { Result } from '../types/value.ts'
import { plainDecimal } from './number-text.ts'

export const SECOND = 1_000_000_000n

/** Reads what Go's `time.ParseDuration` reads (`1h30m`, `-1.5s`, `0`), or gives `undefined`. */
export function parseDuration(text: string): CelDuration | undefined {
  if (text.length > 1000) return undefined
  const nanos = parseGoDuration(text)
  return typeof nanos === 'string' ? undefined : new CelDuration(nanos)
}

const WORDS: readonly (readonly [word: RegExp, factor: bigint])[] = [
  [/^(?:ns|nano)/, 1n],
  [/^(?:us|µs|micro)/, 1000n],
  [/^(?:ms|milli)/, 1_000_000n],
  [/^(?:s$|sec)/, SECOND],
  [/^(?:m$|min)/, 60n * SECOND],
  [/^(?:h$|hr|hour)/, 3600n * SECOND],
  [/^(?:d$|day)/, 86_400n * SECOND],
  [/^(?:w$|wk|week)/, 7n * 86_400n * SECOND],
]

/** Reads a string property of format `duration`, which may also say `3 days`. */
export function parseDurationField(text: string): Result {
  const exact = parseDuration(text)
  if (exact !== undefined) return exact
  let nanos = 0n
  let any = false
  for (const [, amount = '', word = ''] of text.matchAll(/(\d{1,18})\s*([A-Za-zµ]+)/g)) {
    const factor = WORDS.find(([pattern]) => pattern.test(word.toLowerCase()))?.[1]
    if (factor === undefined) continue
    any = true
    nanos += BigInt(amount) * factor
  }
  return any ? checkedDuration(nanos) : new Failure(`Invalid duration ${text}: unable to parse ${text} as duration`)
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/

/** Reads RFC 3339, or gives `undefined`. The zone is kept, because printing gives it back. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const match = text.length > 100 ? null : RFC3339.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const zone = match[8] ?? 'Z'
  const offset = zone === 'Z' ? 0 : (zone.startsWith('-') ? -1 : 1) * clock(zone.slice(1))
  const days = dayNumber(year, month, day)
  if (days === undefined || hour > 23 || minute > 59 || second > 59 || !zoneIsValid(zone)) return undefined
  const seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
  const fraction = BigInt((match[7] ?? '').slice(0, 9).padEnd(9, '0'))
  const time = checkedTimestamp(BigInt(seconds) * SECOND + fraction, offset)
  return time instanceof CelTimestamp ? time : undefined
}

/** Reads `2006-01-02` as its first moment in UTC, or gives `undefined`. */
export const parseDate = (text: string): CelTimestamp | undefined =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined

const clock = (text: string): number => Number(text.slice(0, 2)) * 3600 + Number(text.slice(3, 5)) * 60

const zoneIsValid = (zone: string): boolean =>
  zone === 'Z' || (Number(zone.slice(1, 3)) <= 24 && Number(zone.slice(4)) <= 60)

function dayNumber(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && day > 0
    ? Math.floor(date.getTime() / 86_400_000)
    : undefined
}

/** Whole milliseconds since 1970, rounded down. */
export const millisOf = ({ nanos }: CelTimestamp): number =>
  Number((nanos - (((nanos % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n)

/** RFC 3339 with as many digits behind the second as needed, in the zone that the time was read in. */
export function formatTimestamp(time: CelTimestamp): string {
  const { nanos, offsetSeconds } = time
  const millis = millisOf(time) + offsetSeconds * 1000
  const whole = new Date(Math.floor(millis / 1000) * 1000).toISOString().slice(0, -'.000Z'.length)
  const rest = ((nanos % SECOND) + SECOND) % SECOND
  const fraction = rest === 0n ? '' : `.${rest.toString().padStart(9, '0').replace(/0+$/, '')}`
  return `${whole}${fraction}${formatZone(offsetSeconds)}`
}

function formatZone(seconds: number): string {
  if (seconds === 0) return 'Z'
  const minutes = Math.floor(Math.abs(seconds) / 60)
  const two = (value: number): string => value.toString().padStart(2, '0')
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** Seconds as a plain decimal: `5400s`, `0.000000001s`. */
export function formatDuration({ nanos }: CelDuration): string {
  const seconds = Number(nanos / SECOND) + Number(nanos % SECOND) / 1e9
  return `${seconds === 0 ? '0' : plainDecimal(seconds)}s`
}
