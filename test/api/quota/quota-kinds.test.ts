import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type InProcess, startInProcess } from '../../in-process.ts'

let server: InProcess
beforeAll(async () => {
  server = await startInProcess()
  await made('/apis/node.k8s.io/v1/runtimeclasses', {
    metadata: { name: 'boxed' },
    handler: 'boxed',
    overhead: { podFixed: { cpu: '10m', memory: '1Mi' } },
  })
  await made('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 1000 })
  await made('/apis/storage.k8s.io/v1/volumeattributesclasses', {
    metadata: { name: 'fast' },
    driverName: 'd.example.com',
    parameters: { iops: '1' },
  })
})
afterAll(() => server.stop())

async function made(path: string, body: object): Promise<Answer['body']> {
  const { status, body: answer } = await server.send('POST', path, body)
  expect(status, answer.message).toBe(201)
  return answer
}

let count = 0
interface Place {
  readonly path: string
  readonly used: () => Promise<Record<string, string>>
}
/** A namespace with one quota, whose limits are high. */
async function place(names: readonly string[], spec: object = {}): Promise<Place> {
  const name = `kinds-${(count += 1)}`
  const path = `/api/v1/namespaces/${name}`
  await made('/api/v1/namespaces', { metadata: { name } })
  const hard = Object.fromEntries(names.map((one) => [one, '1T']))
  await made(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard, ...spec } })
  return { path, used: async () => (await server.send('GET', `${path}/resourcequotas/q`)).body.status.used }
}

const container = (requests: object, more: object = {}): object => ({
  name: 'c',
  image: 'x',
  resources: { requests },
  ...more,
})
const podOf = (spec: object): object => ({ metadata: { name: 'p' }, spec: { containers: [container({})], ...spec } })

describe('a pod is charged', () => {
  test.each<readonly [string, Record<string, string>, object]>([
    [
      'the sum of its containers and sidecars',
      { 'requests.cpu': '300m', pods: '1' },
      {
        containers: [container({ cpu: '100m' })],
        initContainers: [container({ cpu: '200m' }, { name: 'side', restartPolicy: 'Always' })],
      },
    ],
    [
      'an init container that needs more, beside the sidecars before it',
      { 'requests.cpu': '1200m' },
      {
        containers: [container({ cpu: '100m' })],
        initContainers: [
          container({ cpu: '200m' }, { name: 'side', restartPolicy: 'Always' }),
          container({ cpu: '1' }, { name: 'first' }),
        ],
      },
    ],
    [
      'the overhead of its runtime class',
      { 'requests.cpu': '110m', 'requests.memory': '1Mi' },
      { containers: [container({ cpu: '100m', memory: '0' })], runtimeClassName: 'boxed' },
    ],
    [
      'its requests at pod level instead of those of its containers',
      { 'requests.cpu': '2', cpu: '2' },
      { containers: [container({ cpu: '100m' })], resources: { requests: { cpu: '2' } } },
    ],
    [
      'ephemeral storage',
      { 'requests.ephemeral-storage': '1Gi', 'limits.ephemeral-storage': '2Gi' },
      {
        containers: [
          {
            name: 'c',
            image: 'x',
            resources: { requests: { 'ephemeral-storage': '1Gi' }, limits: { 'ephemeral-storage': '2Gi' } },
          },
        ],
      },
    ],
    [
      'huge pages and extended resources, whose request is their limit',
      { 'hugepages-2Mi': '4Mi', 'requests.hugepages-2Mi': '4Mi', 'requests.example.com/gpu': '2' },
      {
        containers: [
          {
            name: 'c',
            image: 'x',
            resources: { requests: { cpu: '1' }, limits: { 'hugepages-2Mi': '4Mi', 'example.com/gpu': '2' } },
          },
        ],
      },
    ],
  ])('%s', async (_what, expected, spec) => {
    const { path, used } = await place(Object.keys(expected))
    await made(`${path}/pods`, podOf(spec))
    expect(await used()).toEqual(expected)
  })
})

const POD = ['pods']
const CLAIM = ['persistentvolumeclaims', 'requests.storage']
const claimOf = (spec: object): object => ({
  metadata: { name: 'v' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})
const reaching = (term: object): object => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {}, ...term }],
    },
  },
})

describe('of the seven scopes', () => {
  test.each<readonly [string, readonly string[], object, object]>([
    ['Terminating', POD, podOf({ activeDeadlineSeconds: 5 }), podOf({})],
    ['NotTerminating', POD, podOf({}), podOf({ activeDeadlineSeconds: 5 })],
    ['BestEffort', POD, podOf({}), podOf({ containers: [container({ cpu: '1' })] })],
    ['NotBestEffort', POD, podOf({ containers: [container({ cpu: '1' })] }), podOf({})],
    ['PriorityClass', POD, podOf({ priorityClassName: 'high' }), podOf({})],
    ['CrossNamespacePodAffinity', POD, podOf(reaching({ namespaces: ['a'] })), podOf(reaching({}))],
    ['VolumeAttributesClass', CLAIM, claimOf({ volumeAttributesClassName: 'fast' }), claimOf({})],
  ])(
    '%s counts what is in it and nothing else, in both ways to write it',
    async (scopeName, names, inside, outside) => {
      const kind = names === POD ? 'pods' : 'persistentvolumeclaims'
      const matchExpressions = [{ scopeName, operator: 'Exists' }]
      for (const spec of [{ scopes: [scopeName] }, { scopeSelector: { matchExpressions } }]) {
        const { path, used } = await place(names, spec)
        const named = (object: object, name: string): object => ({ ...object, metadata: { name } })
        await made(`${path}/${kind}`, named(inside, 'in'))
        await made(`${path}/${kind}`, named(outside, 'out'))
        expect((await used())[kind]).toBe('1')
      }
    },
  )

  test.each<readonly [string, readonly string[] | undefined, string]>([
    ['In', ['fast'], '1'],
    ['NotIn', ['fast'], '2'],
    ['Exists', undefined, '2'],
    ['DoesNotExist', undefined, '1'],
  ])('VolumeAttributesClass with %s counts claims by their class', async (operator, values, expected) => {
    const matchExpressions = [
      { scopeName: 'VolumeAttributesClass', operator, ...(values === undefined ? {} : { values }) },
    ]
    const { path, used } = await place(CLAIM, { scopeSelector: { matchExpressions } })
    for (const [name, volumeAttributesClassName] of [
      ['a', 'fast'],
      ['b', 'slow'],
      ['c', undefined],
    ] as const) {
      const { spec } = claimOf(
        volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName },
      ) as Answer['body']
      await made(`${path}/persistentvolumeclaims`, { metadata: { name }, spec })
    }
    expect((await used())['persistentvolumeclaims']).toBe(expected)
  })

  test('a claim that is moved to a class by its status is charged to the quota of that class', async () => {
    const matchExpressions = [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] }]
    const { path, used } = await place(CLAIM, { scopeSelector: { matchExpressions } })
    const claim = await made(`${path}/persistentvolumeclaims`, claimOf({}))
    expect((await used())['requests.storage']).toBe('0')
    const status = { ...claim.status, currentVolumeAttributesClassName: 'fast' }
    await server.send('PUT', `${path}/persistentvolumeclaims/v/status`, { ...claim, status })
    expect(await used()).toEqual({ persistentvolumeclaims: '1', 'requests.storage': '1Gi' })
  })
})

describe('a quota that is written', () => {
  test('warns of requests above limits when it is made, and not when it changes', async () => {
    const { path } = await place([])
    const spec = { hard: { 'requests.cpu': '2', 'limits.cpu': '1' } }
    const make = await server.send('POST', `${path}/resourcequotas`, { metadata: { name: 'w' }, spec })
    expect(make.headers.get('warning')).toBe(
      '299 - "ResourceQuota requests.cpu (2) should be less than limits.cpu (1)"',
    )
    const change = await server.send('PUT', `${path}/resourcequotas/w`, {
      metadata: { name: 'w' },
      spec: { hard: { ...spec.hard, cpu: '9' } },
    })
    expect([change.status, change.headers.get('warning')]).toEqual([200, null])
  })

  test('keeps its status when it is made or changed, and its spec when its status is written', async () => {
    const { path } = await place([])
    const wrong = { hard: { pods: '9' }, used: { pods: '7' } }
    const url = `${path}/resourcequotas/s`
    await made(`${path}/resourcequotas`, { metadata: { name: 's' }, spec: { hard: { pods: '1' } }, status: wrong })
    await server.until(url, ({ status }) => status.hard?.pods === '1' && status.used?.pods === '0')
    const { body } = await server.send('PUT', url, {
      metadata: { name: 's' },
      spec: { hard: { pods: '1' } },
      status: wrong,
    })
    expect(body.status).toEqual({ hard: { pods: '1' }, used: { pods: '0' } })
    const other = await server.send('PUT', `${url}/status`, { ...body, spec: { hard: { pods: '77' } } })
    expect(other.body.spec).toEqual({ hard: { pods: '1' } })
  })

  test('has every wrong field of a status reported, each with its path', async () => {
    const { path } = await place(['pods'])
    const url = `${path}/resourcequotas/q`
    const { body } = await server.send('GET', url)
    const status = { hard: { foo: '1', pods: '1500m' }, used: { services: '-1' } }
    const answer = await server.send('PUT', `${url}/status`, { ...body, status })
    expect(answer.status).toBe(422)
    expect(answer.body.details.causes.map(({ field, message }: Answer['body']) => `${field}: ${message}`)).toEqual([
      'status.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
      'status.hard[foo]: Invalid value: "foo": must be a standard resource for quota',
      'status.hard[pods]: Invalid value: "1500m": must be an integer',
      'status.used[services]: Invalid value: "-1": must be greater than or equal to 0',
    ])
  })
})
