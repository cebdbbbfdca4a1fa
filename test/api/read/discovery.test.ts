import { describe, expect, test } from 'vitest'
import { apiServer } from '../api-server.ts'

const api = apiServer()

test('the version is that of Kubernetes 1.36', async () => {
  expect(await api.get('/version')).toMatchObject({ major: '1', minor: '36', gitVersion: 'v1.36.0+allot' })
})

test.each(['/livez', '/readyz', '/healthz', '/readyz/ping', '/version'])('a stranger may read %s', async (path) => {
  expect((await fetch(api.running.url + path)).status).toBe(200)
})

test('verbose health names every check', async () => {
  const answer = await api.send('GET', '/readyz?verbose')
  expect(answer.body).toContain('[+]store ok\n')
  expect(answer.body).toMatch(/readyz check passed\n$/)
})

test.each(['livez', 'readyz', 'healthz'])('/%s warns about excluded names that no check has', async (page) => {
  const { status, body } = await api.send('GET', `/${page}?verbose&exclude=nix&exclude=ping&exclude=also%22not`)
  expect(status).toBe(200)
  expect(body).toContain('[+]ping excluded: ok\n')
  expect(body).toContain('\nwarn: some health checks cannot be excluded: no matches for "also\\"not","nix"\n')
})

test('a health check that does not exist is a path that does not exist', async () => {
  expect((await api.send('GET', '/readyz/nonsense')).status).toBe(404)
  // A stranger must not learn from it what is served.
  expect(await (await fetch(`${api.running.url}/readyz/nonsense`)).text()).toBe('404 page not found\n')
})

test('the root lists what is served, sorted', async () => {
  const { paths } = await api.get('/')
  expect(paths).toEqual(
    expect.arrayContaining(['/api', '/api/v1', '/apis/apps', '/apis/apps/v1', '/openapi/v3', '/version']),
  )
  const names: readonly string[] = paths
  expect(names).toEqual(names.toSorted())
})

test('plain discovery is what a client without wishes gets', async () => {
  expect((await api.get('/api')).versions).toEqual(['v1'])
  expect(await api.get('/apis')).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' })
  expect(await api.get('/apis/batch')).toMatchObject({
    kind: 'APIGroup',
    name: 'batch',
    preferredVersion: { groupVersion: 'batch/v1' },
  })
})

test('a resource list has names, verbs and subresources', async () => {
  const { resources } = await api.get('/api/v1')
  const pods = resources.find(({ name }: { name: string }) => name === 'pods')
  expect(pods).toMatchObject({
    singularName: 'pod',
    namespaced: true,
    kind: 'Pod',
    shortNames: ['po'],
    categories: ['all'],
  })
  expect(pods.verbs.toSorted()).toEqual([
    'create',
    'delete',
    'deletecollection',
    'get',
    'list',
    'patch',
    'update',
    'watch',
  ])
  const names = resources.map(({ name }: { name: string }) => name)
  expect(names).toEqual(
    expect.arrayContaining([
      'pods/status',
      'pods/eviction',
      'pods/binding',
      'pods/resize',
      'pods/ephemeralcontainers',
      'namespaces/finalize',
      'resourcequotas/status',
    ]),
  )
})

test('aggregated discovery is answered in the version that was asked for and can be revalidated', async () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'
  const first = await api.send('GET', '/apis', undefined, { accept })
  expect(first.body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' })
  expect(first.headers.get('content-type')).toMatch(/g=apidiscovery\.k8s\.io;v=v2;as=APIGroupDiscoveryList/)
  const again = await api.send('GET', '/apis', undefined, { accept, 'if-none-match': first.headers.get('etag') ?? '' })
  expect([again.status, again.body]).toEqual([304, ''])
})

test('a custom resource is in discovery as soon as its definition is stored, and gone with it', async () => {
  const names = {
    plural: 'masts',
    singular: 'mast',
    kind: 'Mast',
    listKind: 'MastList',
    shortNames: ['ma'],
    categories: ['rigging'],
  }
  await api.define('masts', { names })
  expect((await api.get('/apis/harbour.test/v1')).resources).toMatchObject([
    { name: 'masts', singularName: 'mast', shortNames: ['ma'], categories: ['rigging'] },
  ])
  expect((await api.get('/apis')).groups.map(({ name }: { name: string }) => name)).toContain('harbour.test')
  await api.send('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/masts.harbour.test')
  await api.until('/apis/harbour.test/v1', (body) => body === '404 page not found\n')
})

test.each([
  ['/nonsense', 404],
  ['/apis/nonsense.test', 404],
  ['/apis/nonsense.test/v1', 404],
  ['/apis/nonsense.test/v1/things', 404],
  ['/apis/apps/v9/deployments', 404],
  ['/api/v1/nonsense/more/and/more', 404],
  ['/api/v2', 404],
])('%s is not there', async (path, code) => {
  expect((await api.send('GET', path)).status).toBe(code)
})

test('an unknown group is reported as plain text, an unknown resource of a known group as a Status', async () => {
  const group = await api.send('GET', '/apis/nonsense.test/v1/things')
  expect([group.headers.get('content-type'), group.body]).toEqual(['text/plain; charset=utf-8', '404 page not found\n'])
  const resource = await api.send('GET', '/api/v1/nonsense')
  expect(resource.body).toMatchObject({
    kind: 'Status',
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
  })
})

test.each([
  ['GET', '/api/v1/namespaces/default/nodes', 404],
  ['GET', '/api/v1/pods/p', 404],
  ['GET', '/api/v1/namespaces/default/pods/p/nonsense', 404],
  ['GET', '/api/v1/namespaces/default/status/more', 404],
  ['GET', '/api/v1/namespaces/default/configmaps/kube-root-ca.crt/status', 404],
  ['GET', '/api/v1/namespaces/default/services/kubernetes/status/more', 404],
  ['POST', '/api/v1/pods', 405],
  ['DELETE', '/api/v1/pods', 405],
  ['PUT', '/api/v1/namespaces/default/pods', 405],
  ['POST', '/api/v1/namespaces/default/pods/p', 405],
  ['PATCH', '/api/v1/namespaces/default/pods', 405],
  ['POST', '/api/v1/namespaces/default/pods/p/status', 405],
  ['DELETE', '/api/v1/namespaces/default/pods/p/status', 405],
  ['GET', '/api/v1/namespaces/default/pods/p/eviction', 405],
  ['GET', '/api/v1/namespaces/default/pods/p/binding', 405],
  ['DELETE', '/api/v1/namespaces', 405],
  ['POST', '/version', 405],
  ['GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 405],
  ['PROPFIND', '/api/v1/namespaces/default/pods', 405],
])('%s %s is answered with %i', async (method, path, code) => {
  expect((await api.send(method, path, method === 'GET' ? undefined : {})).status).toBe(code)
})

test('empty segments and a slash at the end change nothing', async () => {
  expect((await api.get('/api/v1/namespaces/default/')).metadata.name).toBe('default')
})

test('a broken percent escape is a bad request', async () => {
  const answer = await api.send('GET', '/api/v1/namespaces/%zz')
  expect(answer.body).toMatchObject({ kind: 'Status', code: 400, reason: 'BadRequest' })
})

test('names are read percent-decoded', async () => {
  expect((await api.get('/api/v1/namespaces/def%61ult')).metadata.name).toBe('default')
})

test('HEAD answers the headers of GET without a body', async () => {
  const answer = await api.send('HEAD', '/api/v1/namespaces/default')
  expect([answer.status, answer.body]).toEqual([200, ''])
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(100)
})

test('OpenAPI v3 has an index whose entries can be fetched', async () => {
  const { paths } = await api.get('/openapi/v3')
  const document = await api.get(paths['apis/batch/v1'].serverRelativeURL)
  expect(Object.keys(document.paths)).toContain('/apis/batch/v1/namespaces/{namespace}/jobs')
})

describe('a document of OpenAPI v3', () => {
  const PATH = '/openapi/v3/apis/apps/v1'
  const PROTOBUF = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'
  const inIndex = async (): Promise<string> => (await api.get('/openapi/v3')).paths['apis/apps/v1'].serverRelativeURL

  test.each(['*/*', 'application/*', 'application/json', `${PROTOBUF}, application/json;q=0.5`])(
    'is JSON for a client that accepts %s',
    async (accept) => {
      const { status, headers, body } = await api.send('GET', PATH, undefined, { accept })
      expect([status, headers.get('content-type'), body.openapi]).toEqual([200, 'application/json', '3.0.0'])
    },
  )

  test.each([PROTOBUF, 'text/html'])('is refused to a client that accepts only %s', async (accept) => {
    const { status, body } = await api.send('GET', PATH, undefined, { accept })
    expect([status, body.kind, body.reason]).toEqual([406, 'Status', 'NotAcceptable'])
    expect((await api.send('GET', '/openapi/v3/apis/none/v1', undefined, { accept })).status).toBe(404)
  })

  test('may be kept for a year under the URL that names its hash', async () => {
    const { status, headers } = await api.send('GET', await inIndex())
    expect([status, headers.get('cache-control'), headers.get('vary')]).toEqual([200, 'public, immutable', 'Accept'])
    const years = (Date.parse(headers.get('expires') ?? '') - Date.now()) / (365 * 24 * 3600_000)
    expect(years).toBeCloseTo(1, 1)
  })

  test('may not be kept under the URL without it', async () => {
    const { headers } = await api.send('GET', PATH)
    expect([headers.get('cache-control'), headers.get('expires')]).toEqual(['no-cache, private', null])
  })

  test('leads from the URL of another hash to its own', async () => {
    const { url, token } = api.running
    const asked = `${url + PATH}?hash=${'0'.repeat(64)}`
    const authorization = `Bearer ${token}`
    const answer = await fetch(asked, { headers: { authorization }, redirect: 'manual' })
    expect([answer.status, answer.headers.get('location'), await answer.text()]).toEqual([301, await inIndex(), ''])
    const followed = await fetch(asked, { headers: { authorization } })
    expect([followed.status, await followed.json()]).toEqual([200, await api.get(PATH)])
    const refused = await fetch(asked, { headers: { authorization, accept: PROTOBUF }, redirect: 'manual' })
    expect(refused.status).toBe(406)
  })

  test('has another hash when what it describes has changed, and old URLs lead to the new one', async () => {
    const indexed = async (): Promise<string | undefined> =>
      (await api.get('/openapi/v3')).paths['apis/harbour.test/v1']?.serverRelativeURL
    const since = async (old: string | undefined): Promise<string> => {
      const { paths } = await api.until(
        '/openapi/v3',
        (index) => ![undefined, old].includes(index.paths?.['apis/harbour.test/v1']?.serverRelativeURL),
      )
      return paths['apis/harbour.test/v1'].serverRelativeURL
    }
    const before = await indexed()
    await api.define('anchors')
    const first = await since(before)
    await api.define('buoys')
    const second = await since(first)
    const { url, token } = api.running
    const answer = await fetch(url + first, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([301, second])
  })
})

test('OpenAPI v2 is protobuf for a client that asks for it', async () => {
  const answer = await api.send('GET', '/openapi/v2', undefined, {
    accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
})
