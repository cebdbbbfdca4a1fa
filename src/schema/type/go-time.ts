/** One element of a time's text; `layout` is its piece of Go's reference time, which errors quote. */
interface Step {
  readonly pattern: RegExp
  readonly layout: string
}

const step = (pattern: RegExp, layout: string): Step => ({ pattern, layout })

const DATE: readonly Step[] = [
  step(/\d{4}/y, '2006'),
  step(/-/y, '-'),
  step(/\d{2}/y, '01'),
  step(/-/y, '-'),
  step(/\d{2}/y, '02'),
  step(/T/y, 'T'),
  step(/\d{2}/y, '15'),
  step(/:/y, ':'),
  step(/\d{2}/y, '04'),
  step(/:/y, ':'),
]
const ZONE = step(/Z|[-+]\d{2}:\d{2}/y, 'Z07:00')
const SECONDS: readonly Step[] = [...DATE, step(/\d{2}(?:[.,]\d+)?/y, '05'), ZONE]
const MICROSECONDS: readonly Step[] = [...DATE, step(/\d{2}/y, '05'), step(/[.,]\d{6}/y, '.000000'), ZONE]

const WHOLE_UTC = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

/** The zero time, which Go writes as null. */
const ZERO = '0001-01-01T00:00:00Z'

/**
 * Reads RFC 3339 and writes it as `metav1.Time` does: UTC and whole seconds. `undefined` for the zero time, which is
 * written as null. Throws `RangeError` with the words of Go's `time.Parse`.
 */
export function canonicalTime(text: string): string | undefined {
  if (text === ZERO) return undefined
  if (WHOLE_UTC.test(text)) return text
  const written = `${wholeSeconds(parts(text, SECONDS), text)}Z`
  return written === ZERO ? undefined : written
}

/** As `canonicalTime`, for `metav1.MicroTime`: six digits behind the second, read and written. */
export function canonicalMicroTime(text: string): string | undefined {
  const read = parts(text, MICROSECONDS)
  const seconds = wholeSeconds(read, text)
  const fraction = (read[11] ?? '').slice(1)
  return `${seconds}Z` === ZERO && fraction === '000000' ? undefined : `${seconds}.${fraction}Z`
}

/** The texts of a layout's steps: year, month, … each second one a separator; the last one is the zone. */
function parts(text: string, steps: readonly Step[]): readonly string[] {
  const found: string[] = []
  let at = 0
  for (const { pattern, layout } of steps) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) {
      const whole = steps.length === SECONDS.length ? '2006-01-02T15:04:05Z07:00' : '2006-01-02T15:04:05.000000Z07:00'
      throw new RangeError(
        `parsing time ${JSON.stringify(text)} as "${whole}": cannot parse ${JSON.stringify(text.slice(at))} as "${layout}"`,
      )
    }
    found.push(match[0])
    at += match[0].length
  }
  if (at < text.length) throw outOfRange(text, `extra text: ${JSON.stringify(text.slice(at))}`)
  return found
}

function wholeSeconds(read: readonly string[], text: string): string {
  const number = (at: number): number => Number((read[at] ?? '').slice(0, at === 0 ? 4 : 2))
  const [year, month, day, hour, minute, second] = [number(0), number(2), number(4), number(6), number(8), number(10)]
  const zone = read.at(-1) ?? 'Z'
  if (month < 1 || month > 12) throw outOfRange(text, 'month out of range')
  if (hour > 23) throw outOfRange(text, 'hour out of range')
  if (minute > 59) throw outOfRange(text, 'minute out of range')
  if (second > 59) throw outOfRange(text, 'second out of range')
  const time = new Date(0)
  time.setUTCFullYear(year, month - 1, day)
  if (day < 1 || time.getUTCDate() !== day) throw outOfRange(text, 'day out of range')
  time.setUTCHours(hour, minute - offsetMinutes(zone, text), second, 0)
  const written = time.toISOString().slice(0, -'.000Z'.length)
  if (!/^\d{4}-/.test(written)) throw outOfRange(text, 'year outside of range [0,9999]')
  return written
}

function offsetMinutes(zone: string, text: string): number {
  if (zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4))
  if (hours > 24) throw outOfRange(text, 'time zone offset hour out of range')
  if (minutes > 60) throw outOfRange(text, 'time zone offset minute out of range')
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function outOfRange(text: string, what: string): RangeError {
  return new RangeError(`parsing time ${JSON.stringify(text)}: ${what}`)
}
