import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../machinery/object.ts'
import { applyDefaults } from './apply.ts'
import { coerceEmbedded } from './coerce-embedded.ts'
import { prune } from './prune-unknown.ts'
import { readStructural } from '../read-schema.ts'

const read = (properties: JsonObject) => readStructural({ type: 'object', properties })

describe('prune', () => {
  const schema = read({
    spec: {
      type: 'object',
      properties: {
        a: { type: 'string' },
        list: { type: 'array', items: { type: 'object', properties: { b: { type: 'string' } } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { b: { type: 'string' } } } },
        any: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object' } },
        },
        embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { b: { type: 'string' } } },
        anyList: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'object' } },
      },
    },
  })

  test('removes unknown fields and says which', () => {
    const { object, unknown } = prune(schema, {
      kind: 'X',
      apiVersion: 'v1',
      metadata: { name: 'x', whatever: 1 },
      zzz: 1,
      spec: { x: 1, a: 'a', list: [{ b: '', c: 1 }, 5], map: { k: { b: '', c: 1 } } },
    })
    expect(object).toEqual({
      kind: 'X',
      apiVersion: 'v1',
      metadata: { name: 'x', whatever: 1 },
      spec: { a: 'a', list: [{ b: '' }, 5], map: { k: { b: '' } } },
    })
    expect(unknown).toEqual([
      'unknown field "spec.list[0].c"',
      'unknown field "spec.map.k.c"',
      'unknown field "spec.x"',
      'unknown field "zzz"',
    ])
  })

  test('gives back the same object when there is nothing to remove', () => {
    const object = { kind: 'X', spec: { list: [{ b: '' }] } }
    expect(prune(schema, object)).toEqual({ object, unknown: [] })
    expect(prune(schema, object).object).toBe(object)
  })

  test('keeps what preserving fields hold, but for what the schema describes again', () => {
    const object = { spec: { any: { x: { y: 1 }, known: { z: 1 } }, anyList: [{ q: 1 }] } }
    expect(prune(schema, object).object).toEqual({
      spec: { any: { x: { y: 1 }, known: {} }, anyList: [{ q: 1 }] },
    })
  })

  test('leaves the type and metadata of embedded resources alone', () => {
    const object = { spec: { embedded: { kind: 'X', metadata: { q: 1 }, b: '', c: 1 } } }
    expect(prune(schema, object).object).toEqual({ spec: { embedded: { kind: 'X', metadata: { q: 1 }, b: '' } } })
  })

  test('empties objects where only scalars are expected', () => {
    expect(prune(schema, { spec: { a: { b: 1 } } })).toEqual({
      object: { spec: { a: {} } },
      unknown: ['unknown field "spec.a.b"'],
    })
  })

  test('survives members that are called like those of every JavaScript object', () => {
    const object: unknown = JSON.parse('{"spec":{"__proto__":1,"constructor":2,"map":{"__proto__":{"b":"","c":1}}}}')
    expect(JSON.stringify(prune(schema, object).object)).toBe('{"spec":{"map":{"__proto__":{"b":""}}}}')
  })
})

describe('applyDefaults', () => {
  test('fills in what is missing, inside of defaults too', () => {
    const schema = read({
      spec: {
        type: 'object',
        default: {},
        properties: {
          a: { type: 'string', default: 'x' },
          b: { type: 'object', properties: { c: { type: 'integer', default: 1 } } },
        },
      },
    })
    expect(applyDefaults(schema, {})).toEqual({ spec: { a: 'x' } })
    expect(applyDefaults(schema, { spec: { b: {} } })).toEqual({ spec: { b: { c: 1 }, a: 'x' } })
  })

  test('fills in items of lists and values of maps', () => {
    const item = { type: 'object', properties: { c: { type: 'integer', default: 1 } } }
    const schema = read({
      list: { type: 'array', items: item },
      map: { type: 'object', additionalProperties: item },
      defaulted: { type: 'array', items: { type: 'string', default: 'd' } },
    })
    expect(applyDefaults(schema, { list: [{}, { c: 2 }], map: { k: {} }, defaulted: [null, 'e'] })).toEqual({
      list: [{ c: 1 }, { c: 2 }],
      map: { k: { c: 1 } },
      defaulted: ['d', 'e'],
    })
  })

  test('a null goes where it may not be, and becomes the default where there is one', () => {
    const schema = read({
      plain: { type: 'string' },
      nullable: { type: 'string', nullable: true, default: 'x' },
      defaulted: { type: 'string', default: 'x' },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      list: { type: 'array', items: { type: 'string' } },
      any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    })
    const object = { plain: null, nullable: null, defaulted: null, map: { a: null }, list: [null], any: { a: null } }
    expect(applyDefaults(schema, object)).toEqual({
      nullable: null,
      defaulted: 'x',
      map: {},
      list: [null],
      any: { a: null },
    })
  })

  test('gives back the same object when nothing is missing', () => {
    const schema = read({ a: { type: 'string', default: 'x' } })
    const object = { a: 'y', b: { c: [] } }
    expect(applyDefaults(schema, object)).toBe(object)
  })
})

test('coerceEmbedded decodes the metadata of embedded resources', () => {
  const schema = read({
    t: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  })
  const text = { kind: 'string', goType: 'string' } as const
  const patch = { merge: false, replace: false, retainKeys: false, mergeKey: undefined }
  const objectMeta = {
    kind: 'object',
    name: 'ObjectMeta',
    struct: 'ObjectMeta',
    goType: 'v1.ObjectMeta',
    fields: new Map([
      ['name', { name: 'name', index: 0, type: text, required: false, omitsEmpty: false, default: undefined, patch }],
    ]),
    atomic: false,
    keepsUnknown: false,
    required: [],
    groupVersionKinds: [],
  } as const
  const object = { t: { kind: 'X', metadata: { name: 'a', x: 1 } }, metadata: { x: 1 } }
  expect(coerceEmbedded(schema, object, objectMeta)).toEqual({
    object: { t: { kind: 'X', metadata: { name: 'a' } }, metadata: { x: 1 } },
    unknown: ['unknown field "t.metadata.x"'],
    error: undefined,
  })
  expect(coerceEmbedded(schema, { t: { kind: 1 } }, objectMeta).error).toMatchObject({ path: 't.kind' })
  expect(coerceEmbedded(schema, { t: { metadata: { name: 1 } } }, objectMeta).error).toMatchObject({
    path: 't.metadata',
  })
})
