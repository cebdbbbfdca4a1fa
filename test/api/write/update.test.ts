import { beforeAll, describe, expect, test } from 'vitest'
import { apiServer, configMap, pod } from '../api-server.ts'

const api = apiServer()
let ns = ''
beforeAll(async () => {
  ns = await api.namespace()
})

const put = (path: string, object: unknown): ReturnType<typeof api.send> => api.send('PUT', `${ns}/${path}`, object)

const deployment = (name: string, replicas = 1): Record<string, unknown> => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
})
const deployments = (): string => ns.replace('/api/v1', '/apis/apps/v1').concat('/deployments')

test('a replacement based on the newest version is stored, one on an older is a conflict', async () => {
  const created = await api.create(`${ns}/configmaps`, configMap('versions'))
  const first = await put('configmaps/versions', { ...created, data: { a: '1' } })
  expect([first.status, first.body.data]).toEqual([200, { a: '1' }])
  const { status, body } = await put('configmaps/versions', { ...created, data: { a: '2' } })
  expect([status, body.reason]).toEqual([409, 'Conflict'])
  expect(body.message).toBe(
    'Operation cannot be fulfilled on configmaps "versions": the object has been modified; please apply your changes to the latest version and try again',
  )
})

test('without a version the replacement is unconditional, for kinds that allow it', async () => {
  await api.create(`${ns}/configmaps`, configMap('free'))
  expect((await put('configmaps/free', configMap('free', { a: '1' }))).status).toBe(200)
})

test('kinds that do not allow it want a version', async () => {
  const base = ns.replace('/api/v1', '/apis/policy/v1')
  const budget = { metadata: { name: 'strict' }, spec: { minAvailable: 1, selector: {} } }
  await api.create(`${base}/poddisruptionbudgets`, budget)
  const { status, body } = await api.send('PUT', `${base}/poddisruptionbudgets/strict`, budget)
  expect(status).toBe(422)
  expect(body.message).toContain('metadata.resourceVersion: Invalid value: 0: must be specified for an update')
})

test('of many that replace the same version exactly one succeeds', async () => {
  const created = await api.create(`${ns}/configmaps`, configMap('race'))
  const codes = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, i) => (await put('configmaps/race', { ...created, data: { i: String(i) } })).status,
    ),
  )
  expect(codes.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
})

test('unconditional replacements at once all succeed', async () => {
  await api.create(`${ns}/configmaps`, configMap('crowd'))
  const codes = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, i) => (await put('configmaps/crowd', configMap('crowd', { i: String(i) }))).status,
    ),
  )
  expect(new Set(codes)).toEqual(new Set([200]))
})

test('another uid is a failed precondition', async () => {
  const created = await api.create(`${ns}/configmaps`, configMap('uid'))
  const { status, body } = await put('configmaps/uid', configMap('uid', {}, { uid: 'other' }))
  expect(status).toBe(409)
  expect(body.message).toBe(
    `Operation cannot be fulfilled on configmaps "uid": StorageError: invalid object, Code: 4, Key: /registry/configmaps/ns-1/uid, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${created.metadata.uid}`,
  )
})

test('an absent object cannot be replaced', async () => {
  const { status, body } = await put('configmaps/missing', configMap('missing'))
  expect([status, body.message]).toEqual([404, 'configmaps "missing" not found'])
})

test('some kinds are created by a replacement', async () => {
  const path = ns.replace('/api/v1', '/apis/coordination.k8s.io/v1').concat('/leases/new')
  const { status } = await api.send('PUT', path, { metadata: { name: 'new' }, spec: { holderIdentity: 'me' } })
  expect(status).toBe(201)
})

test('the name must be that of the URL', async () => {
  await api.create(`${ns}/configmaps`, configMap('name'))
  const { status, body } = await put('configmaps/name', configMap('other'))
  expect([status, body.message]).toEqual([
    400,
    'the name of the object (other) does not match the name on the URL (name)',
  ])
  expect((await put('configmaps/name', { metadata: {} })).status).toBe(400)
})

test('the namespace must be that of the URL', async () => {
  await api.create(`${ns}/configmaps`, configMap('place'))
  const { status, body } = await put('configmaps/place', configMap('place', {}, { namespace: 'default' }))
  expect([status, body.message]).toEqual([
    400,
    'the namespace of the provided object does not match the namespace sent on the request',
  ])
})

test('an update that changes nothing keeps the version and sends no event', async () => {
  const created = await api.create(`${ns}/configmaps`, configMap('same', { a: '1' }))
  await using watch = await api.watch(`${ns}/configmaps?watch=1&resourceVersion=${created.metadata.resourceVersion}`)
  const again = await put('configmaps/same', configMap('same', { a: '1' }))
  expect(again.body.metadata.resourceVersion).toBe(created.metadata.resourceVersion)
  await api.create(`${ns}/configmaps`, configMap('after-same'))
  expect(await watch.lines(1)).toEqual(['ADDED after-same'])
})

test('a label with the name of something that every JavaScript object has is a label like any', async () => {
  await api.create(`${ns}/configmaps`, configMap('named', {}, { labels: { a: 'b' } }))
  await api.patch(`${ns}/configmaps/named`, { metadata: { labels: { constructor: 'x' } } })
  expect((await api.get(`${ns}/configmaps/named`)).metadata.labels).toEqual({ a: 'b', constructor: 'x' })
  expect((await api.get(`${ns}/configmaps?labelSelector=toString`)).items).toEqual([])
})

test('the metadata that the server keeps cannot be changed', async () => {
  const { metadata } = await api.create(`${ns}/pods`, pod('kept'))
  const { body, status } = await put('pods/kept', {
    ...(await api.get(`${ns}/pods/kept`)),
    metadata: { ...metadata, generation: 99, labels: { a: 'b' } },
  })
  expect(status).toBe(200)
  expect(body.metadata).toMatchObject({
    generation: 1,
    labels: { a: 'b' },
    creationTimestamp: metadata.creationTimestamp,
  })
})

test('the time of creation stays as it is, whatever is sent', async () => {
  const { metadata } = await api.create(`${ns}/configmaps`, configMap('dated'))
  const { status, body } = await put(
    'configmaps/dated',
    configMap('dated', {}, { creationTimestamp: '2001-01-01T00:00:00Z' }),
  )
  expect([status, body.metadata.creationTimestamp]).toEqual([200, metadata.creationTimestamp])
  expect((await put('configmaps/dated', configMap('dated'))).status).toBe(200)
})

test('labels that are left out of a replacement are gone', async () => {
  await api.create(`${ns}/configmaps`, configMap('labels', {}, { labels: { a: 'b' }, annotations: { c: 'd' } }))
  const { metadata } = (await put('configmaps/labels', configMap('labels'))).body
  expect([metadata.labels, metadata.annotations]).toEqual([undefined, undefined])
})

test('a dry run answers the object as it would be and changes nothing', async () => {
  await api.create(`${ns}/configmaps`, configMap('dry'))
  const { status, body } = await api.send('PUT', `${ns}/configmaps/dry?dryRun=All`, configMap('dry', { a: '1' }))
  expect([status, body.data]).toEqual([200, { a: '1' }])
  expect((await api.get(`${ns}/configmaps/dry`)).data ?? {}).toEqual({})
})

test('a dry run of what is based on an older version is a conflict', async () => {
  const created = await api.create(`${ns}/configmaps`, configMap('dry-conflict'))
  await api.patch(`${ns}/configmaps/dry-conflict`, { data: { a: '1' } })
  expect((await api.send('PUT', `${ns}/configmaps/dry-conflict?dryRun=All`, created)).status).toBe(409)
})

describe('spec and status', () => {
  test('an update of the object keeps the status', async () => {
    const created = await api.create(deployments(), deployment('keeps'))
    await api.patch(`${deployments()}/keeps/status`, { status: { replicas: 3 } })
    const { status } = (
      await api.send('PUT', `${deployments()}/keeps`, {
        ...created,
        metadata: { name: 'keeps' },
        status: { replicas: 9 },
      })
    ).body
    expect(status.replicas).toBe(3)
  })

  test('an update of the status keeps the spec', async () => {
    const created = await api.create(deployments(), deployment('status'))
    const sent = {
      ...created,
      metadata: { ...created.metadata, labels: { a: 'b' } },
      spec: { ...created.spec, replicas: 9 },
      status: { replicas: 4, observedGeneration: 1 },
    }
    const { status, body } = await api.send('PUT', `${deployments()}/status/status`, sent)
    expect([status, body.spec.replicas, body.status.replicas]).toEqual([200, 1, 4])
  })

  const claim = { spec: { devices: { requests: [{ name: 'd', exactly: { deviceClassName: 'c' } }] } } }
  const controller = {
    spec: {
      replicas: 0,
      selector: { app: 'x' },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }
  test.each([
    ['everything', 'v1', 'replicationcontrollers', controller, { o: '1', s: '2' }, { a: 'b' }],
    ['everything but labels', 'apps/v1', 'deployments', deployment('kept'), { o: '1' }, { a: 'b' }],
    ['nothing', 'resource.k8s.io/v1', 'resourceclaims', claim, { o: '1' }, undefined],
  ])('an update of the status may change of the metadata %s', async (_, group, plural, object, labels, annotations) => {
    const at = `${ns.replace('/api/v1', group === 'v1' ? '/api/v1' : `/apis/${group}`)}/${plural}`
    await api.create(at, { ...object, metadata: { name: 'kept', labels: { o: '1' } } })
    const change = { metadata: { labels: { s: '2' }, annotations: { a: 'b' } } }
    const patched = await api.patch(`${at}/kept/status?fieldManager=status`, change)
    expect([patched.metadata.labels, patched.metadata.annotations]).toEqual([labels, annotations])
    const owned = (patched.metadata.managedFields as readonly { manager: string; fieldsV1: unknown }[]).find(
      ({ manager }) => manager === 'status',
    )
    expect(JSON.stringify(owned?.fieldsV1 ?? {}).includes('f:s')).toBe('s' in labels)
  })

  test('the generation counts changes of the spec only', async () => {
    await api.create(deployments(), deployment('counted'))
    const generation = async (path: string, patch: unknown): Promise<number> =>
      (await api.patch(`${deployments()}/counted${path}`, patch)).metadata.generation
    expect(await generation('', { spec: { replicas: 2 } })).toBe(2)
    expect(await generation('', { metadata: { labels: { a: 'b' } } })).toBe(2)
    expect(await generation('/status', { status: { replicas: 2 } })).toBe(2)
    expect(await generation('', { spec: { replicas: 2 } })).toBe(2)
    expect(await generation('', { spec: { paused: true } })).toBe(3)
  })

  test('the status can be read on its own path', async () => {
    await api.create(deployments(), deployment('read'))
    expect(await api.get(`${deployments()}/read/status`)).toMatchObject({
      kind: 'Deployment',
      metadata: { name: 'read' },
    })
  })

  test('a stale status is a conflict', async () => {
    const created = await api.create(deployments(), deployment('stale'))
    await api.patch(`${deployments()}/stale`, { spec: { replicas: 5 } })
    expect(
      (await api.send('PUT', `${deployments()}/stale/status`, { ...created, status: { replicas: 1 } })).status,
    ).toBe(409)
  })
})

test('finalizers may be added while nothing is deleted, and only go afterwards', async () => {
  await api.create(`${ns}/configmaps`, configMap('fin', {}, { finalizers: ['a.test/one'] }))
  await api.patch(`${ns}/configmaps/fin`, { metadata: { finalizers: ['a.test/one', 'a.test/two'] } })
  await api.send('DELETE', `${ns}/configmaps/fin`)
  const added = await api.send(
    'PATCH',
    `${ns}/configmaps/fin`,
    { metadata: { finalizers: ['a.test/one', 'a.test/three'] } },
    { 'content-type': 'application/merge-patch+json' },
  )
  expect(added.status).toBe(422)
  expect(added.body.message).toContain(
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.test/three"}',
  )
  expect(
    (await api.patch(`${ns}/configmaps/fin`, { metadata: { finalizers: ['a.test/two'] } })).metadata.deletionTimestamp,
  ).toBeDefined()
  await api.patch(`${ns}/configmaps/fin`, { metadata: { finalizers: null } })
  expect((await api.send('GET', `${ns}/configmaps/fin`)).status).toBe(404)
})
