import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeTicks } from './time-ticks.ts'

const HOUR = 3600

test.each([
  ['some minutes', 1000, 1420, { step: 300, least: 120, ahead: 0 }, [1000, 1200, 1420]],
  ['too little for more than the ends', 1000, 1420, { step: 60, least: 300, ahead: 0 }, [1000, 1420]],
  ['too little for both ends', 1000, 1020, { step: 5, least: 60, ahead: 0 }, [1020]],
  ['one moment', 1000, 1000, { step: 5, least: 0, ahead: 0 }, [1000]],
  ['no step', 1000, 1420, { step: 0, least: 120, ahead: 0 }, [1000, 1420]],
  [
    'clocks that are ahead by half an hour',
    100,
    3 * HOUR,
    { step: HOUR, least: 60, ahead: HOUR / 2 },
    [100, 1800, 5400, 9000, 10800],
  ],
] as const)('labels %s', (_, start, end, given, ticks) => {
  expect(timeTicks(start, end, given)).toEqual(ticks)
})

test('labels the start and the end, in order, and never two in the place of one', () => {
  const [start, length] = [fc.nat(10_000), fc.nat(30_000)]
  const [step, least] = [fc.integer({ min: 1, max: 3600 }), fc.integer({ min: 1, max: 4000 })]
  fc.assert(
    fc.property(start, length, step, least, (from, seconds, step, least) => {
      const ticks = timeTicks(from, from + seconds, { step, least, ahead: 19_800 })
      expect(ticks.at(-1)).toBe(from + seconds)
      if (seconds >= least) expect(ticks[0]).toBe(from)
      for (const [index, tick] of ticks.slice(1).entries())
        expect(tick - (ticks[index] ?? 0)).toBeGreaterThanOrEqual(least)
    }),
  )
})
