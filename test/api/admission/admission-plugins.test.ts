import { describe, expect, test } from 'vitest'
import { apiServer, MERGE, pod } from '../api-server.ts'

const api = apiServer()

const range = (path: string, limits: readonly unknown[], name = 'limits'): Promise<unknown> =>
  api.create(`${path}/limitranges`, { metadata: { name }, spec: { limits } })
const containers = (...list: readonly object[]): object => ({
  containers: list.map((one, i) => ({ name: `c${i}`, image: 'i', ...one })),
})
const message = async (path: string, object: unknown): Promise<string> => {
  const { status, body } = await api.send('POST', path, object)
  expect([status, body.reason]).toEqual([403, 'Forbidden'])
  return body.message
}

describe('LimitRanger', () => {
  test('gives containers the defaults that they lack, and says so', async () => {
    const path = await api.namespace()
    await range(path, [{ type: 'Container', default: { cpu: '500m', memory: '1Gi' }, defaultRequest: { cpu: '100m' } }])
    const spec = containers({}, { resources: { requests: { cpu: '1m' }, limits: { cpu: '2' } } })
    const created = await api.create(`${path}/pods`, { metadata: { name: 'p' }, spec })
    expect(created.spec.containers.map(({ resources }: { resources: unknown }) => resources)).toEqual([
      { limits: { cpu: '500m', memory: '1Gi' }, requests: { cpu: '100m', memory: '1Gi' } },
      { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1m', memory: '1Gi' } },
    ])
    expect(created.metadata.annotations['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0; memory request for container c1; memory limit for container c1',
    )
  })

  test('gives init containers theirs', async () => {
    const path = await api.namespace()
    await range(path, [{ type: 'Container', default: { cpu: '1' } }])
    const created = await api.create(`${path}/pods`, {
      metadata: { name: 'p' },
      spec: { ...containers({}), initContainers: [{ name: 'i', image: 'i' }] },
    })
    expect(created.spec.initContainers[0].resources).toEqual({ limits: { cpu: '1' }, requests: { cpu: '1' } })
  })

  test('defaults count towards a quota that comes behind it', async () => {
    const path = await api.namespace()
    await range(path, [{ type: 'Container', defaultRequest: { cpu: '300m' } }])
    await api.create(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '500m' } } })
    await api.create(`${path}/pods`, pod('a'))
    expect(await message(`${path}/pods`, pod('b'))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=300m, used: requests.cpu=300m, limited: requests.cpu=500m',
    )
  })

  test('a rejected object is charged to no quota', async () => {
    const path = await api.namespace()
    await range(path, [{ type: 'Container', max: { cpu: '1' } }])
    await api.create(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '5' } } })
    await message(`${path}/pods`, {
      metadata: { name: 'p' },
      spec: containers({ resources: { limits: { cpu: '2' } } }),
    })
    expect(
      (await api.until(`${path}/resourcequotas/q`, ({ status }) => status?.used !== undefined)).status.used,
    ).toEqual({ pods: '0' })
  })

  test.each([
    [
      { min: { cpu: '100m' } },
      { requests: { cpu: '50m' } },
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      { max: { cpu: '1' } },
      { requests: { cpu: '1' }, limits: { cpu: '1500m' } },
      'maximum cpu usage per Container is 1, but limit is 1500m',
    ],
    [
      { maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '300m' }, limits: { cpu: '2' } },
      'cpu max limit to request ratio per Container is 2, but provided ratio is 6.666667',
    ],
  ])('%j refuses a container with %j', async (bounds, resources, text) => {
    const path = await api.namespace()
    await range(path, [{ type: 'Container', ...bounds }])
    expect(await message(`${path}/pods`, { metadata: { name: 'p' }, spec: containers({ resources }) })).toBe(
      `pods "p" is forbidden: ${text}`,
    )
  })

  test('a minimum that is also the default is met by saying nothing', async () => {
    const path = await api.namespace()
    await range(path, [{ type: 'Container', min: { cpu: '100m' }, default: { cpu: '200m' } }])
    expect((await api.send('POST', `${path}/pods`, pod('p'))).status).toBe(201)
  })

  test('reports all mistakes at once', async () => {
    const path = await api.namespace()
    await range(path, [{ type: 'Container', max: { cpu: '1', memory: '1Gi' }, default: { cpu: '1', memory: '1Gi' } }])
    const spec = containers({ resources: { limits: { cpu: '2', memory: '2Gi' } } })
    expect(await message(`${path}/pods`, { metadata: { name: 'p' }, spec })).toBe(
      'pods "p" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi]',
    )
  })

  test('holds the sum of a pod to the bounds of pods', async () => {
    const path = await api.namespace()
    await range(path, [{ type: 'Pod', max: { cpu: '1' } }])
    const half = { resources: { limits: { cpu: '600m' } } }
    expect(await message(`${path}/pods`, { metadata: { name: 'p' }, spec: containers(half, half) })).toBe(
      'pods "p" is forbidden: maximum cpu usage per Pod is 1, but limit is 1200m',
    )
    await api.create(`${path}/pods`, { metadata: { name: 'p' }, spec: containers(half) })
  })

  test('holds claims to theirs, when they are made', async () => {
    const path = await api.namespace()
    await range(path, [{ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } }])
    const claim = (name: string, storage: string): unknown => ({
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    })
    const path2 = `${path}/persistentvolumeclaims`
    expect(await message(path2, claim('big', '6Gi'))).toBe(
      'persistentvolumeclaims "big" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi',
    )
    expect(await message(path2, claim('small', '1Mi'))).toBe(
      'persistentvolumeclaims "small" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
    )
    await api.create(path2, claim('right', '2Gi'))
  })

  test('lets pods that exist be changed, and holds a resize to the bounds', async () => {
    const path = await api.namespace()
    await api.create(`${path}/pods`, pod('old', {}, { cpu: '1' }))
    await range(path, [{ type: 'Container', min: { cpu: '2' } }])
    await api.patch(`${path}/pods/old`, { metadata: { labels: { a: 'b' } } })
    const resize = { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '500m' } } }] } }
    const { status, body } = await api.send('PATCH', `${path}/pods/old/resize`, resize, MERGE)
    expect([status, body.message]).toEqual([
      403,
      'pods "old" is forbidden: minimum cpu usage per Container is 2, but request is 500m',
    ])
  })
})

describe('Priority', () => {
  const classes = '/apis/scheduling.k8s.io/v1/priorityclasses'

  test('gives a pod the value and policy of its class', async () => {
    const path = await api.namespace()
    await api.create(classes, { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' })
    expect((await api.create(`${path}/pods`, pod('p', { priorityClassName: 'high' }))).spec).toMatchObject({
      priority: 1000,
      preemptionPolicy: 'Never',
    })
  })

  test('gives 0 where there is no default class, and that of the default where there is', async () => {
    const path = await api.namespace()
    expect((await api.create(`${path}/pods`, pod('none'))).spec.priority).toBe(0)
    await api.create(classes, { metadata: { name: 'usual' }, value: 7, globalDefault: true })
    expect((await api.create(`${path}/pods`, pod('some'))).spec).toMatchObject({
      priority: 7,
      priorityClassName: 'usual',
    })
    await api.send('DELETE', `${classes}/usual`)
  })

  test('refuses a class that does not exist', async () => {
    const path = await api.namespace()
    expect(await message(`${path}/pods`, pod('p', { priorityClassName: 'nope' }))).toBe(
      'pods "p" is forbidden: no PriorityClass with name nope was found',
    )
  })

  test('refuses a number of the client’s own', async () => {
    const path = await api.namespace()
    expect(await message(`${path}/pods`, pod('p', { priority: 5 }))).toBe(
      'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    )
  })

  test('allows one default class', async () => {
    await api.create(classes, { metadata: { name: 'first' }, value: 1, globalDefault: true })
    expect(await message(classes, { metadata: { name: 'second' }, value: 2, globalDefault: true })).toBe(
      'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass first is already marked as default. Only one default can exist',
    )
    await api.send('DELETE', `${classes}/first`)
  })

  test('the classes of the system are there, and its names are nobody else’s', async () => {
    expect((await api.get(`${classes}/system-node-critical`)).value).toBe(2000001000)
    const { status } = await api.send('POST', classes, { metadata: { name: 'system-mine' }, value: 5 })
    expect([403, 422]).toContain(status)
  })

  test('a pod keeps its priority when it is replaced without it', async () => {
    const path = await api.namespace()
    await api.create(classes, { metadata: { name: 'kept' }, value: 50 })
    const created = await api.create(`${path}/pods`, pod('p', { priorityClassName: 'kept' }))
    const { priority: _priority, ...spec } = created.spec
    const { status, body } = await api.send('PUT', `${path}/pods/p`, { ...created, spec })
    expect([status, body.spec?.priority]).toEqual([200, 50])
  })
})

describe('ServiceAccount', () => {
  test('a pod runs as the default account', async () => {
    const path = await api.namespace()
    expect((await api.create(`${path}/pods`, pod('p'))).spec).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
    })
  })

  test('another must exist', async () => {
    const path = await api.namespace()
    const name = path.split('/').at(-1)
    expect(await message(`${path}/pods`, pod('p', { serviceAccountName: 'robot' }))).toBe(
      `pods "p" is forbidden: error looking up service account ${name}/robot: serviceaccount "robot" not found`,
    )
    await api.create(`${path}/serviceaccounts`, {
      metadata: { name: 'robot' },
      imagePullSecrets: [{ name: 'registry' }],
    })
    expect((await api.create(`${path}/pods`, pod('p', { serviceAccountName: 'robot' }))).spec.imagePullSecrets).toEqual(
      [{ name: 'registry' }],
    )
  })
})
