import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonicalFields,
  difference,
  EMPTY,
  type FieldSet,
  fieldSet,
  intersection,
  isSubset,
  pathTexts,
  recursiveDifference,
  union,
} from './field-set.ts'

const element = fc.constantFrom(
  'f:a',
  'f:b',
  'k:{"name":"x"}',
  'k:{"port":80,"protocol":"TCP"}',
  'v:"x"',
  'v:2',
  'v:10',
  'i:0',
)
const path = fc.array(element, { minLength: 1, maxLength: 4 })
const set = fc.array(path, { maxLength: 8 }).map((paths) =>
  paths.reduce<FieldSet>(
    (all, one) =>
      union(
        all,
        one.reduceRight<FieldSet>((child, at) => ({ [at]: child }), {}),
      ),
    EMPTY,
  ),
)
const text = (value: unknown): string => JSON.stringify(value)

describe('field sets', () => {
  test('are written in the order of upstream: itself, fields, keys, values, places', () => {
    const fields = {
      'i:10': {},
      'i:9': {},
      'v:10': {},
      'v:9': {},
      'v:"a"': {},
      'v:true': {},
      'f:b': {},
      'f:a': { 'f:c': {}, '.': {} },
    }
    expect(text(canonicalFields({ 'k:{"port":8080}': {}, 'k:{"port":80}': {}, ...fields }))).toBe(
      '{"f:a":{".":{},"f:c":{}},"f:b":{},"k:{\\"port\\":80}":{},"k:{\\"port\\":8080}":{},"v:9":{},"v:10":{},"v:\\"a\\"":{},"v:true":{},"i:9":{},"i:10":{}}',
    )
  })

  test('are read with keys in any order and spelling, and without elements of unknown types', () => {
    expect(canonicalFields({ 'k:{ "b": 1, "a": "x" }': {}, 'q:what': {} })).toEqual({ 'k:{"a":"x","b":1}': {} })
    expect(canonicalFields({ 'k:{"a":"<"}': {} })).toEqual({ 'k:{"a":"\\u003c"}': {} })
  })

  test('cannot be read where an element has no type or is invalid JSON', () => {
    for (const bad of [{ a: {} }, { name: {} }, { 'k:{': {} }, { 'k:[]': {} }, { 'i:x': {} }, [], null, { 'f:a': 1 }]) {
      expect(() => canonicalFields(bad)).toThrow()
    }
  })

  test('cannot be read where a number is beyond every float', () => {
    for (const bad of [{ 'v:1e400': {} }, { 'k:{"port":-1e999}': {} }, { 'v:[[1e400]]': {} }])
      expect(() => canonicalFields(bad)).toThrow('invalid path element')
  })

  test('print their paths as messages do', () => {
    const fields = {
      'f:spec': {
        'f:a': { 'k:{"name":"x","port":80}': { '.': {}, 'f:b': {} } },
        'f:s': { 'v:"x"': {} },
        'f:l': { 'i:0': {} },
        'f:z': {},
      },
    }
    expect(pathTexts(fields)).toEqual([
      '.spec.z',
      '.spec.a[name="x",port=80]',
      '.spec.a[name="x",port=80].b',
      '.spec.s[="x"]',
      '.spec.l[0]',
    ])
  })

  test('subtract exactly, or with all that is below', () => {
    const a = canonicalFields({ 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {} })
    expect(difference(a, fieldSet(['a']))).toEqual({ 'f:a': { 'f:b': {} }, 'f:c': {} })
    expect(recursiveDifference(a, fieldSet(['a']))).toEqual({ 'f:c': {} })
    expect(recursiveDifference(a, fieldSet(['a', 'b']))).toEqual({ 'f:a': {}, 'f:c': {} })
  })

  test('encode and decode to themselves', () => {
    fc.assert(fc.property(set, (a) => text(canonicalFields(JSON.parse(text(a)))) === text(a)))
  })

  test('obey the laws of sets', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        expect(text(union(a, b))).toBe(text(union(b, a)))
        expect(union(a, a)).toBe(a)
        expect(text(union(difference(a, b), intersection(a, b)))).toBe(text(a))
        expect(text(intersection(a, b))).toBe(text(intersection(b, a)))
        expect(text(difference(union(a, b), b))).toBe(text(difference(a, b)))
        expect(isSubset(a, union(a, b)) && isSubset(intersection(a, b), a)).toBe(true)
        expect(text(canonicalFields(union(a, b)))).toBe(text(union(a, b)))
        expect(isSubset(recursiveDifference(a, b), difference(a, b))).toBe(true)
      }),
    )
  })
})
