import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type InProcess, type InProcessOptions, startInProcess } from '../../in-process.ts'

const running: (() => Promise<void>)[] = []
afterEach(async () => {
  // The last first: a server stops before its directory goes.
  for (const stop of running.splice(0).toReversed()) await stop()
})

async function start(options?: InProcessOptions): Promise<InProcess> {
  const server = await startInProcess(options)
  running.push(() => server.stop())
  expect((await server.send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })).status).toBe(201)
  return server
}

const secrets = '/api/v1/namespaces/shop/secrets'
const quotas = '/api/v1/namespaces/shop/resourcequotas'

async function limit(server: InProcess, hard: Record<string, string>, name = 'limit'): Promise<void> {
  expect((await server.send('POST', quotas, { metadata: { name }, spec: { hard } })).status).toBe(201)
}

const usedOf = async (server: InProcess, name = 'limit'): Promise<Record<string, string>> =>
  (await server.send('GET', `${quotas}/${name}`)).body.status.used

test('a quota holds from the moment its create is answered, before any controller has been there', async () => {
  const server = await start()
  await limit(server, { secrets: '1' })
  const answers = await Promise.all(['a', 'b', 'c'].map((name) => server.send('POST', secrets, { metadata: { name } })))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403, 403])
})

test('many requests at once are decided together and never exceed the quota', async () => {
  const server = await start()
  await limit(server, { secrets: '10' })
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => server.send('POST', secrets, { metadata: { name: `s-${i}` } })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
  expect(await usedOf(server)).toEqual({ secrets: '10' })
})

test('a create whose name exists is refused with 409 and leaves no charge', async () => {
  const server = await start()
  await limit(server, { secrets: '5' })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => server.send('POST', secrets, { metadata: { name: 'same' } })),
  )
  expect(answers.map(({ status }) => status).filter((code) => code !== 409)).toEqual([201])
  expect(await usedOf(server)).toEqual({ secrets: '1' })
})

test('a create that fails in storage leaves no charge and can be repeated', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'allot-gate-'))
  running.push(() => Promise.resolve(rmSync(directory, { recursive: true })))
  const prepared = await startInProcess({ location: { directory } })
  await prepared.send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
  await limit(prepared, { secrets: '2' })
  await prepared.until(`${quotas}/limit`, (quota) => quota.status?.used?.secrets === '0')
  await prepared.stop()
  // Nothing is written when the server starts again, so the first batch is the create's.
  const server = await startInProcess({
    location: { directory },
    store: { faults: { failBatches: [{ batch: 1, errcode: 13 }] } },
  })
  running.push(() => server.stop())
  const failed = await server.send('POST', secrets, { metadata: { name: 'a' } })
  expect(failed.status).toBe(500)
  expect(failed.body.kind).toBe('Status')
  expect((await server.send('GET', `${secrets}/a`)).status).toBe(404)
  expect(await usedOf(server)).toEqual({ secrets: '0' })
  expect((await server.send('POST', secrets, { metadata: { name: 'a' } })).status).toBe(201)
  expect(await usedOf(server)).toEqual({ secrets: '1' })
})

test('a dry run is decided like any request and charges nothing', async () => {
  const server = await start()
  await limit(server, { secrets: '1' })
  expect((await server.send('POST', `${secrets}?dryRun=All`, { metadata: { name: 'dry' } })).status).toBe(201)
  expect((await server.send('POST', secrets, { metadata: { name: 'a' } })).status).toBe(201)
  const refused = await server.send('POST', `${secrets}?dryRun=All`, { metadata: { name: 'dry' } })
  expect(refused.body.message).toBe(
    'secrets "dry" is forbidden: exceeded quota: limit, requested: secrets=1, used: secrets=1, limited: secrets=1',
  )
  expect((await server.send('GET', `${secrets}/dry`)).status).toBe(404)
})

test('all quotas of a namespace must admit, and none is charged when one refuses', async () => {
  const server = await start()
  await limit(server, { secrets: '5' }, 'wide')
  await limit(server, { 'count/secrets': '1' }, 'narrow')
  const codes = []
  for (const name of ['a', 'b']) codes.push((await server.send('POST', secrets, { metadata: { name } })).status)
  expect(codes).toEqual([201, 403])
  expect([await usedOf(server, 'wide'), await usedOf(server, 'narrow')]).toEqual([
    { secrets: '1' },
    { 'count/secrets': '1' },
  ])
})

test('room comes back when objects go, and lowered limits hold for what comes next', async () => {
  const server = await start()
  await limit(server, { secrets: '2' })
  for (const name of ['a', 'b']) await server.send('POST', secrets, { metadata: { name } })
  await server.send('DELETE', `${secrets}/a`)
  await server.until(`${quotas}/limit`, (quota) => quota.status.used.secrets === '1')
  const patch = { 'content-type': 'application/merge-patch+json' }
  await server.send('PATCH', `${quotas}/limit`, { spec: { hard: { secrets: '1' } } }, patch)
  await server.until(`${quotas}/limit`, (quota) => quota.status.hard.secrets === '1')
  expect((await server.send('POST', secrets, { metadata: { name: 'c' } })).status).toBe(403)
})

test('custom resources are counted as soon as their definition is stored', async () => {
  const server = await start()
  const names = { plural: 'crates', singular: 'crate', kind: 'Crate', listKind: 'CrateList' }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const definition = {
    metadata: { name: 'crates.harbour.test' },
    spec: {
      group: 'harbour.test',
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  await limit(server, { 'count/crates.harbour.test': '1' })
  expect(
    (await server.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).status,
  ).toBe(201)
  const crates = '/apis/harbour.test/v1/namespaces/shop/crates'
  const crate = (name: string): unknown => ({
    apiVersion: 'harbour.test/v1',
    kind: 'Crate',
    metadata: { name },
    load: 7,
  })
  expect((await server.send('POST', crates, crate('a'))).status).toBe(201)
  expect((await server.send('POST', crates, crate('b'))).status).toBe(403)
  expect((await server.send('GET', crates)).body.items).toHaveLength(1)
})
