import { FIELDS, readPart, scheduleProblem } from '../../../kinds/batch/cron-schedule.ts'
import { wallTime } from './wall-clock.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A schedule without a time in so many days has none (30 February): as robfig/cron, which looks five years ahead. */
const HORIZON = 5 * 366 * DAY

/** The minutes at which the clocks of a zone show what the fields say. */
interface Calendar {
  readonly zone: string
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly isDay: (ofMonth: number, ofWeek: number) => boolean
}

/** When something runs: by the calendar, or in even distances (`@every`, in milliseconds). */
export type Schedule = Calendar | { readonly every: number }

const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])
const UNITS: ReadonlyMap<string, number> = new Map([
  ['h', HOUR],
  ['m', MINUTE],
  ['s', SECOND],
  ['ms', 1],
  ['us', 1e-3],
  ['ns', 1e-6],
])

/** Reads what validation has let through; undefined for anything else. */
export function parseSchedule(text: string, zone = 'UTC'): Schedule | undefined {
  if (scheduleProblem(text) !== undefined) return undefined
  if (text.startsWith('@every ')) return { every: distance(text) }
  const fields = (DESCRIPTORS.get(text) ?? text).trim().split(/\s+/)
  const [minutes, hours, days, months, weekdays] = FIELDS.map((_, index) => fieldOf(fields[index] ?? '*', index))
  if (minutes === undefined || hours === undefined || months === undefined) return undefined
  if (days === undefined || weekdays === undefined) return undefined
  // Where both fields of days are restricted, one of them is enough: the rule of cron.
  const isEither = !days.isOpen && !weekdays.isOpen
  const isDay = (ofMonth: number, ofWeek: number): boolean =>
    isEither
      ? days.numbers.has(ofMonth) || weekdays.numbers.has(ofWeek)
      : days.numbers.has(ofMonth) && weekdays.numbers.has(ofWeek)
  return { zone, minutes: minutes.numbers, hours: hours.numbers, months: months.numbers, isDay }
}

/**
 * The first time after a moment, in milliseconds since the epoch. A time that clocks skip when summer begins does not come. One that they
 * show twice when summer ends comes twice. A cluster does the same.
 */
export function nextRun(schedule: Schedule, after: number): number | undefined {
  if ('every' in schedule) return Math.floor(after / SECOND) * SECOND + schedule.every
  const end = after + HORIZON
  let moment = Math.floor(after / MINUTE) * MINUTE + MINUTE
  while (moment <= end) {
    const wall = wallTime(schedule.zone, moment)
    const next = nextCandidate(schedule, wall)
    if (next === wall) return moment
    moment = laterBy(schedule.zone, moment, wall, next - wall)
  }
  return undefined
}

/** The last time after one moment and not after another. */
export function latestRun(schedule: Schedule, after: number, until: number): number | undefined {
  const first = nextRun(schedule, after)
  if (first === undefined || first > until) return undefined
  if ('every' in schedule) return first + Math.floor((until - first) / schedule.every) * schedule.every
  // The next time never comes earlier from a later moment, so the last moment before the last run can be halved towards.
  let low = Math.floor(after / MINUTE)
  let high = Math.floor(until / MINUTE) + 1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if ((nextRun(schedule, middle * MINUTE) ?? Infinity) <= until) low = middle
    else high = middle
  }
  return nextRun(schedule, Math.max(low * MINUTE, after))
}

/** About how many times there are after one moment and not after another, taking the first distance for all of them. */
export function roughCount(schedule: Schedule, after: number, until: number): number {
  const first = nextRun(schedule, after)
  if (first === undefined || first > until) return 0
  const second = nextRun(schedule, first) ?? Infinity
  return Math.floor((until - first) / (second - first)) + 1
}

/** The same wall time if it fits; otherwise a later one before which none fits. */
function nextCandidate({ minutes, hours, months, isDay }: Calendar, wall: number): number {
  const date = new Date(wall)
  const month = date.getUTCMonth()
  if (!months.has(month + 1)) return Date.UTC(date.getUTCFullYear(), month + 1, 1)
  if (!isDay(date.getUTCDate(), date.getUTCDay())) return Math.floor(wall / DAY) * DAY + DAY
  if (!hours.has(date.getUTCHours())) return Math.floor(wall / HOUR) * HOUR + HOUR
  return minutes.has(date.getUTCMinutes()) ? wall : wall + MINUTE
}

/** Moves on by a distance on the clock's face, or by less where the clocks are put forward meanwhile. */
function laterBy(zone: string, moment: number, wall: number, far: number): number {
  const there = moment + far
  const jumped = wallTime(zone, there) - (wall + far)
  return jumped > 0 ? Math.max(there - jumped, moment + MINUTE) : there
}

interface Field {
  readonly numbers: ReadonlySet<number>
  readonly isOpen: boolean
}

function fieldOf(text: string, index: number): Field | undefined {
  const field = FIELDS[index]
  if (field === undefined) return undefined
  const ranges = text.split(',').map((part) => readPart(part, field))
  const numbers = new Set<number>()
  let isOpen = false
  for (const range of ranges) {
    if (typeof range === 'string') return undefined
    for (let number = range.low; number <= range.high; number += range.step) numbers.add(number)
    isOpen ||= range.isOpen
  }
  return { numbers, isOpen }
}

/** Whole seconds, and at least one. */
function distance(text: string): number {
  let total = 0
  for (const [, number, unit] of text.matchAll(/([0-9]+(?:\.[0-9]+)?)(ms|us|ns|h|m|s)/g))
    total += Number(number) * (UNITS.get(unit ?? '') ?? 0)
  return Math.max(Math.floor(total / SECOND) * SECOND, SECOND)
}
