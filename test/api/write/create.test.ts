import { beforeAll, describe, expect, test } from 'vitest'
import { apiServer, configMap, pod } from '../api-server.ts'

const api = apiServer()
let ns = ''
beforeAll(async () => {
  ns = await api.namespace()
})

test('a new object gets what only the server may give, whatever the client says of it', async () => {
  const metadata = {
    name: 'fresh',
    uid: 'mine',
    generation: 7,
    creationTimestamp: '2001-01-01T00:00:00Z',
    deletionTimestamp: '2001-01-01T00:00:00Z',
    selfLink: '/x',
  }
  const { metadata: given } = await api.create(`${ns}/pods`, {
    metadata,
    spec: { containers: [{ name: 'c', image: 'i' }] },
  })
  expect(given).toMatchObject({
    name: 'fresh',
    namespace: 'ns-1',
    generation: 1,
    resourceVersion: String(api.running.store.revision),
  })
  expect(given.uid).toMatch(/^[0-9a-f]{8}-/)
  expect(given.creationTimestamp > '2020').toBe(true)
  expect(given.deletionTimestamp ?? given.selfLink).toBeUndefined()
})

test('a status that comes along is dropped', async () => {
  const { status } = await api.create(`${ns}/pods`, { ...(pod('status') as object), status: { phase: 'Succeeded' } })
  expect(status.phase).toBe('Pending')
})

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const selectors = [{ matchLabels: { 'gathered-by': 'nobody' } }]
test.each([
  [
    'an aggregated ClusterRole',
    `${RBAC}/clusterroles`,
    { aggregationRule: { clusterRoleSelectors: selectors } },
    { rules: null },
  ],
  ['a ClusterRole', `${RBAC}/clusterroles`, {}, { rules: null }],
  ['a Role', `${RBAC}/namespaces/ns-1/roles`, {}, { rules: null }],
  ['a LimitRange', '/api/v1/namespaces/ns-1/limitranges', {}, { spec: { limits: null } }],
  [
    'an EndpointSlice',
    '/apis/discovery.k8s.io/v1/namespaces/ns-1/endpointslices',
    { addressType: 'IPv4' },
    { endpoints: null, ports: null },
  ],
])('%s without a list that is not optional shows null there, as Kubernetes does', async (kind, path, fields, shown) => {
  const name = kind.toLowerCase().replaceAll(' ', '-')
  expect(await api.create(path, { metadata: { name }, ...fields })).toMatchObject(shown)
  const { body: read } = await api.send('GET', `${path}/${name}`)
  expect(read).toMatchObject(shown)
  const replaced = await api.send('PUT', `${path}/${name}`, read)
  expect(replaced.body).toMatchObject(shown)
  expect(replaced.body.metadata.resourceVersion).toBe(read.metadata.resourceVersion)
})

test('kind and apiVersion are filled in', async () => {
  expect(await api.create(`${ns}/configmaps`, { metadata: { name: 'bare' } })).toMatchObject({
    kind: 'ConfigMap',
    apiVersion: 'v1',
  })
})

test('a resourceVersion has no place in a create', async () => {
  const { status, body } = await api.send('POST', `${ns}/configmaps`, configMap('rv', {}, { resourceVersion: '5' }))
  expect([status, body.message]).toEqual([500, 'resourceVersion should not be set on objects to be created'])
})

test('a name that exists is a conflict that names it', async () => {
  await api.create(`${ns}/configmaps`, configMap('twice'))
  const { status, body } = await api.send('POST', `${ns}/configmaps`, configMap('twice'))
  expect([status, body.reason, body.message]).toEqual([409, 'AlreadyExists', 'configmaps "twice" already exists'])
  expect(body.details).toEqual({ name: 'twice', kind: 'configmaps' })
})

test('an object without any name is invalid', async () => {
  const { status, body } = await api.send('POST', `${ns}/configmaps`, { metadata: {} })
  expect([status, body.message]).toEqual([
    422,
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  ])
})

test('a namespace in the body must be that of the URL', async () => {
  const { status, body } = await api.send(
    'POST',
    `${ns}/configmaps`,
    configMap('elsewhere', {}, { namespace: 'default' }),
  )
  expect([status, body.message]).toEqual([
    400,
    'the namespace of the provided object does not match the namespace sent on the request',
  ])
})

test('a namespace in the body of a cluster-wide object is dropped', async () => {
  const { metadata } = await api.create('/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name: 'wide', namespace: 'default' },
    provisioner: 'p',
  })
  expect(metadata.namespace).toBeUndefined()
})

test('a namespace that does not exist takes nothing, not even what is invalid', async () => {
  const { status, body } = await api.send('POST', '/api/v1/namespaces/nowhere/configmaps', {
    metadata: { name: 'UPPER' },
  })
  expect([status, body.message]).toEqual([404, 'namespaces "nowhere" not found'])
})

test('a body of another kind or version is a bad request', async () => {
  const kind = await api.send('POST', `${ns}/configmaps`, { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'x' } })
  expect([kind.status, kind.body.message]).toEqual([
    400,
    'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  ])
  const version = await api.send('POST', `${ns}/configmaps`, {
    kind: 'ConfigMap',
    apiVersion: 'v2',
    metadata: { name: 'x' },
  })
  expect([version.status, version.body.message]).toEqual([
    400,
    'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
  ])
})

test.each([
  '[]',
  '"text"',
  '7',
  '{',
  '',
  '{"metadata": 5}',
  '{"metadata": {"name": 7}}',
  '{"data": {"k": 5}, "metadata": {"name": "x"}}',
])('a body of %s is a bad request', async (body) => {
  const answer = await api.send('POST', `${ns}/configmaps`, body)
  expect([answer.status, answer.body.kind]).toEqual([400, 'Status'])
})

test('a body of null is an object without a name', async () => {
  const { status, body } = await api.send('POST', `${ns}/configmaps`, 'null')
  expect([status, body.details.causes[0].field]).toEqual([422, 'metadata.name'])
})

test('a key of the data may have the name of something that every JavaScript object has', async () => {
  expect((await api.create(`${ns}/configmaps`, configMap('keys', { toString: 'a', constructor: 'b' }))).data).toEqual({
    toString: 'a',
    constructor: 'b',
  })
})

test('a YAML body does as well', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  k: "1"\n'
  const { status, body } = await api.send('POST', `${ns}/configmaps`, text, { 'content-type': 'application/yaml' })
  expect([status, body.data]).toEqual([201, { k: '1' }])
})

test('broken YAML is rejected with its line', async () => {
  const { status, body } = await api.send('POST', `${ns}/configmaps`, 'a: b\n  c: [', {
    'content-type': 'application/yaml',
  })
  expect(status).toBe(400)
  expect(body.message).toMatch(/^the object provided is unrecognized \(must be of type ConfigMap\): yaml: line \d+: /)
})

test('a body of another media type is refused', async () => {
  const { status, body } = await api.send('POST', `${ns}/configmaps`, 'x', { 'content-type': 'text/plain' })
  expect([status, body.reason]).toEqual([415, 'UnsupportedMediaType'])
  expect(body.message).toMatch(
    /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml/,
  )
})

test('a body past three mebibytes is refused', async () => {
  const { status, body } = await api.send(
    'POST',
    `${ns}/configmaps`,
    configMap('huge', { k: 'x'.repeat(3 * 1024 * 1024) }),
  )
  expect([status, body.reason, body.message]).toEqual([
    413,
    'RequestEntityTooLarge',
    'Request entity too large: limit is 3145728',
  ])
})

test('invalid UTF-8 is rejected', async () => {
  const response = await fetch(`${api.running.url}${ns}/configmaps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.running.token}`, 'content-type': 'application/json' },
    body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  })
  expect(response.status).toBe(400)
})

describe('generateName', () => {
  test('gives a name with five characters behind the base', async () => {
    const { metadata } = await api.create(`${ns}/configmaps`, { metadata: { generateName: 'made-' } })
    expect(metadata.name).toMatch(/^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(metadata.generateName).toBe('made-')
  })

  test('cuts a long base', async () => {
    const { metadata } = await api.create(`${ns}/configmaps`, { metadata: { generateName: 'n'.repeat(100) } })
    expect(metadata.name).toHaveLength(63)
  })

  test('yields to a name', async () => {
    expect(
      (await api.create(`${ns}/configmaps`, configMap('named', {}, { generateName: 'made-' }))).metadata.name,
    ).toBe('named')
  })

  test('that cannot begin a name is invalid', async () => {
    const { status, body } = await api.send('POST', `${ns}/configmaps`, { metadata: { generateName: 'UPPER' } })
    expect(status).toBe(422)
    expect(body.message).toContain('metadata.generateName: Invalid value: "UPPER"')
  })
})

describe('a dry run', () => {
  test('answers what would be, with a name and a uid, and stores nothing', async () => {
    const before = api.running.store.revision
    const { status, body } = await api.send('POST', `${ns}/configmaps?dryRun=All`, {
      metadata: { generateName: 'dry-' },
    })
    expect([status, body.metadata.name.length, typeof body.metadata.uid, body.metadata.resourceVersion]).toEqual([
      201,
      9,
      'string',
      undefined,
    ])
    expect(api.running.store.revision).toBe(before)
  })

  test('meets the name that exists', async () => {
    await api.create(`${ns}/configmaps`, configMap('taken'))
    expect((await api.send('POST', `${ns}/configmaps?dryRun=All`, configMap('taken'))).status).toBe(409)
  })

  test('of a service takes no address', async () => {
    const service = { metadata: { name: 'dry' }, spec: { clusterIP: '10.96.77.77', ports: [{ port: 80 }] } }
    expect((await api.send('POST', `${ns}/services?dryRun=All`, service)).status).toBe(201)
    expect((await api.send('POST', `${ns}/services`, service)).status).toBe(201)
  })

  test('is All or nothing', async () => {
    const { status, body } = await api.send('POST', `${ns}/configmaps?dryRun=Some`, configMap('x'))
    expect(status).toBe(422)
    expect(body.message).toContain('dryRun: ')
  })
})

describe('fieldValidation', () => {
  const odd = (name: string): string =>
    `{"metadata":{"name":"${name}"},"data":{"k":"1","k":"2"},"surprise":1,"immutable":true}`
  const post = (query: string, body: unknown): ReturnType<typeof api.send> =>
    api.send('POST', `${ns}/configmaps?${query}`, body)

  test('warns of unknown and duplicate fields by default, one header for each', async () => {
    const { status, headers, body } = await post('', odd('warned'))
    expect(status).toBe(201)
    expect(headers.get('warning')).toBe('299 - "duplicate field \\"data.k\\"", 299 - "unknown field \\"surprise\\""')
    expect([body.surprise, body.data]).toEqual([undefined, { k: '2' }])
  })

  test('Ignore says nothing', async () => {
    const { status, headers } = await post('fieldValidation=Ignore', odd('ignored'))
    expect([status, headers.get('warning')]).toEqual([201, null])
  })

  test('Strict refuses and names every field', async () => {
    const { status, body } = await post('fieldValidation=Strict', odd('strict'))
    expect(status).toBe(400)
    expect(body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.k", unknown field "surprise"',
    )
  })

  test('finds unknown fields in lists and below', async () => {
    const strange = {
      metadata: { name: 'deep' },
      spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, porto: 1 }] }] },
    }
    const { body } = await api.send('POST', `${ns}/pods?fieldValidation=Strict`, strange)
    expect(body.message).toContain('strict decoding error: unknown field "spec.containers[0].ports[0].porto"')
  })

  test('of another value is invalid', async () => {
    const { status, body } = await post('fieldValidation=Perhaps', configMap('x'))
    expect(status).toBe(422)
    expect(body.message).toContain(
      'fieldValidation: Unsupported value: "Perhaps": supported values: "Ignore", "Strict", "Warn"',
    )
  })

  test('holds for YAML too', async () => {
    const { status, body } = await api.send(
      'POST',
      `${ns}/configmaps?fieldValidation=Strict`,
      'metadata:\n  name: yaml-strict\ndatum: {}\n',
      { 'content-type': 'application/yaml' },
    )
    expect(status).toBe(400)
    expect(body.message).toContain('unknown field "datum"')
  })
})

test.each([
  ['fieldManager=%00', 'fieldManager'],
  [`fieldManager=${'x'.repeat(129)}`, 'fieldManager'],
])('an invalid field manager is rejected', async (query, field) => {
  const { status, body } = await api.send('POST', `${ns}/configmaps?${query}`, configMap('managed'))
  expect([status, body.message.includes(field)]).toEqual([422, true])
})

test('empty maps and lists of metadata are not stored', async () => {
  const { metadata } = await api.create(
    `${ns}/configmaps`,
    configMap('empty', { k: 'v' }, { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] }),
  )
  expect(Object.keys(metadata).toSorted()).toEqual([
    'creationTimestamp',
    'managedFields',
    'name',
    'namespace',
    'resourceVersion',
    'uid',
  ])
})

test.each([
  ['labels', { 'bad key!': 'x' }, 'metadata.labels'],
  ['annotations', { 'bad key!': 'x' }, 'metadata.annotations'],
  ['finalizers', ['nonsense!'], 'metadata.finalizers'],
  ['ownerReferences', [{ apiVersion: 'v1', kind: 'Pod', name: '', uid: 'u' }], 'metadata.ownerReferences'],
])('bad %s are invalid', async (field, value, path) => {
  const { status, body } = await api.send('POST', `${ns}/configmaps`, configMap('bad', {}, { [field]: value }))
  expect([status, body.details.causes[0].field.startsWith(path)]).toEqual([422, true])
})
