import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FIELDS, readPart } from '../../../kinds/batch/cron-schedule.ts'
import { latestRun, nextRun, parseSchedule, roughCount, type Schedule } from './cron-times.ts'
import { wallTime, zonedTimestamp } from './wall-clock.ts'

const MINUTE = 60_000
const at = (text: string): number => Date.parse(text)
const schedule = (text: string, zone?: string): Schedule => {
  const parsed = parseSchedule(text, zone)
  if (parsed === undefined) throw new Error(`not a schedule: ${text}`)
  return parsed
}
const next = (text: string, after: string, zone?: string): string | undefined => {
  const moment = nextRun(schedule(text, zone), at(after))
  return moment === undefined ? undefined : new Date(moment).toISOString().slice(0, 16)
}
const runs = (text: string, after: string, count: number, zone: string): readonly string[] => {
  const found: string[] = []
  for (let moment: number | undefined = at(after); found.length < count;) {
    moment = nextRun(schedule(text, zone), moment)
    if (moment === undefined) break
    found.push(zonedTimestamp(zone, moment))
  }
  return found
}

test.each([
  ['*/15 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:15'],
  ['*/15 * * * *', '2026-01-01T00:14:59Z', '2026-01-01T00:15'],
  ['0 0 * * *', '2026-02-28T00:00:00Z', '2026-03-01T00:00'],
  ['30 8-18/4 * * mon-fri', '2026-01-02T16:31:00Z', '2026-01-05T08:30'],
  ['5/20 * * * *', '2026-01-01T00:26:00Z', '2026-01-01T00:45'],
  ['0 12 29 feb ?', '2026-01-01T00:00:00Z', '2028-02-29T12:00'],
  ['@hourly', '2026-01-01T00:00:00Z', '2026-01-01T01:00'],
  ['@weekly', '2026-01-01T00:00:00Z', '2026-01-04T00:00'],
  ['@yearly', '2026-01-01T00:00:00Z', '2027-01-01T00:00'],
  ['@every 1h30m', '2026-01-01T00:00:00Z', '2026-01-01T01:30'],
])('%s comes next after %s at %s', (text, after, expected) => {
  expect(next(text, after)).toBe(expected)
})

test('where day of the month and day of the week are both restricted, one of them is enough', () => {
  expect(next('0 0 13 * fri', '2026-01-01T00:00:00Z')).toBe('2026-01-02T00:00')
  expect(next('0 0 13 * fri', '2026-01-09T00:00:00Z')).toBe('2026-01-13T00:00')
  expect(next('0 0 13 * *', '2026-01-01T00:00:00Z')).toBe('2026-01-13T00:00')
  expect(next('0 0 */1 * fri', '2026-01-01T00:00:00Z')).toBe('2026-01-02T00:00')
  // A step restricts.
  expect(next('0 0 */2 * fri', '2026-01-01T00:00:00Z')).toBe('2026-01-02T00:00')
  expect(next('0 0 */2 * fri', '2026-01-02T00:00:00Z')).toBe('2026-01-03T00:00')
})

test('a day that no year has never comes', () => {
  expect(next('0 0 31 feb *', '2026-01-01T00:00:00Z')).toBeUndefined()
  expect(latestRun(schedule('0 0 31 feb *'), at('2000-01-01T00:00:00Z'), at('2026-01-01T00:00:00Z'))).toBeUndefined()
})

test('a time in a zone follows its clocks: what they skip does not come, what they show twice comes twice', () => {
  expect(runs('30 2 * * *', '2026-03-27T12:00:00Z', 2, 'Europe/Berlin')).toEqual([
    '2026-03-28T02:30:00+01:00',
    '2026-03-30T02:30:00+02:00',
  ])
  expect(runs('30 2 * * *', '2026-10-24T12:00:00Z', 3, 'Europe/Berlin')).toEqual([
    '2026-10-25T02:30:00+02:00',
    '2026-10-25T02:30:00+01:00',
    '2026-10-26T02:30:00+01:00',
  ])
  expect(runs('0 0 * * *', '2026-04-23T12:00:00Z', 2, 'Africa/Cairo')).toEqual([
    '2026-04-25T00:00:00+03:00',
    '2026-04-26T00:00:00+03:00',
  ])
})

test('a zoned timestamp ends in Z or in the offset', () => {
  expect(zonedTimestamp('UTC', at('2026-01-01T00:00:00Z'))).toBe('2026-01-01T00:00:00Z')
  expect(zonedTimestamp('Asia/Kolkata', at('2026-01-01T00:00:00Z'))).toBe('2026-01-01T05:30:00+05:30')
  expect(zonedTimestamp('America/St_Johns', at('2026-01-01T00:00:00Z'))).toBe('2025-12-31T20:30:00-03:30')
})

test('even distances are counted from the last time, in whole seconds', () => {
  const every = schedule('@every 90s')
  const start = at('2026-01-01T00:00:00Z')
  expect(latestRun(every, start, start + 89_999)).toBeUndefined()
  expect(latestRun(every, start, start + 200_000)).toBe(start + 180_000)
  expect(nextRun(schedule('@every 10ms'), start + 500)).toBe(start + 1000)
})

test('many missed times are counted by the first distance', () => {
  expect(roughCount(schedule('*/10 * * * *'), at('2026-01-01T00:00:00Z'), at('2026-01-02T00:00:00Z'))).toBe(144)
  expect(roughCount(schedule('@daily'), at('2026-01-01T00:00:00Z'), at('2026-01-01T12:00:00Z'))).toBe(0)
})

test.each(['', '* * * *', '60 * * * *', '@sometimes', 'TZ=UTC * * * * *'])('%j is an invalid schedule', (text) => {
  expect(parseSchedule(text)).toBeUndefined()
})

const field = (low: number, high: number): fc.Arbitrary<string> => {
  const number = fc.integer({ min: low, max: high })
  const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
  const step = fc.integer({ min: 1, max: 12 })
  const part = fc.oneof(
    fc.constant('*'),
    number.map(String),
    range,
    fc.tuple(fc.oneof(fc.constant('*'), range, number.map(String)), step).map(([of, by]) => `${of}/${by}`),
  )
  return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','))
}
const schedules = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), fc.constant('*'), field(0, 6))
  .map((fields) => fields.join(' '))
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'Asia/Kolkata']
/** Around the days on which clocks of these zones are set. */
const moments = fc
  .tuple(
    fc.constantFrom('2026-03-07', '2026-03-28', '2026-04-04', '2026-04-23', '2026-10-03', '2026-10-24', '2026-10-29'),
    fc.integer({ min: 0, max: 72 * 3600 }),
  )
  .map(([day, seconds]) => at(`${day}T00:00:00Z`) + seconds * 1000)

/** Written anew, without any cleverness: does a minute fit? */
function fits(text: string, zone: string, moment: number): boolean {
  const wall = new Date(wallTime(zone, moment))
  const values = [wall.getUTCMinutes(), wall.getUTCHours(), wall.getUTCDate(), wall.getUTCMonth() + 1, wall.getUTCDay()]
  const parts = text.split(' ').map((one) => one.split(','))
  const [minute, hour, day, month, weekday] = values.map((value, index) =>
    (parts[index] ?? []).some((part) => {
      const range = FIELDS[index] === undefined ? '' : readPart(part, FIELDS[index])
      if (typeof range === 'string') throw new Error(range)
      return value >= range.low && value <= range.high && (value - range.low) % range.step === 0
    }),
  )
  const isOpen = (index: number): boolean => (parts[index] ?? []).some((part) => part === '*' || part === '*/1')
  const isDay = isOpen(2) || isOpen(4) ? day === true && weekday === true : day === true || weekday === true
  return minute === true && hour === true && month === true && isDay
}

test('the next time is the first minute that fits, and the latest the last one', () => {
  fc.assert(
    fc.property(schedules, fc.constantFrom(...ZONES), moments, (text, zone, after) => {
      const parsed = schedule(text, zone)
      const until = after + 30 * 60 * MINUTE
      const fitting: number[] = []
      for (let moment = (Math.floor(after / MINUTE) + 1) * MINUTE; moment <= until; moment += MINUTE)
        if (fits(text, zone, moment)) fitting.push(moment)
      const found = nextRun(parsed, after)
      if (fitting.length > 0) expect(found).toBe(fitting[0])
      else expect(found ?? Infinity).toBeGreaterThan(until)
      expect(latestRun(parsed, after, until)).toBe(fitting.at(-1))
    }),
    { numRuns: 40 },
  )
})

test('the next time is later and fits, however far away', () => {
  const months = fc.constantFrom('1', '2-3', '*/5', 'feb,nov')
  fc.assert(
    fc.property(field(0, 59), field(0, 23), field(1, 28), months, moments, (minute, hour, day, month, after) => {
      const text = `${minute} ${hour} ${day} ${month} *`
      const found = nextRun(schedule(text, 'America/New_York'), after) ?? 0
      expect(found).toBeGreaterThan(after)
      expect(fits(text, 'America/New_York', found)).toBe(true)
    }),
  )
})
