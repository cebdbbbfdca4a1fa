import type { Library, Overload } from './declaration.ts'
import { duration, member, text, timestamp } from './declaration.ts'
import type { Run } from '../types/run-budget.ts'
import { INT } from '../types/cel-type.ts'
import { Failure } from '../types/scalar.ts'
import type { Result } from '../types/value.ts'
import type { CelDuration, CelTimestamp } from '../types/scalar.ts'
import { millisOf } from './time-text.ts'

/** Minutes and seconds east of UTC at a moment, or a failure in the words of Go. */
function offsetMillis(time: CelTimestamp, zone: string): number | Failure {
  const colon = zone.indexOf(':')
  if (colon < 0) return namedOffset(millisOf(time), zone)
  const hours = zone.slice(0, colon)
  const minutes = zone.slice(colon + 1)
  const bad = [hours, minutes].find((part) => !/^[+-]?\d{1,9}$/.test(part))
  if (bad !== undefined) return new Failure(`strconv.Atoi: parsing ${JSON.stringify(bad)}: invalid syntax`)
  const sign = zone.startsWith('-') ? -1 : 1
  return (Number(hours) * 60 + sign * Number(minutes)) * 60_000
}

function namedOffset(millis: number, zone: string): number | Failure {
  if (zone === '' || zone === 'UTC' || zone === 'Local') return 0
  const unknown = new Failure(`unknown time zone ${zone}`)
  if (!/^[A-Za-z]/.test(zone) || zone.length > 64) return unknown
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    }).formatToParts(millis)
    const number = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0)
    const local = new Date(0)
    const year = parts.some((part) => part.type === 'era' && part.value.startsWith('B'))
      ? 1 - number('year')
      : number('year')
    local.setUTCFullYear(year, number('month') - 1, number('day'))
    local.setUTCHours(number('hour'), number('minute'), number('second'))
    return local.getTime() - Math.floor(millis / 1000) * 1000
  } catch {
    return unknown
  }
}

/** Reads one part of a time, as if it were in UTC. */
type Read = (date: Date) => number

const startOfYear = (date: Date): number => {
  const first = new Date(0)
  first.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return first.getTime()
}

const READS: readonly (readonly [name: string, id: string, read: Read])[] = [
  ['getFullYear', 'timestamp_to_year', (date) => date.getUTCFullYear()],
  ['getMonth', 'timestamp_to_month', (date) => date.getUTCMonth()],
  ['getDayOfYear', 'timestamp_to_day_of_year', (date) => Math.floor((date.getTime() - startOfYear(date)) / 86_400_000)],
  ['getDayOfMonth', 'timestamp_to_day_of_month', (date) => date.getUTCDate() - 1],
  ['getDate', 'timestamp_to_day_of_month_1_based', (date) => date.getUTCDate()],
  ['getDayOfWeek', 'timestamp_to_day_of_week', (date) => date.getUTCDay()],
  ['getHours', 'timestamp_to_hours', (date) => date.getUTCHours()],
  ['getMinutes', 'timestamp_to_minutes', (date) => date.getUTCMinutes()],
  ['getSeconds', 'timestamp_to_seconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', 'timestamp_to_milliseconds', (date) => date.getUTCMilliseconds()],
]

const DURATION_UNITS: { readonly [name: string]: bigint } = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
}

const ZONE_WORK = 1500

function readAt(time: CelTimestamp, zone: string, read: Read, run: Run): Result {
  // To look a zone up takes some 80 µs.
  if (!zone.includes(':') && zone !== 'UTC') run.work(ZONE_WORK)
  const offset = offsetMillis(time, zone)
  return offset instanceof Failure ? offset : BigInt(read(new Date(millisOf(time) + offset)))
}

const inUnits = ({ nanos }: CelDuration, unit: bigint): bigint => nanos / unit

/** The functions that read a part of a time, in UTC or in a zone (`America/New_York`, `-08:00`), or of a duration. */
export const times: Library = READS.map(([name, id, read]) => {
  const unit = DURATION_UNITS[name]
  const overloads: Overload[] = [
    member(id, [timestamp], INT, ([time], run) => readAt(time, 'UTC', read, run)),
    member(`${id}_with_tz`, [timestamp, text], INT, ([time, zone], run) => readAt(time, zone, read, run)),
  ]
  if (unit !== undefined)
    overloads.push(member(id.replace('timestamp', 'duration'), [duration], INT, ([span]) => inUnits(span, unit)))
  return [name, overloads] as const
})
