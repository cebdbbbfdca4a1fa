import { parseGoDuration } from '../../machinery/go/duration.ts'
import { type FieldError, invalid } from '../../machinery/field-error.ts'
import { textOf } from '../../machinery/read.ts'

export interface CronField {
  readonly low: number
  readonly high: number
  readonly names?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
/** Minute, hour, day of the month, month, day of the week. */
export const FIELDS: readonly CronField[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: ['', ...MONTHS] },
  { low: 0, high: 6, names: DAYS },
]
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']

/** The errors in a cron job's schedule and time zone (batch `validateScheduleFormat`), worded as robfig/cron does. */
export function validateSchedule(schedule: string, timeZone: unknown, path: string): readonly FieldError[] {
  const at = `${path}.schedule`
  const zone = textOf(timeZone)
  const errors: FieldError[] = []
  if (schedule.includes('TZ')) {
    const detail =
      zone === ''
        ? 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
        : 'cannot use both timeZone field and TZ or CRON_TZ in schedule'
    errors.push(invalid(at, schedule, detail))
  } else {
    const problem = scheduleProblem(schedule)
    if (problem !== undefined) errors.push(invalid(at, schedule, problem))
  }
  if (timeZone !== undefined && timeZone !== null && !isTimeZone(zone)) {
    errors.push(
      invalid(
        `${path}.timeZone`,
        zone,
        zone === '' ? 'timeZone must be nil or non-empty string' : `unknown time zone ${zone}`,
      ),
    )
  }
  return errors
}

/** The errors in a schedule of five fields, or a descriptor such as `@daily` or `@every 1h`; undefined if all is well. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorProblem(schedule)
  const fields = schedule.split(/\s+/).filter((field) => field !== '')
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`
  }
  for (const [index, field] of FIELDS.entries()) {
    for (const part of (fields[index] ?? '').split(',')) {
      const range = readPart(part, field)
      if (typeof range === 'string') return range
    }
  }
  return undefined
}

function descriptorProblem(schedule: string): string | undefined {
  if (DESCRIPTORS.includes(schedule)) return undefined
  if (!schedule.startsWith('@every ')) return `unrecognized descriptor: ${schedule}`
  const duration = parseGoDuration(schedule.slice('@every '.length))
  return typeof duration === 'string' ? `failed to parse duration ${schedule}: ${duration}` : undefined
}

/** One part of a field: every `step`th number from `low` to `high`. */
export interface CronRange {
  readonly low: number
  readonly high: number
  readonly step: number
  /** Does it leave the field open, as `*` does? */
  readonly isOpen: boolean
}

/** Reads one of the parts that commas separate; gives a sentence that says what is wrong with it. */
export function readPart(part: string, field: CronField): CronRange | string {
  const [range = '', interval, ...more] = part.split('/')
  if (more.length > 0) return `too many slashes: ${part}`
  const [first = '', last, ...rest] = range.split('-')
  if (rest.length > 0) return `too many hyphens: ${part}`
  const isStar = first === '*' || first === '?'
  let low = field.low
  let high = field.high
  if (!isStar) {
    const start = numberIn(first, field)
    const end = last === undefined ? start : numberIn(last, field)
    if (typeof start === 'string') return start
    if (typeof end === 'string') return end
    low = start
    high = last === undefined && interval !== undefined ? field.high : end
  }
  const step = interval === undefined ? 1 : numberIn(interval, { low: 0, high: 0 })
  if (typeof step === 'string') return step
  if (step === 0) return `step of range should be a positive number: ${part}`
  if (low < field.low) return `beginning of range (${low}) below minimum (${field.low}): ${part}`
  if (high > field.high) return `end of range (${high}) above maximum (${field.high}): ${part}`
  if (low > high) return `beginning of range (${low}) beyond end of range (${high}): ${part}`
  return { low, high, step, isOpen: isStar && step === 1 }
}

/** The number, or a sentence that says why it is none. */
function numberIn(text: string, field: CronField): number | string {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1
  if (text !== '' && named >= 0) return named
  if (/^[+-]?[0-9]+$/.test(text)) {
    const number = Number(text)
    return number < 0 ? `negative number (${number}) not allowed: ${text}` : number
  }
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
}

function isTimeZone(zone: string): boolean {
  if (zone === '' || zone.toLowerCase() === 'local') return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone }).format(0)
    return true
  } catch {
    return false
  }
}
