import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fairShares } from './fair-shares.ts'

test.each([
  [[5, 1, 5], 9, [4, 1, 4]],
  [[5, 5, 5], 8, [3, 3, 2]],
  [[2, 3], 9, [2, 3]],
  [[1, 1, 1], 2, [1, 1, 0]],
  [[], 3, []],
])('of those who want %j the parts of %i are %j', (wants, most, shares) => {
  expect(fairShares(wants, most)).toEqual(shares)
})

test('all is given away that is wanted, and nobody who wants more has less than another', () => {
  const wants = fc.array(fc.nat(20), { maxLength: 12 })
  fc.assert(
    fc.property(wants, fc.nat(120), (all, most) => {
      const shares = fairShares(all, most)
      const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
      expect(sum(shares)).toBe(Math.min(most, sum(all)))
      const largest = Math.max(0, ...shares)
      shares.forEach((share, at) => expect(share === all[at] || largest - share <= 1).toBe(true))
    }),
  )
})
