import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { type InProcess, startInProcess } from '../../in-process.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const BUCKET = 'sails.harbour.test'
const PATH = '/apis/harbour.test/v1/namespaces/default/sails'
const text = { type: 'string' }
/** So many fields that have defaults. */
const fields = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, { type: 'integer', default: n }]))
const list = (properties: object): object => ({ type: 'array', items: { type: 'object', properties } })
const versions = (spec: object): object[] => [
  {
    name: 'v1',
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } },
    },
  },
]
const definition = (spec: object): object => ({
  metadata: { name: BUCKET },
  spec: {
    group: 'harbour.test',
    scope: 'Namespaced',
    names: { plural: 'sails', kind: 'Sail' },
    versions: versions(spec),
  },
})
const sail = (name: string, spec: object, metadata: object = {}): object => ({
  apiVersion: 'harbour.test/v1',
  kind: 'Sail',
  metadata: { name, ...metadata },
  spec,
})
const empty = (count: number): object[] => Array.from({ length: count }, () => ({}))
const MERGE = { 'content-type': 'application/merge-patch+json' }

const location = mkdtempSync(join(tmpdir(), 'defaults-'))
let plane: InProcess
beforeAll(async () => {
  plane = await startInProcess({ location: { directory: location } })
})
afterAll(async () => {
  await plane.stop()
  rmSync(location, { recursive: true })
})

describe('the defaults of a schema', () => {
  test('are refused with 413 where they add more to an object than may be stored', async () => {
    expect((await plane.send('POST', DEFINITIONS, definition({ items: list(fields(1000)) }))).status).toBe(201)
    await plane.until(PATH, ({ kind }) => kind === 'SailList')
    const refused = [413, expect.stringContaining('the defaults of the schema would add more than 1572864 bytes')]
    const { status, body } = await plane.send('POST', PATH, sail('many', { items: empty(90_000) }))
    expect([status, body.message]).toEqual(refused)
    expect((await plane.send('POST', PATH, sail('few', { items: empty(10) }))).status).toBe(201)
    const patch = { spec: { items: empty(15_000) } }
    const patched = await plane.send('PATCH', `${PATH}/few`, patch, MERGE)
    expect([patched.status, patched.body.message]).toEqual(refused)
    const applied = await plane.send('PATCH', `${PATH}/other?fieldManager=me`, sail('other', patch.spec), {
      'content-type': 'application/apply-patch+yaml',
    })
    expect([applied.status, applied.body.message]).toEqual(refused)
  })

  test('are refused in a definition where they add too much to one another', async () => {
    const grown = (depth: number): object => ({
      ...list(depth === 0 ? fields(10) : { below: grown(depth - 1) }),
      default: empty(10),
    })
    const { status, body } = await plane.send('POST', DEFINITIONS, {
      ...definition({ items: grown(9) }),
    })
    expect([status, body.message]).toEqual([
      422,
      expect.stringContaining('would add more than 262144 bytes to one another'),
    ])
  })

  test('are left out of an older object that has no room for them, which can be read and deleted, not written', async () => {
    const kept = { kept: { ...text } }
    await plane.send(
      'PATCH',
      `${DEFINITIONS}/${BUCKET}`,
      { spec: { versions: versions({ items: list(kept) }) } },
      MERGE,
    )
    await eventually(
      () => plane.send('POST', PATH, sail('old', { items: empty(90_000) })),
      ({ status }) => status === 201,
      { what: 'the new schema' },
    )
    for (const name of ['held', 'cleared'])
      expect(
        (await plane.send('POST', PATH, sail(name, { items: empty(90_000) }, { finalizers: ['a.test/x'] }))).status,
      ).toBe(201)
    const { status } = await plane.send(
      'PATCH',
      `${DEFINITIONS}/${BUCKET}`,
      { spec: { versions: versions({ items: list(fields(1000)), extra: { ...text, default: 'e' } }) } },
      MERGE,
    )
    expect(status).toBe(200)
    const shown = await plane.until(`${PATH}/few`, ({ spec }) => spec.extra === 'e')
    expect(Object.keys(shown.spec.items[0])).toHaveLength(1000)
    const { body: old } = await plane.send('GET', `${PATH}/old`)
    expect([old.spec.items.length, old.spec.items[0], old.spec.extra]).toEqual([90_000, {}, undefined])
    for (const as of ['Table', 'PartialObjectMetadataList']) {
      const accept = `application/json;as=${as};v=v1;g=meta.k8s.io`
      const { body } = await plane.send('GET', PATH, undefined, { accept })
      expect((body.rows ?? body.items).length).toBe(4)
    }
    expect((await plane.send('GET', PATH)).body.items).toHaveLength(4)
    const labelled = await plane.send('PATCH', `${PATH}/old`, { metadata: { labels: { a: 'b' } } }, MERGE)
    expect(labelled.status).toBe(413)
    expect((await plane.send('DELETE', `${PATH}/old`)).status).toBe(200)
    expect((await plane.send('DELETE', `${PATH}/held`)).status).toBe(200)
    const freed = await plane.send('PATCH', `${PATH}/held`, { metadata: { finalizers: null } }, MERGE)
    expect([freed.status, freed.body.message]).toEqual([200, undefined])
    expect((await plane.send('GET', `${PATH}/held`)).status).toBe(404)
  })

  test('do not keep a definition with such objects from ending, nor the data directory from being opened', async () => {
    expect((await plane.send('DELETE', `${DEFINITIONS}/${BUCKET}`)).status).toBe(200)
    await plane.stop()
    plane = await startInProcess({ location: { directory: location } })
    await plane.until(`${PATH}/cleared`, ({ metadata }) => metadata?.deletionTimestamp !== undefined)
    const freed = await plane.send('PATCH', `${PATH}/cleared`, { metadata: { finalizers: null } }, MERGE)
    expect([freed.status, freed.body.message]).toEqual([200, undefined])
    await plane.until(`${DEFINITIONS}/${BUCKET}`, ({ code }) => code === 404)
    expect(plane.complaints).toEqual([])
  })
})
