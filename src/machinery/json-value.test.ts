import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonEqual } from './json-value.ts'

test.each([
  [1, 1, true],
  [1, '1', false],
  [null, undefined, false],
  [null, {}, false],
  [[], {}, false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1 }, { a: 1, b: null }, false],
  [{ a: undefined }, {}, true],
  [{ a: 1 }, { a: 1, constructor: 'x' }, false],
  [{ toString: 'x' }, { toString: 'x' }, true],
  [JSON.parse('{"__proto__":{}}'), {}, false],
  [[1, 2], [2, 1], false],
  [[1], [1, undefined], false],
  [{ a: [{ b: null }] }, { a: [{ b: null }] }, true],
])('%j and %j: %s', (a, b, equal) => {
  expect([jsonEqual(a, b), jsonEqual(b, a)]).toEqual([equal, equal])
})

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, shuffled(inner)]),
  )
}

test('a copy with its keys in another order is equal, one with a change is not', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), fc.string(), (value, key) => {
      const copy = shuffled(JSON.parse(JSON.stringify(value)))
      expect(jsonEqual(JSON.parse(JSON.stringify(value)), copy)).toBe(true)
      expect(jsonEqual(value, { ...value, [`${key}!`]: { new: true } })).toBe(false)
    }),
    { numRuns: 200 },
  )
})
