import { beforeAll, expect, test } from 'vitest'
import { base64, signingRequest } from '../../signing-request.ts'
import { apiServer, configMap, namesOf, pod } from '../api-server.ts'

const api = apiServer()
let ns = ''

beforeAll(async () => {
  ns = await api.namespace()
  for (const [name, tier, colour] of [
    ['a', 'web', 'red'],
    ['b', 'web', 'blue'],
    ['c', 'db', 'red'],
    ['d', '', ''],
  ])
    await api.create(`${ns}/secrets`, { metadata: { name, ...(tier === '' ? {} : { labels: { tier, colour } }) } })
})

const secrets = async (query: string): Promise<readonly string[]> => namesOf(await api.get(`${ns}/secrets?${query}`))

test('a list has its kind, a version to watch from, and its items by name', async () => {
  const list = await api.get(`${ns}/secrets`)
  expect(list).toMatchObject({
    kind: 'SecretList',
    apiVersion: 'v1',
    metadata: { resourceVersion: String(api.running.store.revision) },
  })
  expect(namesOf(list)).toEqual(['a', 'b', 'c', 'd'])
})

test('a list over all namespaces holds the objects of each', async () => {
  const other = await api.namespace()
  await api.create(`${other}/secrets`, { metadata: { name: 'z' } })
  const places = (await api.get('/api/v1/secrets')).items.map(
    ({ metadata }: { metadata: { namespace: string; name: string } }) => `${metadata.namespace}/${metadata.name}`,
  )
  expect(places.filter((place: string) => /\/[az]$/.test(place))).toEqual(['ns-1/a', 'ns-2/z'])
})

test('a list of a namespace that does not exist is empty', async () => {
  expect((await api.get('/api/v1/namespaces/nowhere/secrets')).items).toEqual([])
})

test.each([
  ['tier=web', 'a b'],
  ['tier==db', 'c'],
  ['tier!=web', 'c d'],
  ['tier in (web,db),colour=red', 'a c'],
  ['tier notin (web)', 'c d'],
  ['tier', 'a b c'],
  ['!tier', 'd'],
  ['', 'a b c d'],
])('labelSelector %j selects %s', async (selector, names) => {
  expect((await secrets(`labelSelector=${encodeURIComponent(selector)}`)).join(' ')).toBe(names)
})

test.each([
  ['metadata.name=b', 'b'],
  ['metadata.name!=b', 'a c d'],
  ['metadata.name=b,metadata.namespace=ns-1', 'b'],
  ['metadata.namespace=elsewhere', ''],
  ['type=Opaque', 'a b c d'],
])('fieldSelector %j selects %j', async (selector, names) => {
  expect((await secrets(`fieldSelector=${encodeURIComponent(selector)}`)).join(' ')).toBe(names)
})

test('both selectors must match', async () => {
  expect(await secrets('labelSelector=tier%3Dweb&fieldSelector=metadata.name!%3Da')).toEqual(['b'])
})

test('pods are selected by phase and node', async () => {
  await api.create(`${ns}/pods`, pod('free'))
  await api.create(`${ns}/pods`, pod('bound', { nodeName: 'n1' }))
  expect(namesOf(await api.get(`${ns}/pods?fieldSelector=spec.nodeName%3Dn1`))).toEqual(['bound'])
  expect(namesOf(await api.get(`${ns}/pods?fieldSelector=spec.nodeName%3D,status.phase%3DPending`))).toEqual(['free'])
})

test('certificate signing requests are selected by their signer', async () => {
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
  for (const [name, signer] of [
    ['ours', 'pilot'],
    ['theirs', 'customs'],
  ])
    await api.create(requests, {
      metadata: { name },
      spec: { request: base64(signingRequest()), signerName: `harbour.test/${signer}`, usages: ['client auth'] },
    })
  const selected = await api.get(`${requests}?fieldSelector=spec.signerName%3Dharbour.test/pilot`)
  expect(namesOf(selected)).toEqual(['ours'])
})

test.each([
  ['labelSelector=a%20b%3D', /^unable to parse requirement/],
  ['fieldSelector=spec.foo%3Dx', /^Unable to find|field label not supported/],
  ['fieldSelector=nonsense', /^invalid (field )?selector/],
  ['limit=many', /invalid syntax/],
])('%s is a bad request', async (query, message) => {
  const { status, body } = await api.send('GET', `${ns}/secrets?${query}`)
  expect([status, body.reason]).toEqual([400, 'BadRequest'])
  expect(body.message).toMatch(message)
})

test('pages show one snapshot while others write, and report how many items remain', async () => {
  const here = await api.namespace()
  for (const name of ['a', 'c', 'e', 'g', 'i']) await api.create(`${here}/secrets`, { metadata: { name } })
  const first = await api.get(`${here}/secrets?limit=2`)
  expect([namesOf(first), first.metadata.remainingItemCount]).toEqual([['a', 'c'], 3])
  await api.create(`${here}/secrets`, { metadata: { name: 'f' } })
  await api.send('DELETE', `${here}/secrets/g`)
  await api.patch(`${here}/secrets/i`, { stringData: { changed: 'yes' } })
  const second = await api.get(`${here}/secrets?limit=2&continue=${first.metadata.continue}`)
  expect([namesOf(second), second.metadata.remainingItemCount]).toEqual([['e', 'g'], 1])
  const last = await api.get(`${here}/secrets?limit=2&continue=${second.metadata.continue}`)
  expect([namesOf(last), last.metadata.continue, last.metadata.remainingItemCount]).toEqual([
    ['i'],
    undefined,
    undefined,
  ])
  expect(last.items[0].data).toBeUndefined()
  expect(new Set([first, second, last].map(({ metadata }) => metadata.resourceVersion)).size).toBe(1)
})

test('a page that ends exactly at the last item is the last one', async () => {
  const list = await api.get(`${ns}/secrets?limit=4`)
  expect([list.items.length, list.metadata.continue]).toEqual([4, undefined])
})

test('with a selector pages hold only what matches, and nobody counts the rest', async () => {
  const first = await api.get(`${ns}/secrets?limit=1&labelSelector=colour%3Dred`)
  expect([namesOf(first), first.metadata.remainingItemCount]).toEqual([['a'], undefined])
  const second = await api.get(`${ns}/secrets?limit=1&labelSelector=colour%3Dred&continue=${first.metadata.continue}`)
  expect(namesOf(second)).toEqual(['c'])
})

test('the end of many pages is a list without a continue token', async () => {
  const names: string[] = []
  let token = ''
  do {
    const page = await api.get(`/api/v1/configmaps?limit=1&continue=${token}`)
    names.push(...namesOf(page))
    token = page.metadata.continue ?? ''
  } while (token !== '')
  expect(names).toHaveLength((await api.get('/api/v1/configmaps')).items.length)
})

test('an invalid continue token is a bad request', async () => {
  const { status, body } = await api.send('GET', `${ns}/secrets?limit=1&continue=nonsense`)
  expect(status).toBe(400)
  expect(body.message).toMatch(/^invalid continue token: continue key is not valid: /)
})

test('a continue token goes with no resourceVersion', async () => {
  const { metadata } = await api.get(`${ns}/secrets?limit=1`)
  const { status, body } = await api.send(
    'GET',
    `${ns}/secrets?limit=1&resourceVersion=${metadata.resourceVersion}&continue=${metadata.continue}`,
  )
  expect([status, body.message]).toEqual([400, 'specifying resource version is not allowed when using continue'])
})

const RULES: readonly (readonly [string, string])[] = [
  [
    'resourceVersionMatch=Exact',
    'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
  ],
  [
    'resourceVersionMatch=Exact&resourceVersion=0',
    'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
  ],
  [
    'resourceVersionMatch=NotOlderThan&resourceVersion=1&continue=x',
    'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
  ],
  [
    'resourceVersionMatch=Sometimes&resourceVersion=1',
    'resourceVersionMatch: Unsupported value: "Sometimes": supported values: "Exact", "NotOlderThan", ""',
  ],
  ['sendInitialEvents=true', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
  [
    'watch=1&resourceVersionMatch=NotOlderThan',
    'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
  ],
  [
    'watch=1&sendInitialEvents=true',
    'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  ],
  [
    'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1',
    '[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
  ],
]

test.each(RULES)('%s is refused', async (query, message) => {
  const { status, body } = await api.send('GET', `${ns}/secrets?${query}`)
  expect([status, body.reason, body.message]).toEqual([
    422,
    'Invalid',
    `ListOptions.meta.k8s.io "" is invalid: ${message}`,
  ])
})

test('a list at an exact version shows the past, a list not older than it the present', async () => {
  const here = await api.namespace()
  await api.create(`${here}/secrets`, { metadata: { name: 'a' } })
  const { resourceVersion } = (await api.get(`${here}/secrets`)).metadata
  await api.create(`${here}/secrets`, { metadata: { name: 'b' } })
  const exact = await api.get(`${here}/secrets?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)
  expect([namesOf(exact), exact.metadata.resourceVersion]).toEqual([['a'], resourceVersion])
  expect(
    namesOf(await api.get(`${here}/secrets?resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`)),
  ).toEqual(['a', 'b'])
  expect(namesOf(await api.get(`${here}/secrets?resourceVersion=${resourceVersion}`))).toEqual(['a', 'b'])
  expect(namesOf(await api.get(`${here}/secrets?resourceVersion=0`))).toEqual(['a', 'b'])
})

test('pages of an exact version go on at that version', async () => {
  const here = await api.namespace()
  for (const name of ['a', 'b']) await api.create(`${here}/secrets`, { metadata: { name } })
  const { resourceVersion } = (await api.get(`${here}/secrets`)).metadata
  await api.create(`${here}/secrets`, { metadata: { name: 'c' } })
  const first = await api.get(`${here}/secrets?limit=1&resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)
  const second = await api.get(`${here}/secrets?limit=5&continue=${first.metadata.continue}`)
  expect([...namesOf(first), ...namesOf(second)]).toEqual(['a', 'b'])
})

test('with a limit and no match a version is meant exactly, as it was before there was a match', async () => {
  const here = await api.namespace()
  await api.create(`${here}/secrets`, { metadata: { name: 'a' } })
  const { resourceVersion } = (await api.get(`${here}/secrets`)).metadata
  await api.create(`${here}/secrets`, { metadata: { name: 'b' } })
  expect(namesOf(await api.get(`${here}/secrets?limit=5&resourceVersion=${resourceVersion}`))).toEqual(['a'])
})

test.each(['', '/a'])('a version from the future is rejected with a time to wait (%j)', async (name) => {
  const { status, body, headers } = await api.send('GET', `${ns}/secrets${name}?resourceVersion=999999999`)
  expect([status, body.reason]).toEqual([504, 'Timeout'])
  expect(body.message).toBe(`Timeout: Too large resource version: 999999999, current: ${api.running.store.revision}`)
  expect([body.details.retryAfterSeconds, headers.get('retry-after')]).toEqual([1, '1'])
  expect(body.details.causes[0].reason).toBe('ResourceVersionTooLarge')
})

test.each(['', '/a'])('a version must be a number (%j)', async (name) => {
  const { status } = await api.send('GET', `${ns}/secrets${name}?resourceVersion=abc`)
  expect(status).toBe(500)
})

test('an absent object is reported by resource and name', async () => {
  const { status, body } = await api.send('GET', '/apis/apps/v1/namespaces/default/deployments/d')
  expect([status, body]).toEqual([
    404,
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'deployments.apps "d" not found',
      reason: 'NotFound',
      details: { name: 'd', group: 'apps', kind: 'deployments' },
      code: 404,
    },
  ])
})

test('an object is answered as it was stored, with kind and version in front', async () => {
  await api.create(`${ns}/configmaps`, configMap('stored', { k: 'v' }))
  const response = await fetch(`${api.running.url}${ns}/configmaps/stored`, {
    headers: { authorization: `Bearer ${api.running.token}` },
  })
  expect(await response.text()).toMatch(
    /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"stored","namespace":"ns-1","uid":/,
  )
})
