import { expect, test } from 'vitest'
import { ClockSteps } from './clock-steps.ts'

/** A watch whose clocks the test moves. */
function scene() {
  const clock = { now: 1_000_000, monotonic: 0 }
  const looks = new Set<() => void>()
  const steps = new ClockSteps({
    now: () => clock.now,
    monotonic: () => clock.monotonic,
    every: (_, look) => {
      looks.add(look)
      return () => looks.delete(look)
    },
  })
  const pass = (wall: number, monotonic: number): void => {
    clock.now += wall
    clock.monotonic += monotonic
    for (const look of looks) look()
  }
  return { steps, pass, looks }
}

test.each([
  ['back', -3_600_000],
  ['forward', 3_600_000],
  ['forward while the machine slept', 60_000],
])('a clock that is set %s is noticed once', (_, wall) => {
  const { steps, pass } = scene()
  const noticed: number[] = []
  steps.subscribe((byMs) => noticed.push(byMs))
  pass(1000, 1000)
  pass(wall, 1000)
  pass(1000, 1000)
  expect(noticed).toEqual([wall - 1000])
})

test('a loop that stalls, and a clock that is slewed, are not steps', () => {
  const { steps, pass } = scene()
  let noticed = 0
  steps.subscribe(() => noticed++)
  pass(90_000, 90_000)
  pass(1000, 1005)
  expect(noticed).toBe(0)
})

test('it looks only while somebody listens, and does not report earlier steps', () => {
  const { steps, pass, looks } = scene()
  let noticed = 0
  const listener = (): void => void noticed++
  expect(looks.size).toBe(0)
  const ends = [steps.subscribe(listener), steps.subscribe(() => undefined)]
  expect(looks.size).toBe(1)
  for (const end of ends) end()
  expect(looks.size).toBe(0)
  pass(-3_600_000, 1000)
  steps.subscribe(listener)
  pass(1000, 1000)
  expect(noticed).toBe(0)
})
