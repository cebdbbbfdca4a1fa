import { expect, test } from 'vitest'
import { resolveFieldPath } from './crd-schema/field-path.ts'
import { readStructural } from './read-schema.ts'
import { typeOf } from './type-of.ts'

test('a structural schema becomes a type like those of built-in kinds', () => {
  const objectMeta = { kind: 'any', goType: 'v1.ObjectMeta' } as const
  const schema = readStructural({
    type: 'object',
    properties: {
      metadata: { type: 'object' },
      spec: {
        type: 'object',
        required: ['n'],
        'x-kubernetes-map-type': 'atomic',
        properties: {
          n: { type: 'integer', format: 'int32' },
          p: { 'x-kubernetes-int-or-string': true },
          raw: { 'x-kubernetes-preserve-unknown-fields': true },
          map: { type: 'object', additionalProperties: { type: 'number' } },
          list: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            items: { type: 'object' },
          },
        },
      },
    },
  })
  const type = typeOf(schema, { objectMeta, groupVersionKind: { group: 'g', version: 'v1', kind: 'K' } })
  expect([...type.fields.keys()]).toEqual(['apiVersion', 'kind', 'metadata', 'spec'])
  expect(type.fields.get('metadata')?.type).toBe(objectMeta)
  expect(type.groupVersionKinds).toEqual([{ group: 'g', version: 'v1', kind: 'K' }])
  const spec = type.fields.get('spec')?.type
  if (spec?.kind !== 'object') throw new Error('spec is an object')
  expect(spec.atomic).toBe(true)
  expect([...spec.fields.values()].map((field) => [field.name, field.type.kind, field.required])).toEqual([
    ['n', 'int32', true],
    ['p', 'any', false],
    ['raw', 'any', false],
    ['map', 'map', false],
    ['list', 'list', false],
  ])
  expect(spec.fields.get('list')?.type).toMatchObject({ listType: 'map', keys: ['k'] })
})

test('a field path is followed through a schema', () => {
  const text = { type: 'string' }
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { labels: { type: 'object', additionalProperties: text } } } },
  }
  expect(resolveFieldPath(schema, ".spec.labels['a.b']")).toEqual({
    path: 'spec.labels[a.b]',
    root: 'spec',
    schema: text,
  })
  expect(resolveFieldPath(schema, '.spec.other')).toEqual({ problem: 'does not refer to a valid field' })
  expect(resolveFieldPath(schema, 'spec')).toEqual({ problem: 'expected [ or . but got: spec' })
  expect(resolveFieldPath(schema, ".spec['labels']", { brackets: false })).toEqual({
    problem: 'array notation is not allowed',
  })
})
