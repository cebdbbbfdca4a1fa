import { describe, expect, test } from 'vitest'
import { parseJson } from '../machinery/json-text.ts'
import { rawNumber } from '../machinery/json-value.ts'
import type { JsonObject } from '../machinery/object.ts'
import { escapeField, unescapeField } from './types/field-name.ts'
import { compileCel } from './program.ts'
import { MAX_REQUEST_BYTES, shapeOfSchema } from './types/schema-shape.ts'
import type { SchemaShape } from './types/schema-shape.ts'

const untyped = (expression: string, object: unknown): unknown =>
  compileCel(expression, { variables: { object: {} } }).evaluate({ object })

const shapeOf = (properties: JsonObject, root = false): SchemaShape =>
  shapeOfSchema({ type: 'object', properties }, root, 'selfType')!

function typed(expression: string, properties: JsonObject, self: unknown): unknown {
  return compileCel(expression, { variables: { self: { shape: shapeOf(properties) } } }).evaluate({ self })
}

describe('numbers of JSON without a schema', () => {
  test.each([
    [3, 'int'],
    [-0, 'int'],
    [1.5, 'double'],
    [1e300, 'double'],
    [2 ** 63, 'double'],
    [-(2 ** 63), 'int'],
    [5n, 'int'],
    [rawNumber('9223372036854775807'), 'int'],
    [rawNumber('9223372036854775808'), 'double'],
    [rawNumber('1.0'), 'double'],
    [rawNumber('1e3'), 'double'],
  ])('%s is of type %s', (value, type) => {
    expect(untyped(`type(object.n) == ${type}`, { n: value })).toBe(true)
  })

  test('no digit of a large integer is lost', () => {
    const object = parseJson('{"n": 9007199254740993}')
    expect(untyped('object.n', object)).toBe(9007199254740993n)
    expect(untyped('string(object.n)', object)).toBe('9007199254740993')
  })

  test('objects and lists are seen through, not copied', () => {
    const object = Object.freeze({ list: Object.freeze([Object.freeze({ a: 1 })]) })
    expect(untyped('object.list[0].a + size(object.list)', object)).toBe(2n)
  })

  test('a member called __proto__ or constructor is one only when it is there', () => {
    expect(untyped('has(object.constructor) || has(object.__proto__)', {})).toBe(false)
    expect(untyped('object.__proto__', parseJson('{"__proto__": 1}'))).toBe(1n)
  })
})

describe('values of a schema', () => {
  test('an integer where a double is declared is a double, and the other way about a failure', () => {
    expect(typed('self.d / 2.0', { d: { type: 'number' } }, { d: 3 })).toBe(1.5)
    expect(() => typed('self.i + 1', { i: { type: 'integer' } }, { i: 1.5 })).toThrow(
      'invalid data, expected int, got float64',
    )
    expect(() => typed("self.s + ''", { s: { type: 'string' } }, { s: 1 })).toThrow(
      'invalid data, expected string, got int64',
    )
  })

  test('formats give times, spans and bytes', () => {
    const format = (name: string): JsonObject => ({ a: { type: 'string', format: name } })
    expect(typed('self.a.getFullYear()', format('date-time'), { a: '2026-11-21T10:00:00Z' })).toBe(2026n)
    expect(typed('self.a.getDate()', format('date'), { a: '2026-11-21' })).toBe(21n)
    expect(typed("self.a > duration('59m')", format('duration'), { a: '1h' })).toBe(true)
    expect(typed("self.a == duration('72h')", format('duration'), { a: '3 days' })).toBe(true)
    expect(typed("self.a == b'abc'", format('byte'), { a: 'YWJj' })).toBe(true)
    expect(() => typed('self.a.getDate() > 0', format('date'), { a: 'x' })).toThrow('Invalid date formatted string x')
    expect(() => typed("self.a == b''", format('byte'), { a: '?' })).toThrow('Invalid byte formatted string ?')
  })

  test('an int-or-string is either, and its type is asked for', () => {
    const properties = { port: { 'x-kubernetes-int-or-string': true } }
    const rule = "type(self.port) == int ? self.port < 100 : self.port == 'http'"
    expect(typed(rule, properties, { port: 80 })).toBe(true)
    expect(typed(rule, properties, { port: 'http' })).toBe(true)
    expect(() => typed(rule, properties, { port: 1.5 })).toThrow('expected XIntOrString')
  })

  test('a set is equal whatever its order, and takes what is new', () => {
    const properties = { set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } } }
    expect(typed("self.set == ['b', 'a']", properties, { set: ['a', 'b'] })).toBe(true)
    expect(typed("self.set + ['b', 'c'] == ['c', 'b', 'a']", properties, { set: ['a', 'b'] })).toBe(true)
  })

  test('a list of type map goes by its keys', () => {
    const items = { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } }
    const keyed = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items }
    const shape = shapeOfSchema(keyed, false, 'selfType')!
    const ask = (expression: string, self: unknown, oldSelf: unknown): unknown =>
      compileCel(expression, { variables: { self: { shape }, oldSelf: { shape } } }).evaluate({ self, oldSelf })
    const [a, b, c] = [
      { k: 'a', v: 1 },
      { k: 'b', v: 2 },
      { k: 'a', v: 9 },
    ]
    expect(ask('self == oldSelf', [a, b], [b, a])).toBe(true)
    expect(ask('self == oldSelf', [a], [c])).toBe(false)
    expect(ask('(self + oldSelf).map(e, e.v)', [a, b], [c])).toMatchObject({ items: [9n, 2n] })
  })

  test('a member that the schema does not name is not a field, but counts when objects are compared', () => {
    const properties = {
      a: { type: 'object', properties: { x: { type: 'integer' } } },
      b: { type: 'object', properties: { x: { type: 'integer' } } },
    }
    expect(() => typed('self.a.y', properties, {})).toThrow("undefined field 'y'")
    expect(
      typed(
        'self.a.map(k, k).size()',
        { a: { type: 'object', additionalProperties: { type: 'string' } } },
        { a: { q: '' } },
      ),
    ).toBe(1n)
    const compare = compileCel('self == oldSelf', {
      variables: {
        self: { shape: shapeOf(properties.a.properties) },
        oldSelf: { shape: shapeOf(properties.a.properties) },
      },
    })
    expect(compare.evaluate({ self: { x: 1, y: [1] }, oldSelf: { x: 1, y: [2] } })).toBe(false)
    expect(compare.evaluate({ self: { x: 1, y: [1] }, oldSelf: { x: 1, y: [1] } })).toBe(true)
  })

  test('a null is there only where the schema says that it may be', () => {
    expect(typed('has(self.a)', { a: { type: 'string', nullable: true } }, { a: null })).toBe(false)
    expect(
      typed(
        'self.a[0] == null',
        { a: { type: 'array', items: { type: 'string', nullable: true, 'x-kubernetes-int-or-string': true } } },
        { a: [null] },
      ),
    ).toBe(true)
  })
})

describe('names of fields', () => {
  test.each([
    ['x-prop', 'x__dash__prop'],
    ['a.b', 'a__dot__b'],
    ['a/b', 'a__slash__b'],
    ['redact__d', 'redact__underscores__d'],
    ['namespace', '__namespace__'],
    ['in', '__in__'],
    ['plain_1', 'plain_1'],
    ['_', '_'],
  ])('%s is reached as %s', (property, name) => {
    expect(escapeField(property)).toBe(name)
    expect(unescapeField(name)).toBe(property)
    expect(typed(`self.${name}`, { [property]: { type: 'integer' } }, { [property]: 4 })).toBe(4n)
  })

  test.each(['', '1a', 'é', 'a b', '$x'])('no name reaches %j', (property) => {
    expect(escapeField(property)).toBeUndefined()
  })

  const LITERALS = ['true', 'false', 'null', 'in']
  const KEYWORDS =
    'as break const continue else for function if import let loop package namespace return var void while'.split(' ')

  describe.each(KEYWORDS)('the keyword %s', (keyword) => {
    const properties: JsonObject = { [keyword]: { type: 'array', items: { type: 'integer' } } }
    const self = { [keyword]: [4] }

    test.each([`self.${keyword}`, `self.__${keyword}__`])('names a field as %s', (name) => {
      expect(typed(`${name}[0] == 4 && has(${name})`, properties, self)).toBe(true)
      const [before, after] = name.split('.')
      expect(typed(`${before}.?${after}.orValue([]).size() == 1`, properties, self)).toBe(true)
      expect(typed(`has(${name})`, properties, {})).toBe(false)
    })

    test('costs the same under either name', () => {
      const [plain, escaped] = [keyword, `__${keyword}__`].map((name) =>
        compileCel(`self.${name}.all(x, x > 3)`, { variables: { self: { shape: shapeOf(properties) } } }),
      )
      expect(plain!.estimatedCost).toEqual(escaped!.estimatedCost)
      expect(plain!.run({ self }).cost).toBe(escaped!.run({ self }).cost)
    })

    test('names no field that the schema does not have, and no variable', () => {
      expect(() => typed(`self.${keyword} == 1`, { other: { type: 'integer' } }, {})).toThrow(
        `undefined field '${keyword}'`,
      )
      expect(() => typed(`${keyword} == 1`, properties, self)).toThrow(`reserved identifier: ${keyword}`)
    })
  })

  test.each(LITERALS)('the literal %s names a field only by its escape', (literal) => {
    const properties: JsonObject = { [literal]: { type: 'integer' } }
    expect(typed(`self.__${literal}__ == 4`, properties, { [literal]: 4 })).toBe(true)
    expect(() => typed(`self.${literal} == 4`, properties, { [literal]: 4 })).toThrow('Syntax error')
  })

  test('a name that escapes nothing that exists reaches nothing', () => {
    expect(unescapeField('a__nope__b')).toBeUndefined()
    expect(unescapeField('__int__')).toBeUndefined()
  })
})

describe('shapes', () => {
  test('the root of a resource has apiVersion, kind and metadata.name, and what else it declares', () => {
    const shape = shapeOf(
      {
        metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } },
        spec: { type: 'object' },
      },
      true,
    )
    expect([...shape.fields!.keys()]).toEqual(['metadata', 'spec', 'apiVersion', 'kind'])
    expect([...shape.fields!.get('metadata')!.fields!.keys()]).toEqual(['name', 'generateName'])
  })

  test('sizes come from the schema, else from the largest request', () => {
    const shape = shapeOf({
      short: { type: 'string', maxLength: 3 },
      long: { type: 'string' },
      list: { type: 'array', items: { type: 'boolean' } },
    })
    const size = (name: string): number => shape.fields!.get(name)!.maxElements
    expect(size('short')).toBe(12)
    expect(size('long')).toBe(MAX_REQUEST_BYTES - 2)
    expect(size('list')).toBe(Math.floor((MAX_REQUEST_BYTES - 2) / 5))
  })

  test('a list without items, or of what CEL cannot see, is not seen', () => {
    expect(shapeOfSchema({ type: 'array' }, false, 'x')).toBeUndefined()
    expect(shapeOf({ a: { 'x-kubernetes-preserve-unknown-fields': true } }).fields!.size).toBe(0)
  })
})
