import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../machinery/object.ts'
import { compileStructural } from '../../schema/structural/compile.ts'
import { validateUpdate } from '../../schema/structural/value/validate.ts'
import { CustomRules, ruleErrors } from './custom-rules.ts'

const AT = 'spec.validation.openAPIV3Schema'
const ADVICE =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'

/** Returns the errors of a schema with these properties below `spec`, as path and detail. */
function errorsOf(properties: JsonObject): readonly (readonly [string, string])[] {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties } } }
  const compiled = compileStructural(schema, { path: AT })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors))
  return ruleErrors(compiled.schema, AT).map(({ path, detail }) => [path, detail ?? ''])
}

const ruled = (schema: JsonObject, ...rules: readonly string[]): JsonObject => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
})
const tags = (more: JsonObject, maxLength?: number): JsonObject => ({
  type: 'array',
  items: { type: 'string', ...(maxLength === undefined ? {} : { maxLength }) },
  ...more,
})

describe('the rules of a definition', () => {
  test('are refused when their estimated cost is beyond the budget, each by itself and all together', () => {
    const rule = `${AT}.properties[spec].properties[tags].x-kubernetes-validations[0].rule`
    expect(errorsOf({ tags: ruled(tags({}), "self.all(x, x.contains('gpu'))") })).toEqual([
      [rule, `estimated rule cost exceeds budget by factor of more than 100x ${ADVICE}`],
      [rule, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'],
      [
        AT,
        `x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${ADVICE}`,
      ],
    ])
  })

  // The largest lists that version 1.36 accepts, found by trying.
  test.each([
    [16, 909_090],
    [63, 333_333],
    [253, 94_339],
    [1024, 24_154],
  ])('that look into texts of %i characters are taken for up to %i of them', (maxLength, maxItems) => {
    const rule = "self.all(x, x.contains('gpu'))"
    expect(errorsOf({ tags: ruled(tags({ maxItems }, maxLength), rule) })).toEqual([])
    expect(errorsOf({ tags: ruled(tags({ maxItems: maxItems + 1 }, maxLength), rule) })).toEqual([
      [
        expect.any(String),
        expect.stringMatching(/^estimated rule cost exceeds budget by factor of 1\.0000\d\dx \(try/),
      ],
    ])
  })

  test('cost as often as their place may occur', () => {
    const item = ruled({ type: 'string', maxLength: 100 }, "self.contains('gpu')")
    const list = (maxItems?: number): JsonObject => ({
      list: { type: 'array', items: item, ...(maxItems === undefined ? {} : { maxItems }) },
    })
    expect(errorsOf(list(10_000))).toEqual([])
    expect(
      errorsOf({ outer: { type: 'array', maxItems: 1000, items: { type: 'object', properties: list(10_000) } } }),
    ).toHaveLength(3)
    expect(errorsOf(list())).toHaveLength(1)
  })

  test('and their messages are counted alike', () => {
    const rules = [{ rule: 'self.a.size() > 0', messageExpression: 'self.a + self.a + self.a' }]
    const schema = { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-validations': rules }
    const [first] = errorsOf({ it: { ...schema, properties: { a: { type: 'string', maxLength: 10 } } } })
    expect(first).toBeUndefined()
    const bomb = { rule: 'true', messageExpression: "self.list.map(x, x + x).join(',')" }
    const properties = { list: { type: 'array', items: { type: 'string' } } }
    expect(errorsOf({ it: { type: 'object', properties, 'x-kubernetes-validations': [bomb] } })[0]).toEqual([
      `${AT}.properties[spec].properties[it].x-kubernetes-validations[0].messageExpression`,
      `estimated messageExpression cost exceeds budget by factor of more than 100x ${ADVICE}`,
    ])
  })

  test('name the four dearest of those that are too dear only together', () => {
    const rule = "self.all(x, x.contains('gpu'))"
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`t${index}`, ruled(tags({ maxItems: 80_000 + index }, 253), rule)]),
    )
    const errors = errorsOf(many)
    expect(errors.map(([path]) => path)).toEqual([
      ...[19, 18, 17, 16].map(
        (index) => `${AT}.properties[spec].properties[t${index}].x-kubernetes-validations[0].rule`,
      ),
      AT,
    ])
    expect(errors.at(-1)?.[1]).toContain('exceeds budget by factor of 1.7x')
  })

  test('are not all compiled when their regular expressions would take long', { timeout: 60_000 }, () => {
    const rules = Array.from({ length: 2000 }, (_, index) => `self.matches('x{1000}${index}')`)
    const errors = errorsOf({ a: ruled({ type: 'string', maxLength: 1 }, ...rules) })
    expect(errors.at(-1)?.[1]).toContain('the regular expressions are too large')
  })
})

describe('oldSelf', () => {
  const same = 'self == oldSelf'
  const SPEC = `${AT}.properties[spec]`
  const refused = (rule: string, within: string) => [
    [
      `${SPEC}.${rule}.x-kubernetes-validations[0].rule`,
      `oldSelf cannot be used on the uncorrelatable portion of the schema within ${SPEC}.${within}`,
    ],
  ]
  const text = ruled({ type: 'string', maxLength: 9 }, same)
  const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: 'array',
    maxItems: 3,
    items,
    ...more,
  })
  const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: 'object',
    properties,
    ...more,
  })
  const name = { type: 'string', maxLength: 9 }

  test.each([
    ['items of a list', list(text), 'items', ''],
    ['items of a set', list(text, { 'x-kubernetes-list-type': 'set' }), 'items', ''],
    ['what lies deep below them', list(object({ b: list(text) })), 'items.properties[b].items', ''],
  ])('is refused for %s', (_, schema, below) => {
    expect(errorsOf({ a: schema })).toEqual(refused(`properties[a].${below}`, 'properties[a]'))
  })

  test('is taken for the list itself, for items that have keys, and for values that have names', () => {
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }
    expect(
      errorsOf({
        a: ruled(list(name), same),
        b: list(object({ name, value: text }, { required: ['name'] }), keyed),
        c: { type: 'object', maxProperties: 3, additionalProperties: text },
        d: ruled(object({ b: name }, { 'x-kubernetes-map-type': 'atomic' }), same),
      }),
    ).toEqual([])
  })

  test.each(['atomic', 'granular'])('is taken at every depth of a map of type %s, and compares there', (mapType) => {
    const map = { 'x-kubernetes-map-type': mapType }
    const schema = {
      type: 'object',
      properties: {
        a: object(
          {
            b: text,
            c: object({ d: text }, map),
            e: { type: 'object', maxProperties: 3, additionalProperties: text, ...map },
          },
          map,
        ),
      },
    }
    const compiled = compileStructural(schema, { path: AT })
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors))
    expect(ruleErrors(compiled.schema, AT)).toEqual([])
    const old = { a: { b: 'x', c: { d: 'x' }, e: { f: 'x' } } }
    const next = { a: { b: 'y', c: { d: 'y' }, e: { f: 'y', g: 'new' } } }
    const evaluate = new CustomRules().evaluator()
    expect(validateUpdate(compiled.schema, next, old, { evaluate }).map(({ path }) => path)).toEqual([
      'a.b',
      'a.c.d',
      'a.e[f]',
    ])
  })

  test.each([true, false])('that is not used may not be said to be optional (%s)', (optionalOldSelf) => {
    const rules = (rule: string) => ({ ...name, 'x-kubernetes-validations': [{ rule, optionalOldSelf }] })
    expect(errorsOf({ a: rules("self != ''") })).toEqual([
      [
        `${SPEC}.properties[a].x-kubernetes-validations[0].optionalOldSelf`,
        'may not be set if oldSelf is not used in rule',
      ],
    ])
    const used = optionalOldSelf ? 'oldSelf.hasValue()' : same
    expect(errorsOf({ a: rules(used) })).toEqual([])
  })
})
