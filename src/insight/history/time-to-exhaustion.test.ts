import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { secondsToExhaustion, type UsagePoint } from './time-to-exhaustion.ts'

const MINUTE = 60_000
/** One point for each minute. */
const minutes = (...used: readonly number[]): readonly UsagePoint[] =>
  used.map((amount, index) => ({ at: index * MINUTE, used: BigInt(amount) }))

const amount = fc.bigInt({ min: 0n, max: 10n ** 20n })
const at = fc.integer({ min: 0, max: 6 * 60 * MINUTE })
const point = fc.record({ at, used: amount })
const points = fc.uniqueArray(point, { minLength: 2, maxLength: 40, selector: (one) => one.at })
const later = (seconds: number | undefined): number => seconds ?? Infinity

describe('the time to exhaustion', () => {
  test.for([
    ['steady growth', minutes(0, 10, 20, 30, 40, 50), 100n, 300],
    ['growth that does not end at a whole second', minutes(0, 7, 14, 21), 22n, 9],
    ['growth between two looks', minutes(0, 10), 100n, 540],
    ['growth with one look that tells less', minutes(0, 10, 20, 5, 40, 50, 60, 70), 100n, 180],
    ['what is full', minutes(100), 100n, 0],
    ['what is over its limit', minutes(0, 120), 100n, 0],
    ['a limit of 0', minutes(0), 0n, 0],
    ['usage that stays', minutes(5, 5, 5, 5, 5), 100n, undefined],
    ['usage that falls', minutes(9, 8, 7, 6, 5), 100n, undefined],
    ['a single look', minutes(5), 100n, undefined],
    ['nothing', [], 100n, undefined],
    ['one jump in a long rest', minutes(5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 90, 90), 100n, undefined],
    ['growth by which the limit lasts for a month', minutes(0, 1, 2, 3), 100_000n, undefined],
  ] as const)('of %s', ([, seen, hard, seconds]) => {
    expect(secondsToExhaustion(seen, hard, 0)).toBe(seconds)
  })

  test('is not said of what is known for too short', () => {
    expect(secondsToExhaustion(minutes(0, 10, 20), 100n, 2 * MINUTE)).toBe(480)
    expect(secondsToExhaustion(minutes(0, 10, 20), 100n, 2 * MINUTE + 1)).toBeUndefined()
  })

  test('goes by the last half hour', () => {
    const rest = Array.from({ length: 120 }, () => 0)
    const growth = Array.from({ length: 31 }, (_, index) => index * 10)
    expect(secondsToExhaustion(minutes(...rest, ...growth), 600n, 0)).toBe(1800)
  })

  test('does not depend on the order of the points, nor on those that come twice', () => {
    const shuffled = points.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: 2 * all.length })),
    )
    fc.assert(
      fc.property(shuffled, amount, ([all, mixed], hard) => {
        expect(secondsToExhaustion(mixed, hard, 0)).toBe(secondsToExhaustion(all, hard, 0))
      }),
    )
  })

  test('is never later for a faster growth', () => {
    fc.assert(
      fc.property(points, fc.array(amount, { minLength: 40, maxLength: 40 }), amount, (all, more, hard) => {
        let sum = 0n
        const faster = all
          .toSorted((a, b) => a.at - b.at)
          .map((one, index) => ({ at: one.at, used: one.used + (sum += more[index] ?? 0n) }))
        expect(later(secondsToExhaustion(faster, hard, 0))).toBeLessThanOrEqual(
          later(secondsToExhaustion(all, hard, 0)),
        )
      }),
    )
  })

  test('is never later for a lower limit', () => {
    fc.assert(
      fc.property(points, amount, amount, (all, hard, other) => {
        const [low, high] = hard < other ? [hard, other] : [other, hard]
        expect(later(secondsToExhaustion(all, low, 0))).toBeLessThanOrEqual(later(secondsToExhaustion(all, high, 0)))
      }),
    )
  })

  test('is the same in every unit, and from every start of the clock', () => {
    const unit = fc.bigInt({ min: 1n, max: 10n ** 12n })
    fc.assert(
      fc.property(points, amount, unit, at, (all, hard, factor, shift) => {
        const others = all.map((one) => ({ at: one.at + shift, used: one.used * factor }))
        expect(secondsToExhaustion(others, hard * factor, 0)).toBe(secondsToExhaustion(all, hard, 0))
      }),
    )
  })

  test('is 0 exactly where nothing is left', () => {
    fc.assert(
      fc.property(points, amount, (all, hard) => {
        const latest = all.toSorted((a, b) => a.at - b.at).at(-1)
        expect(secondsToExhaustion(all, hard, 0) === 0).toBe((latest?.used ?? 0n) >= hard)
      }),
    )
  })
})
