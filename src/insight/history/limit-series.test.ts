import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type HistorySteps, isKept, type LimitPoint, LimitSeries, mostPoints } from './limit-series.ts'

const STEPS: HistorySteps = { stepMs: 1000, fine: 6, coarse: 4, all: 40 }

interface Added {
  readonly after: number
  readonly used: bigint
  readonly hard: bigint
}
const added = fc.record({
  after: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.integer({ min: 0, max: 60 })),
  used: fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n })),
  hard: fc.bigInt({ min: 0n, max: 2n }),
})

function seriesOf(all: readonly Added[], check: (now: number, series: LimitSeries) => void = () => undefined) {
  const series = new LimitSeries(STEPS)
  const steps = new Map<number, Pick<Added, 'used' | 'hard'>>()
  let now = 0
  for (const { after, used, hard } of all) {
    now += after
    series.add(now, used, hard)
    steps.set(now, { used, hard })
    check(now, series)
  }
  return { series, steps, now }
}

/** The last point that is not after a step. */
const held = (points: readonly LimitPoint[], step: number): LimitPoint | undefined =>
  points.findLast(({ at }) => at <= step * STEPS.stepMs)

describe('the series of a limit', () => {
  test('has a bounded number of points, in order, and none that is too old', () => {
    fc.assert(
      fc.property(fc.array(added, { minLength: 1, maxLength: 200 }), (all) => {
        seriesOf(all, (now, series) => {
          const points = series.points()
          expect(points.length).toBe(series.length)
          expect(points.length).toBeLessThanOrEqual(mostPoints(STEPS))
          for (const [index, { at }] of points.entries()) {
            expect(at).toBeGreaterThan(points[index - 1]?.at ?? -1)
            expect(at).toBeGreaterThanOrEqual((now - STEPS.all) * STEPS.stepMs)
          }
        })
      }),
    )
  })

  test('tells of each of the last steps exactly what was used and what the limit was', () => {
    fc.assert(
      fc.property(fc.array(added, { minLength: 1, maxLength: 100 }), (all) => {
        const { series, steps, now } = seriesOf(all)
        for (const [step, { used, hard }] of steps)
          if (step >= now - STEPS.fine) expect(held(series.points(), step)).toMatchObject({ used, hard })
      }),
    )
  })

  test('tells of older times what was used within the same stretch', () => {
    fc.assert(
      fc.property(fc.array(added, { minLength: 1, maxLength: 100 }), (all) => {
        const { series, steps } = seriesOf(all)
        for (const { at, used } of series.points().slice(1)) expect(steps.get(at / STEPS.stepMs)?.used).toBe(used)
      }),
    )
  })

  test('needs two points for a usage that stays, however long', () => {
    const { series } = seriesOf(Array.from({ length: 1000 }, () => ({ after: 1, used: 7n, hard: 9n })))
    expect(series.points()).toEqual([
      { at: 960_000, used: 7n, hard: 9n },
      { at: 1_000_000, used: 7n, hard: 9n },
    ])
    expect(series.changedAt).toBe(960)
  })

  test('judges the growth from when the limit is the present one', () => {
    const { series } = seriesOf([
      { after: 0, used: 1n, hard: 5n },
      { after: 1, used: 2n, hard: 5n },
      { after: 1, used: 2n, hard: 8n },
      { after: 1, used: 2n, hard: 8n },
      { after: 1, used: 3n, hard: 8n },
    ])
    expect(series.current()).toEqual({
      hard: 8n,
      points: [
        { at: 2000, used: 2n, hard: 8n },
        { at: 3000, used: 2n, hard: 8n },
        { at: 4000, used: 3n, hard: 8n },
      ],
    })
  })

  test('keeps amounts of 128 bits', () => {
    for (const amount of [2n ** 127n - 1n, -(2n ** 127n), 0n, -1n]) expect(isKept(amount)).toBe(true)
    for (const amount of [2n ** 127n, -(2n ** 127n) - 1n]) expect(isKept(amount)).toBe(false)
  })
})
