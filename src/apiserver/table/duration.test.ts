import fc from 'fast-check'
import { expect, test } from 'vitest'
import { humanDuration, since } from './duration.ts'

const S = 1
const M = 60 * S
const H = 60 * M
const D = 24 * H

test.each([
  [-2 * S, '<invalid>'],
  [-1 * S, '0s'],
  [0, '0s'],
  [5 * S, '5s'],
  [119 * S, '119s'],
  [2 * M, '2m'],
  [3 * M + 12 * S, '3m12s'],
  [10 * M + 9 * S, '10m'],
  [179 * M, '179m'],
  [3 * H, '3h'],
  [7 * H + 59 * M, '7h59m'],
  [8 * H + 59 * M, '8h'],
  [47 * H, '47h'],
  [2 * D, '2d'],
  [5 * D + 3 * H, '5d3h'],
  [8 * D + 3 * H, '8d'],
  [729 * D, '729d'],
  [730 * D, '2y'],
  [3 * 365 * D + 45 * D, '3y45d'],
  [8 * 365 * D + 45 * D, '8y'],
])('%d seconds print as %s', (seconds, text) => {
  expect(humanDuration(seconds * 1000)).toBe(text)
})

test('a moment that nobody knows is <unknown>', () => {
  expect([since(undefined, 0), since('', 0), since('soon', 0)]).toEqual(['<unknown>', '<unknown>', '<unknown>'])
  expect(since('1970-01-01T00:00:00Z', 61_000)).toBe('61s')
})

test('two units at most, and the smaller never zero', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e12 }), (ms) => {
      expect(humanDuration(ms)).toMatch(/^(0s|[1-9]\d*[smhdy]([1-9]\d*[smhd])?)$/)
    }),
    { numRuns: 300 },
  )
})
