import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from 'node:http2'
import { eventually } from '../../eventually.ts'
import { type Allot, startAllot } from '../../start-allot.ts'
import { customVersion } from '../../custom-version.ts'

let allot: Allot
beforeAll(async () => {
  allot = await startAllot()
})
afterAll(async () => {
  await allot.stop()
})

const post = async (path: string, body: unknown): Promise<void> => {
  const { status, text } = await allot.call(path, { method: 'POST', body })
  expect([status, text]).toEqual([201, text])
}
const until = (
  path: string,
  test: (body: { code?: number; status?: { used?: Record<string, string> } }) => boolean,
): Promise<unknown> => eventually(async () => (await allot.call(path)).json, test, { what: path })
const MERGE = { 'content-type': 'application/merge-patch+json' }
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

test('work that a kill interrupted is ended after the restart: deletions of namespaces and definitions, counts and watches', async () => {
  const definition = (plural: string, kind: string): unknown => ({
    metadata: { name: `${plural}.harbour.test` },
    spec: {
      group: 'harbour.test',
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [customVersion('v1')],
    },
  })
  for (const name of ['shop', 'doomed']) await post('/api/v1/namespaces', { metadata: { name } })
  await post(DEFINITIONS, definition('crates', 'Crate'))
  await post(DEFINITIONS, definition('wrecks', 'Wreck'))
  await post('/apis/harbour.test/v1/namespaces/shop/crates', {
    apiVersion: 'harbour.test/v1',
    kind: 'Crate',
    metadata: { name: 'c' },
  })
  await post('/apis/harbour.test/v1/namespaces/shop/wrecks', {
    apiVersion: 'harbour.test/v1',
    kind: 'Wreck',
    metadata: { name: 'w', finalizers: ['a.test/x'] },
  })
  await post('/api/v1/namespaces/shop/resourcequotas', {
    metadata: { name: 'q' },
    spec: { hard: { 'count/crates.harbour.test': '1', secrets: '1' } },
  })
  await post('/api/v1/namespaces/doomed/configmaps', { metadata: { name: 'held', finalizers: ['a.test/x'] } })
  await post('/api/v1/namespaces/shop/secrets', { metadata: { name: 's' } })
  await allot.call('/api/v1/namespaces/doomed', { method: 'DELETE' })
  await allot.call(`${DEFINITIONS}/wrecks.harbour.test`, { method: 'DELETE' })
  const { resourceVersion } = (await allot.call('/api/v1/namespaces/shop/secrets')).json.metadata
  await allot.kill9()

  allot = await startAllot({ dataDir: allot.dataDir })
  expect((await allot.call('/apis/harbour.test/v1/namespaces/shop/crates')).json.items).toHaveLength(1)
  const refused = await allot.call('/api/v1/namespaces/shop/secrets', {
    method: 'POST',
    body: { metadata: { name: 't' } },
  })
  expect(refused.json.message).toContain('exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1')
  await allot.call('/api/v1/namespaces/shop/secrets/s', { method: 'DELETE' })
  await until('/api/v1/namespaces/shop/resourcequotas/q', ({ status }) => status?.used?.['secrets'] === '0')
  const watched = await allot.call(
    `/api/v1/namespaces/shop/secrets?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=1`,
  )
  expect(
    watched.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).type),
  ).toEqual(['DELETED'])
  for (const path of ['/api/v1/namespaces/doomed/configmaps/held', '/apis/harbour.test/v1/namespaces/shop/wrecks/w'])
    expect(
      (await allot.call(path, { method: 'PATCH', headers: MERGE, body: { metadata: { finalizers: null } } })).status,
    ).toBe(200)
  await until('/api/v1/namespaces/doomed', ({ code }) => code === 404)
  await until(`${DEFINITIONS}/wrecks.harbour.test`, ({ code }) => code === 404)
})

test('a watch over HTTP/2 streams, and ends when the server is stopped', async () => {
  const session = connect(allot.url, { ca: allot.ca })
  const stream = session.request({
    ':path': '/api/v1/namespaces/shop/secrets?watch=1',
    authorization: `Bearer ${allot.token}`,
  })
  let text = ''
  const ended = new Promise<void>((resolve) => stream.on('end', resolve))
  const first = new Promise<void>((resolve) =>
    stream.on('data', (chunk: Buffer) => ((text += chunk.toString()), resolve())),
  )
  await new Promise((resolve) => stream.once('response', resolve))
  await post('/api/v1/namespaces/shop/secrets', { metadata: { name: 'new' } })
  await first
  expect(JSON.parse(text)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'new' } } })
  expect(await allot.stop()).toBe(0)
  await ended
  session.destroy()
})
