// Covers patch.ts and track-update.ts, over versions of a kind.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileSchema, type SchemaDefinitions } from '../type/compile.ts'
import { readStructural } from '../structural/read-schema.ts'
import { typeOf } from '../structural/type-of.ts'
import { applyPatch } from './patch.ts'
import { trackUpdate } from './track-update.ts'

const file = new URL('../../../schemas/kubernetes-1.36-definitions.json', import.meta.url)
const schemas = compileSchema(
  (JSON.parse(readFileSync(file, 'utf8')) as { definitions: SchemaDefinitions }).definitions,
)
const time = '2026-11-21T00:00:00Z'
const entry = (manager: string, apiVersion: string): object => ({
  manager,
  operation: 'Update',
  apiVersion,
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:k': {} } },
})
const config = (data: object, managedFields?: readonly object[]): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', ...(managedFields === undefined ? {} : { managedFields }) },
  data,
})
const namesOf = (entries: readonly object[]): readonly unknown[] =>
  entries.map((one) => (one as { readonly manager?: unknown }).manager)

test('managers of versions that are not served any more are forgotten by the next write', () => {
  const type = schemas.type('io.k8s.api.core.v1.ConfigMap')
  const live = config({ k: 'v' }, [entry('new', 'v1'), entry('old', 'v9')])
  const common = { type, live, apiVersion: 'v1', versions: new Set(['v1']), subresource: '', time }
  const updated = config({ k: 'v', l: 'w' })
  expect(namesOf(trackUpdate({ ...common, updated, manager: 'me' }))).toEqual(['me', 'new'])
  const { versions: _all, ...everything } = common
  expect(namesOf(trackUpdate({ ...everything, updated, manager: 'me' }))).toEqual(['me', 'new', 'old'])
  const result = applyPatch({ ...common, applied: config({ l: 'w' }), manager: 'me', force: false })
  if ('conflicts' in result) throw new Error('there is nothing to fight over')
  expect(namesOf(result.managedFields)).toEqual(['me', 'new'])
})

test('nobody owns the structs that Go always writes, even where the stored object lacks them', () => {
  const live = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', managedFields: [entry('a', 'v1')] } }
  const [own] = trackUpdate({
    type: schemas.type('io.k8s.api.core.v1.ResourceQuota'),
    live,
    updated: { ...live, metadata: { name: 'q' }, status: { used: { pods: '1' } } },
    manager: 'A',
    apiVersion: 'v1',
    subresource: 'status',
    time,
  })
  expect(own?.['fieldsV1']).toEqual({ 'f:status': { 'f:used': { '.': {}, 'f:pods': {} } } })
})

test('a key that an item of a custom resource leaves out has the default of the schema', () => {
  const schema = readStructural({
    type: 'object',
    properties: {
      ports: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
        items: {
          type: 'object',
          required: ['port'],
          properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
        },
      },
    },
  })
  const type = typeOf(schema, {
    objectMeta: schemas.type('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
    groupVersionKind: { group: 'g', version: 'v1', kind: 'K' },
  })
  const object = (ports: readonly object[]): Record<string, unknown> => ({
    apiVersion: 'g/v1',
    kind: 'K',
    metadata: { name: 'a' },
    ports,
  })
  const make = (ports: readonly object[]): unknown =>
    applyPatch({
      type,
      live: undefined,
      applied: object(ports),
      manager: 'me',
      force: false,
      apiVersion: 'g/v1',
      subresource: '',
      time,
    })
  expect(make([{ port: 80 }, { port: 80, protocol: 'UDP' }])).toMatchObject({
    managedFields: [
      {
        fieldsV1: {
          'f:ports': {
            'k:{"port":80,"protocol":"TCP"}': { 'f:port': {} },
            'k:{"port":80,"protocol":"UDP"}': { 'f:port': {}, 'f:protocol': {} },
          },
        },
      },
    ],
  })
  expect(() => make([{ port: 80 }, { port: 80, protocol: 'TCP' }])).toThrow(
    '.ports: duplicate entries for key [port=80,protocol="TCP"]',
  )
})
