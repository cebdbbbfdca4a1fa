import { expect, test } from 'vitest'
import { ApiError } from '../../machinery/status.ts'
import { MOST_WEIGHT } from '../../machinery/value-weight.ts'
import { MOST_PATCH_VALUES, refuseLongPatch } from './patch-length.ts'

const codeOf = (patch: unknown, kind = 'Gadget'): number => {
  try {
    refuseLongPatch(patch, kind)
    return 200
  } catch (error) {
    return error instanceof ApiError ? error.status.code : 500
  }
}
const map = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'x']))

test('a patch holds a bounded number of values, in maps and lists, at any depth', () => {
  expect(codeOf(map(MOST_PATCH_VALUES - 1))).toBe(200)
  expect(codeOf(map(MOST_PATCH_VALUES))).toBe(413)
  expect(codeOf({ spec: { list: Array.from({ length: MOST_PATCH_VALUES - 3 }, () => 1) } })).toBe(200)
  expect(codeOf({ spec: { list: Array.from({ length: MOST_PATCH_VALUES - 2 }, () => 1) } })).toBe(413)
  expect(codeOf({ spec: { list: [map(MOST_PATCH_VALUES / 2), map(MOST_PATCH_VALUES / 2)] } })).toBe(413)
})

test('the definition of a kind and a list of operations may hold more, and no more than any body', () => {
  const lists = (count: number): readonly unknown[] => Array.from({ length: count }, () => [])
  // A list weighs ten.
  const [many, tooMany] = [lists(2 * MOST_PATCH_VALUES), lists(MOST_WEIGHT / 10)]
  expect([codeOf({ many }), codeOf({ many }, 'CustomResourceDefinition'), codeOf(many)]).toEqual([413, 200, 200])
  expect([codeOf({ tooMany }, 'CustomResourceDefinition'), codeOf(tooMany)]).toEqual([413, 413])
})
