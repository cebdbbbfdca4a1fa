import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fairPick } from './fair-pick.ts'

const groupOf = (row: string): string => row.slice(0, 1)

test('takes the first of each group before the second of any', () => {
  const rows = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']
  expect(fairPick(rows, 4, groupOf)).toEqual({ picked: ['a1', 'b1', 'c1', 'a2'], rest: ['a3', 'a4', 'b2'] })
  expect(fairPick(rows, 2, groupOf)).toEqual({ picked: ['a1', 'b1'], rest: ['a2', 'a3', 'a4', 'c1', 'b2'] })
})

test('loses no row, and leaves one group as it is', () => {
  const row = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat()).map(([group, number]) => `${group}${number}`)
  fc.assert(
    fc.property(fc.array(row), fc.nat(20), (rows, most) => {
      const { picked, rest } = fairPick(rows, most, groupOf)
      expect(picked.length).toBe(Math.min(most, rows.length))
      expect([...picked, ...rest].toSorted()).toEqual(rows.toSorted())
      expect(fairPick(rows, most, () => '').picked).toEqual(rows.slice(0, most))
    }),
  )
})
