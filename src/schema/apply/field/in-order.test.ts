import { expect, test } from 'vitest'
import { inOrder } from './in-order.ts'

const byKey = (a: readonly [number, string], b: readonly [number, string]): number => a[0] - b[0]
const shuffled = (length: number) =>
  Array.from({ length }, (_, at) => [(at * 7919) % Math.max(1, length >> 1), `item ${at}`] as const)

test.each([0, 1, 2, 31, 32, 33, 500])('%i items come in order, equal ones as they came', (length) => {
  const items = shuffled(length)
  expect(inOrder(items, byKey)).toEqual(items.toSorted(byKey))
})

test('items that are in order are given back as they are, and others are not touched', () => {
  const ordered = [
    [1, 'a'],
    [1, 'b'],
    [2, 'c'],
  ] as const
  expect(inOrder(ordered, byKey)).toBe(ordered)
  const disordered = [
    [2, 'a'],
    [1, 'b'],
  ] as const
  inOrder(disordered, byKey)
  expect(disordered[0]).toEqual([2, 'a'])
})
