import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../machinery/object.ts'
import { mergeDiff } from './merge-diff.ts'
import { mergePatch } from './merge.ts'

const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean())
const { object } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf, { maxLength: 3 }), tie('object')),
  object: fc.dictionary(fc.string({ maxLength: 2 }), tie('value'), { maxKeys: 4 }),
}))
const trees = object as fc.Arbitrary<JsonObject>

test('a merge patch of the difference makes the one of the other', () => {
  fc.assert(
    fc.property(trees, trees, (old, updated) => {
      expect(mergePatch(old, mergeDiff(old, updated) ?? {})).toEqual(updated)
    }),
  )
})

test('equal objects have no differences, and only differences are reported', () => {
  fc.assert(
    fc.property(trees, (tree) => {
      expect(mergeDiff(tree, structuredClone(tree))).toBeUndefined()
    }),
  )
  const old = { claims: { a: [1], b: [2] }, count: 2, gone: 'x' }
  expect(mergeDiff(old, { claims: { a: [1], b: [3], c: [] }, count: 2 })).toEqual({
    claims: { b: [3], c: [] },
    gone: null,
  })
  expect(mergeDiff(undefined, { a: {} })).toEqual({ a: {} })
})
