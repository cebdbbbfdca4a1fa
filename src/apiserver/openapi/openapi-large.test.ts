// Covers openapi.ts, with many large definitions.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import protobuf from 'protobufjs/light.js'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../machinery/object.ts'
import { builtinResources } from '../resource/builtin-resources.ts'
import type { ServedResource } from '../resource/served-resource.ts'
import { openApiFactory } from './openapi.ts'

const data = (file: string) => JSON.parse(readFileSync(new URL(`../../../schemas/${file}`, import.meta.url), 'utf8'))
const { messages } = data('openapi-v2-protobuf.json')
const builtin = builtinResources(data('kubernetes-1.36-resources.json'))
const factory = () =>
  openApiFactory({
    definitions: data('kubernetes-1.36-definitions.json').definitions,
    messages,
    version: 'v1.36.0',
    hash: (content) => createHash('sha256').update(content).digest('hex'),
  })

const resourceOf = (kind: string, schema: JsonObject): ServedResource => ({
  group: 'shop.example.com',
  version: 'v1',
  resource: `${kind.toLowerCase()}s`,
  kind,
  listKind: `${kind}List`,
  singular: kind.toLowerCase(),
  namespaced: true,
  custom: true,
  verbs: ['get', 'list'],
  subresources: [],
  schema,
})

const STEPS: readonly ((child: JsonObject) => JsonObject)[] = [
  (child) => ({ type: 'object', properties: { a: child } }),
  (child) => ({ type: 'array', items: child }),
  (child) => ({ type: 'object', additionalProperties: child }),
]

function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string', default: 'a', enum: ['a'], 'x-kubernetes-map-type': 'atomic' }
  for (let level = 0; level < levels; level++) schema = STEPS[level % STEPS.length]?.(schema) ?? schema
  return { type: 'object', properties: { spec: schema } }
}

function namesInProtobuf(body: Uint8Array): readonly string[] {
  const document = protobuf.Root.fromJSON({ nested: messages }).lookupType('Document')
  const { definitions } = document.toObject(document.decode(body))
  return definitions.additionalProperties.map(({ name }: { readonly name: string }) => name)
}

describe('the documents that all definitions share', () => {
  test.each([30, 31, 45, 200, 30_000])('are served with a schema that is %i levels deep', (levels) => {
    const shallow = resourceOf('Widget', nested(2))
    const documents = factory()([...builtin, shallow, resourceOf('Deep', nested(levels))])
    const names = ['com.example.shop.v1.Deep', 'com.example.shop.v1.Widget', 'io.k8s.api.core.v1.Pod']
    expect(namesInProtobuf(documents.v2Protobuf().body)).toEqual(expect.arrayContaining(names))
    const { definitions } = JSON.parse(documents.v2Json().body)
    expect(Object.keys(definitions)).toEqual(expect.arrayContaining(names))
    expect(definitions['com.example.shop.v1.Widget'].properties).toHaveProperty('spec')
    expect(JSON.parse(documents.v3Index().body).paths).toHaveProperty('apis/shop.example.com/v1')
    const { schemas } = JSON.parse(documents.v3('apis/shop.example.com/v1')?.body ?? '{}').components
    expect(schemas).toHaveProperty(['com.example.shop.v1.Deep', 'x-kubernetes-group-version-kind'])
    expect(schemas['com.example.shop.v1.Widget'].properties).toHaveProperty('spec')
  })
})

describe('a definition that is new', () => {
  test('leaves the definitions of the other kinds of its group version as they were made', () => {
    let read = 0
    const first = resourceOf('Widget', {})
    const counted: ServedResource = Object.defineProperty({ ...first }, 'schema', {
      enumerable: true,
      get: () => {
        read++
        return nested(2)
      },
    })
    const make = factory()
    const before = make([counted]).v2Json().body
    expect(read).toBe(1)
    const after = make([counted, resourceOf('Gadget', nested(2))])
    expect(JSON.parse(after.v2Json().body).definitions).toMatchObject(JSON.parse(before).definitions)
    after.v2Protobuf()
    after.v3Index()
    expect(read).toBe(1)
  })

  test.each(['v2', 'v2Protobuf', 'v3'] as const)('is made for %s while other work goes on', async (form) => {
    const properties = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`p${at}`, { type: 'string' }]))
    const resources = Array.from({ length: 12 }, (_, at) => resourceOf(`Kind${at}`, { type: 'object', properties }))
    let turns = 0
    let made = false
    const count = (): void => {
      turns++
      if (!made) setImmediate(count)
    }
    setImmediate(count)
    await factory()(resources).prepare(form)
    made = true
    expect(turns).toBeGreaterThan(1)
  })
})
