import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ClockSteps } from './clock-steps.ts'
import { WallAlarms } from './wall-alarms.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** Alarms by a clock that the test sets, in time that the test lets pass. */
function scene() {
  const clock = { passed: 0, offset: 1_000_000 }
  const now = (): number => clock.passed + clock.offset
  const steps = new ClockSteps({
    now,
    monotonic: () => clock.passed,
    every: (ms, look) => {
      const timer = setInterval(look, ms)
      return () => clearInterval(timer)
    },
  })
  const due: string[] = []
  const alarms = new WallAlarms({ now, steps, onDue: (key) => void due.push(key) })
  const pass = (ms: number): void => {
    for (let n = 0; n < ms; n += 100) {
      clock.passed += 100
      vi.advanceTimersByTime(100)
    }
  }
  return { alarms, due, now, pass, set: (ms: number) => void (clock.offset += ms) }
}

test('an alarm is due behind its time, the earliest of those that its key was set to', () => {
  const { alarms, due, now, pass } = scene()
  alarms.set('a', now() + 9_000)
  alarms.set('a', now() + 5_000)
  alarms.set('a', now() + 7_000)
  alarms.set('b', now() + 6_000)
  pass(5_000)
  expect(due).toEqual([])
  pass(200)
  expect(due).toEqual(['a'])
  pass(20_000)
  expect(due).toEqual(['a', 'b'])
})

test('a clock that is set forward makes alarms due within about a second', () => {
  const { alarms, due, now, pass, set } = scene()
  alarms.set('soon', now() + 3_600_000)
  alarms.set('later', now() + 7_200_000)
  pass(10_000)
  set(3_600_000)
  pass(1_200)
  expect(due).toEqual(['soon'])
})

test('a clock that is set back puts alarms off, and one that is set forward again brings them back', () => {
  const { alarms, due, now, pass, set } = scene()
  alarms.set('a', now() + 5_000)
  set(-3_600_000)
  pass(60_000)
  expect(due).toEqual([])
  set(3_600_000)
  pass(1_200)
  expect(due).toEqual(['a'])
})

test('a time that is further away than a timer can wait is waited for all the same', () => {
  const { alarms, due, now, pass, set } = scene()
  alarms.set('a', now() + 2 ** 33)
  pass(1_000)
  expect(due).toEqual([])
  set(2 ** 33)
  pass(1_200)
  expect(due).toEqual(['a'])
})

test('an alarm that is deleted is never due, leaves no timer, and may be set anew to a later time', () => {
  const { alarms, due, now, pass, set } = scene()
  alarms.set('a', now() + 1_000)
  const timers = vi.getTimerCount()
  alarms.delete('a')
  alarms.delete('unknown')
  expect(vi.getTimerCount()).toBe(timers - 1)
  set(3_600_000)
  pass(5_000)
  expect(due).toEqual([])
  alarms.set('a', now() + 5_000)
  pass(4_000)
  expect(due).toEqual([])
  pass(2_000)
  expect(due).toEqual(['a'])
})

test('after the stop no alarm is due and no timer is left', () => {
  const { alarms, due, now, pass } = scene()
  alarms.set('a', now() + 1_000)
  alarms.stop()
  pass(5_000)
  expect(due).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})
