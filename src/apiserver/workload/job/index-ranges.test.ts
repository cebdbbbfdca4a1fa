import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { lowestOutside, rangesText, readRanges, sizeOf, withIndexes } from './index-ranges.ts'

const MOST = 2 ** 31 - 1

test('indexes are written as ranges, and read again', () => {
  expect(rangesText(withIndexes([], [4, 0, 2, 3]))).toBe('0,2-4')
  expect(readRanges('0,2-4', 9)).toEqual([
    [0, 0],
    [2, 4],
  ])
  expect(readRanges('', 9)).toEqual([])
})

test('invalid ranges of a Job are left out, and ranges that touch are one', () => {
  expect(readRanges('3-1,x,-1,1e3,0-1,2,5-99999999999,7-8', 8)).toEqual([
    [0, 2],
    [7, 7],
  ])
})

test('ranges cost nothing for their length', () => {
  const most = readRanges(`0-${MOST},5-${MOST}`, MOST)
  expect([sizeOf(most), rangesText(most)]).toEqual([MOST, `0-${MOST - 1}`])
  expect(lowestOutside(most, MOST, 3)).toEqual([])
  expect(lowestOutside([[1, MOST - 10]], MOST, 3)).toEqual([0, MOST - 9, MOST - 8])
})

test('ranges hold what a set of indexes would hold', () => {
  const indexes = fc.array(fc.integer({ min: 0, max: 20 }))
  fc.assert(
    fc.property(
      indexes,
      indexes,
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 0, max: 9 }),
      (a, b, end, most) => {
        const ranges = withIndexes(readRanges(a.join(','), end), b)
        const set = new Set([...a.filter((index) => index < end), ...b])
        expect(sizeOf(ranges)).toBe(set.size)
        const outside = Array.from({ length: end }, (_, index) => index).filter((index) => !set.has(index))
        expect(lowestOutside(ranges, end, most)).toEqual(outside.slice(0, most))
        expect(readRanges(rangesText(ranges), 21)).toEqual(ranges)
      },
    ),
  )
})
