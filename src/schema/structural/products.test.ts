// Covers read-schema.ts and value/validate.ts, where lists multiply.
import { describe, expect, test } from 'vitest'
import { growth } from '../../../test/growth.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { readStructural } from './read-schema.ts'
import { validate, validateUpdate } from './value/validate.ts'

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `x${n}`)
const text = { type: 'string' }
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { list: { type: 'array', items, ...more } },
})
const properties = (count: number): JsonObject => Object.fromEntries(names(count).map((name) => [name, text]))
const TOO_MANY = 'the object has too many values for the alternatives and required fields of its schema'

/** A schema and a value of a size each, whose work must not be the product of the two. */
const PRODUCTS: Readonly<Record<string, (count: number) => readonly [schema: JsonObject, items: readonly unknown[]]>> =
  {
    'texts of a long enum': (count) => [list({ ...text, enum: names(count) }), names(count)],
    'texts that a long enum does not list': (count) => [
      list({ ...text, enum: names(count) }),
      names(count).map((name) => `${name}-`),
    ],
    'numbers of a long enum': (count) => [
      list({ type: 'number', enum: names(count).map((_, n) => n) }),
      names(count).map((_, n) => n + 0.5),
    ],
    'objects of a long enum': (count) => {
      const values = names(count).map((name) => ({ name, n: [1] }))
      return [list({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, enum: values }), values]
    },
    'items with many possible members': (count) => [
      list({ type: 'object', properties: properties(count) }),
      names(count).map((name) => ({ [name]: name })),
    ],
    'items with many possible keys': (count) => [
      list(
        { type: 'object', properties: properties(count) },
        { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': names(count) },
      ),
      names(count).map((name) => ({ [name]: name })),
    ],
  }

describe('values times what a schema lists', () => {
  test.each(Object.entries(PRODUCTS))('take time linear in both, not in their product: %s', (_name, make) => {
    const made = new Map<number, () => unknown>()
    const run = (count: number): unknown => {
      let work = made.get(count)
      if (work === undefined) {
        const [schema, items] = make(count)
        const compiled = readStructural(schema)
        const old = { list: items.slice(1) }
        work = () => [validate(compiled, { list: items }), validateUpdate(compiled, { list: items }, old)]
        made.set(count, work)
      }
      return work()
    }
    expect(growth(run, 250, 8)).toBeLessThan(24)
  })

  const ALTERNATIVES: Readonly<Record<string, JsonObject>> = {
    anyOf: list({ ...text, anyOf: names(2000).map((pattern) => ({ enum: [pattern] })) }),
    oneOf: list({ ...text, oneOf: names(2000).map((name) => ({ enum: [name] })) }),
    allOf: list({ ...text, allOf: names(2000).map(() => ({ minLength: 1 })) }),
    not: list({ ...text, not: { anyOf: names(2000).map((name) => ({ enum: [name] })) } }),
    required: list({ type: 'object', required: names(2000) }),
    'lists of alternatives': {
      type: 'object',
      properties: { list: { type: 'array', items: text, anyOf: names(2000).map(() => ({ items: { maxLength: 0 } })) } },
    },
  }
  test.each(Object.entries(ALTERNATIVES))('are refused where there are too many: %s', (name, schema) => {
    const items = names(5000).map(() => (name === 'required' ? {} : 'other'))
    const errors = validate(readStructural(schema), { list: items })
    expect(errors.at(-1)?.detail).toBe(TOO_MANY)
  })

  test('name as many supported values as can be read', () => {
    const errors = validate(readStructural(list({ ...text, enum: names(60_000) })), { list: ['other'] })
    expect(errors[0]?.detail).toMatch(/^supported values: "x0", "x1", .*"x\d+", and \d+ more$/)
    expect(errors[0]?.detail.length).toBeLessThan(100_000)
  })
})
