import { expect, test } from 'vitest'
import { customVersion } from '../../custom-version.ts'
import { apiServer } from '../api-server.ts'

const api = apiServer()
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const at = (plural: string, version = 'v1'): string => `/apis/harbour.test/${version}/namespaces/default/${plural}`
const text = { type: 'string' }
const versionWith = (name: string, spec: object, more: object = {}): unknown =>
  customVersion(name, {
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } } },
    ...more,
  })
const object = (kind: string, name: string, more: object = {}): object => ({
  apiVersion: 'harbour.test/v1',
  kind,
  metadata: { name },
  ...more,
})

test('a stored object is shown as the schema of today wants it, and stored so by an update that changes nothing', async () => {
  await api.define('sails', { versions: [versionWith('v1', { a: text, b: text })] })
  const path = at('sails')
  await api.create(path, object('Sail', 'old', { spec: { a: 'x', b: 'y' } }))
  await api.create(path, object('Sail', 'other', { spec: { a: 'x', b: 'y' } }))
  const next = versionWith('v1', { a: text, c: { ...text, default: 'new' } })
  await api.patch(`${DEFINITIONS}/sails.harbour.test`, { spec: { versions: [next] } })
  const shown = await api.until(`${path}/old`, ({ spec }) => spec.c !== undefined)
  expect(shown.spec).toEqual({ a: 'x', c: 'new' })
  const list = await api.get(path)
  expect(list.items.map(({ spec }: { spec: unknown }) => spec)).toEqual([shown.spec, shown.spec])
  await using watch = await api.watch(`${path}?watch=1&resourceVersion=0`)
  expect((await watch.next())?.object.spec).toEqual(shown.spec)

  const { resourceVersion } = shown.metadata
  const written = await api.send('PUT', `${path}/old`, shown)
  expect(written.status).toBe(200)
  expect(Number(written.body.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion))
  const again = await api.send('PUT', `${path}/old`, written.body)
  expect(again.body.metadata.resourceVersion).toBe(written.body.metadata.resourceVersion)

  await api.patch(`${DEFINITIONS}/sails.harbour.test`, {
    spec: { versions: [versionWith('v1', { a: text, b: text, c: text })] },
  })
  expect((await api.until(`${path}/other`, ({ spec }) => spec.b !== undefined)).spec).toEqual({ a: 'x', b: 'y' })
  expect((await api.get(`${path}/old`)).spec).toEqual({ a: 'x', c: 'new' })
})

test('a custom resource must say its kind and version', async () => {
  await api.define('ropes')
  const refused = async (body: object): Promise<unknown> => {
    const { status, body: answer } = await api.send('POST', at('ropes'), body)
    return [status, answer.message]
  }
  const metadata = { name: 'a' }
  expect(await refused({ apiVersion: 'harbour.test/v1', metadata })).toEqual([
    400,
    `Rope in version "v1" cannot be handled as a Rope: Object 'Kind' is missing in '{"apiVersion":"harbour.test/v1","metadata":{"name":"a"}}'`,
  ])
  expect(await refused({ kind: 'Rope', metadata })).toEqual([
    500,
    "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
  ])
  expect(await refused({ apiVersion: 'harbour.test/v1', kind: 'Sail', metadata })).toEqual([
    422,
    'Sail.harbour.test "a" is invalid: kind: Invalid value: "Sail": must be Rope',
  ])
})

test('selectable fields select', async () => {
  await api.define('flags', {
    versions: [versionWith('v1', { color: text }, { selectableFields: [{ jsonPath: '.spec.color' }] })],
  })
  for (const color of ['red', 'blue']) await api.create(at('flags'), object('Flag', color, { spec: { color } }))
  const list = await api.get(`${at('flags')}?fieldSelector=spec.color%3Dblue`)
  expect(list.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['blue'])
  const { status, body } = await api.send('GET', `${at('flags')}?fieldSelector=spec.size%3D1`)
  expect([status, body.message]).toEqual([400, 'field label not supported: spec.size'])
})
