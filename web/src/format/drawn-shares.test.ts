import { expect, test } from 'vitest'
import { drawnShares, isClosedAtLast } from './drawn-shares.ts'

const AT = '2026-11-28T05:00:00Z'
const samplesOf = (...pairs: readonly (readonly [used: string, hard: string])[]) =>
  pairs.map(([used, hard]) => ({ at: AT, used, hard }))

test('draws usage in parts of the highest amount that there is', () => {
  expect(drawnShares(samplesOf(['0', '10'], ['5', '10'], ['20', '10']))).toEqual([0, 0.25, 1])
  expect(drawnShares([])).toEqual([])
  expect(drawnShares(samplesOf(['0', 'unreadable']))).toEqual([0])
})

test('draws a limit of 0 as full', () => {
  expect(drawnShares(samplesOf(['0', '0'], ['0', '0']))).toEqual([1, 1])
  expect(drawnShares(samplesOf(['0', '8'], ['0', '0']))).toEqual([0, 1])
  expect(isClosedAtLast(samplesOf(['0', '8'], ['0', '0']))).toBe(true)
  expect(isClosedAtLast(samplesOf(['0', '0'], ['0', '8']))).toBe(false)
  expect(isClosedAtLast([])).toBe(false)
})
