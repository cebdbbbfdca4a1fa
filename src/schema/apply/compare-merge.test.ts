// Covers merge.ts and field/compare-objects.ts.
import { describe, expect, test } from 'vitest'
import { compileSchema, type SchemaNode } from '../type/compile.ts'
import { compareShaped } from './field/compare-objects.ts'
import { fieldSetOf } from './field/field-set-of.ts'
import { merge } from './merge.ts'
import { isSameNumber } from './field/same-number.ts'
import { shapeOf } from './field/merge-shape.ts'
import { typeErrors, typeErrorText } from './field/validate-typed.ts'
import { jsonEqual, rawNumber } from '../../machinery/json-value.ts'

const compare = (of: Parameters<typeof shapeOf>[0], old: unknown, updated: unknown) =>
  compareShaped(shapeOf(of), old, updated)
const string = { type: 'string' }
const list = (items: SchemaNode, kind: string, ...keys: string[]): SchemaNode => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': kind,
  ...(keys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': keys }),
})
const item = { type: 'object', properties: { name: string, value: string, tags: list(string, 'set') } }
const type = compileSchema({}).inline({
  type: 'object',
  properties: {
    items: list(item, 'map', 'name'),
    pairs: list({ type: 'object', properties: { a: string, b: string } }, 'map', 'b', 'a'),
    set: list(string, 'set'),
    atomic: list(item, 'atomic'),
    labels: { type: 'object', additionalProperties: string },
    whole: { type: 'object', properties: { x: string }, 'x-kubernetes-map-type': 'atomic' },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    keeps: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { inner: { type: 'object', properties: { a: string } } },
    },
    count: { type: 'integer' },
    on: { type: 'boolean' },
  },
})
const shape = shapeOf(type)
const names = (...all: string[]): { items: { name: string }[] } => ({ items: all.map((name) => ({ name })) })
const order = (value: unknown): string => (value as ReturnType<typeof names>).items.map(({ name }) => name).join('')

describe('fieldSetOf', () => {
  test('claims leaves, items and entries but not the structs and lists around them', () => {
    const value = {
      items: [{ name: 'x', tags: ['t'] }],
      labels: { a: '1' },
      whole: { x: '1' },
      atomic: [],
      set: [],
      count: 1,
    }
    expect(fieldSetOf(shape, value)).toEqual({
      'f:atomic': {},
      'f:count': {},
      'f:items': { 'k:{"name":"x"}': { '.': {}, 'f:name': {}, 'f:tags': { 'v:"t"': {} } } },
      'f:labels': { 'f:a': {} },
      'f:whole': {},
    })
  })

  test('claims what is null or an empty object', () => {
    expect(fieldSetOf(shape, { labels: {}, items: null, count: null })).toEqual({
      'f:count': {},
      'f:items': {},
      'f:labels': {},
    })
  })

  test('deduces the types of what the schema leaves open', () => {
    expect(fieldSetOf(shape, { free: { a: { b: 1 }, c: [{ d: 1 }] }, keeps: { inner: { z: { y: 1 } } } })).toEqual({
      'f:free': { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {} },
      'f:keeps': { 'f:inner': { 'f:z': { '.': {}, 'f:y': {} } } },
    })
  })
})

describe('compare', () => {
  test('reports the fields that were added, changed and removed', () => {
    const old = { items: [{ name: 'x', value: '1' }, { name: 'y' }], labels: { a: '1' }, set: ['a', 'b'] }
    const updated = {
      items: [
        { name: 'z', tags: ['t'] },
        { name: 'x', value: '2' },
      ],
      set: ['b', 'c'],
      count: 1,
    }
    expect(compare(type, old, updated)).toEqual({
      added: {
        'f:count': {},
        'f:items': { 'k:{"name":"z"}': { '.': {}, 'f:name': {}, 'f:tags': { '.': {}, 'v:"t"': {} } } },
        'f:set': { 'v:"c"': {} },
      },
      modified: { 'f:items': { 'k:{"name":"x"}': { 'f:value': {} } } },
      removed: {
        'f:items': { 'k:{"name":"y"}': { '.': {}, 'f:name': {} } },
        'f:labels': { '.': {}, 'f:a': {} },
        'f:set': { 'v:"a"': {} },
      },
    })
  })

  test('takes atomic values as one, and sees empty become null', () => {
    expect(
      compare(type, { whole: { x: '1' }, atomic: [{ name: 'a' }] }, { whole: { x: '2' }, atomic: [] }).modified,
    ).toEqual({
      'f:atomic': {},
      'f:whole': {},
    })
    expect(compare(type, { labels: {}, items: [] }, { labels: null, items: null }).modified).toEqual({
      'f:items': {},
      'f:labels': {},
    })
    expect(compare(type, { labels: null }, { labels: { a: '1' } }).added).toEqual({ 'f:labels': { 'f:a': {} } })
  })

  test('takes duplicates as one', () => {
    const twice = {
      items: [
        { name: 'a', value: '1' },
        { name: 'a', value: '2' },
      ],
    }
    const other = {
      items: [
        { name: 'a', value: '1' },
        { name: 'a', value: '3' },
      ],
    }
    expect(compare(type, twice, other).modified).toEqual({ 'f:items': { 'k:{"name":"a"}': {} } })
    expect(compare(type, twice, names('a'))).toMatchObject({
      added: { 'f:items': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} } } },
      removed: { 'f:items': { 'k:{"name":"a"}': {} } },
    })
    expect(compare(type, names('a'), twice)).toMatchObject({
      added: { 'f:items': { 'k:{"name":"a"}': {} } },
      removed: { 'f:items': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} } } },
    })
  })

  test('sees a free value change its form', () => {
    expect(compare(type, { free: { a: { b: 1 } } }, { free: { a: 1 } })).toEqual({
      added: {},
      modified: { 'f:free': { 'f:a': {} } },
      removed: { 'f:free': { 'f:a': { 'f:b': {} } } },
    })
  })

  test('is not misled by names that objects inherit', () => {
    expect(compare(type, { labels: { a: '1' } }, { labels: { a: '1', constructor: 'x' } }).added).toEqual({
      'f:labels': { 'f:constructor': {} },
    })
  })
})

describe('merge', () => {
  test('keeps the order of the applied list, and other items near their neighbours', () => {
    expect(order(merge(type, names('a', 'b', 'c'), names('c', 'a')))).toBe('bca')
    expect(order(merge(type, names('a', 'b'), names('x')))).toBe('abx')
    expect(order(merge(type, names('a', 'b', 'c', 'd'), names('b', 'x', 'd')))).toBe('abcxd')
    expect(order(merge(type, names('a', 'b'), names('x', 'a')))).toBe('xab')
  })

  test('merges items by all their keys', () => {
    const live = { pairs: [{ a: '1', b: '1' }, { a: '1' }] }
    expect(merge(type, live, { pairs: [{ a: '1' }] })).toBe(live)
    expect(merge(type, live, { pairs: [{ a: '2', b: '1' }] })).toEqual({ pairs: [...live.pairs, { a: '2', b: '1' }] })
  })

  test('replaces what is atomic and shares what does not change', () => {
    const live = { whole: { x: '1' }, labels: { a: '1' }, items: [{ name: 'a' }] }
    const merged = merge(type, live, { whole: { x: '2' }, labels: { a: '1' }, items: [{ name: 'a' }] }) as typeof live
    expect(merged).toEqual({ ...live, whole: { x: '2' } })
    expect(merged.labels).toBe(live.labels)
    expect(merged.items).toBe(live.items)
    expect(merge(type, live, { labels: { a: '1' } })).toBe(live)
  })

  test('null takes a scalar away, but no object or list with content', () => {
    expect(
      merge(
        type,
        { count: 1, labels: { a: '1' }, items: [{ name: 'a' }], whole: { x: '1' } },
        { count: null, labels: null, items: null, whole: null },
      ),
    ).toEqual({
      count: null,
      labels: { a: '1' },
      items: [{ name: 'a' }],
      whole: null,
    })
  })
})

describe('typeErrors', () => {
  test.each([
    [{ nope: 1 }, '.nope: field not declared in schema'],
    [{ labels: 'x' }, '.labels: expected map, got &{x}'],
    [{ items: {} }, '.items: expected list, got &{map[]}'],
    [{ count: '1' }, '.count: expected numeric (int or float), got string'],
    [{ on: 1 }, '.on: expected boolean, got &{1}'],
    [{ set: ['a', 'a'] }, '.set: duplicate entries for key [="a"]'],
    [names('a', 'b', 'a'), '.items: duplicate entries for key [name="a"]'],
    [
      { items: [{ value: '1' }] },
      `.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
    ],
    [{ items: [null] }, '.items: element 0: associative list with keys may not have a null element'],
    [{ set: [null] }, ".set: element 0: associative list without keys has an element that's an explicit null"],
    [
      { items: [{ name: 'a', tags: [{}] }] },
      `.items[name="a"].tags: element 0: associative list without keys has an element that's a map type`,
    ],
    [{ whole: 1, set: 1 }, 'errors:\n  .whole: expected map, got &{1}\n  .set: expected list, got &{1}'],
  ])('says what is wrong with %j', (value, message) => {
    expect(typeErrorText(typeErrors(shape, value))).toBe(message)
  })

  test('finds nothing wrong with nulls and free values', () => {
    expect(
      typeErrors(shape, { items: null, labels: { a: null }, free: { a: [{}, 1] }, keeps: { inner: { z: 1 } } }),
    ).toEqual([])
  })
})

test('numbers are the same whatever their spelling', () => {
  expect(jsonEqual({ a: [rawNumber('1.0')] }, { a: [1] }, isSameNumber)).toBe(true)
  expect(jsonEqual(rawNumber('1.0'), rawNumber('1.00'), isSameNumber)).toBe(true)
  expect(jsonEqual(rawNumber('9007199254740993'), rawNumber('9007199254740992'), isSameNumber)).toBe(false)
  expect(jsonEqual({ a: 1 }, { b: 1 }, isSameNumber)).toBe(false)
  expect(jsonEqual([1], { 0: 1 }, isSameNumber)).toBe(false)
})
