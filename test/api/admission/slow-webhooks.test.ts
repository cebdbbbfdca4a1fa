import { expect, test } from 'vitest'
import { hookedServer } from './hooked-server.ts'

/**
 * While a webhook is asked about a new object, what admission has found for the object goes. The object must not be stored
 * as if it were still there.
 */
const hooked = hookedServer()

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io'
const definition = {
  metadata: { name: 'widgets.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

const pod = (spec: object = {}): object => ({
  metadata: { name: 'slow' },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})

interface Case {
  readonly what: string
  /** Creates what the object needs. */
  readonly made?: readonly (readonly [path: string, body: object])[]
  readonly object: object
  /** The path below the API's root, `%` for the namespace; default: pods. */
  readonly path?: string
  readonly bucket?: string
  readonly gone: readonly [bucket: string, key: string]
  /** Does the object only begin to go? */
  readonly terminating?: boolean
  /** Default: 403. */
  readonly code?: number
  readonly message: string
}

const PODS = '/api/v1/namespaces/%/pods'
const NAMESPACE = ['namespaces', '%'] as const
const cases: readonly Case[] = [
  {
    what: 'its namespace',
    object: { metadata: { name: 'slow' } },
    path: '/api/v1/namespaces/%/configmaps',
    bucket: 'configmaps',
    gone: NAMESPACE,
    code: 404,
    message: 'namespaces "%" not found',
  },
  {
    what: 'its namespace, which begins to go,',
    object: pod(),
    gone: NAMESPACE,
    terminating: true,
    message: 'because it is being terminated',
  },
  {
    what: 'its priority class',
    made: [['/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'precious' }, value: 7 }]],
    object: pod({ priorityClassName: 'precious' }),
    gone: ['priorityclasses.scheduling.k8s.io', 'precious'],
    message: 'no PriorityClass with name precious was found',
  },
  {
    what: 'its runtime class',
    made: [['/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'quick' }, handler: 'quick' }]],
    object: pod({ runtimeClassName: 'quick' }),
    gone: ['runtimeclasses.node.k8s.io', 'quick'],
    message: 'RuntimeClass "quick" not found',
  },
  {
    what: 'its service account',
    made: [['/api/v1/namespaces/%/serviceaccounts', { metadata: { name: 'worker' } }]],
    object: pod({ serviceAccountName: 'worker' }),
    gone: ['serviceaccounts', '%/worker'],
    message: 'serviceaccount "worker" not found',
  },
  {
    what: 'its definition',
    made: [['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition]],
    object: { apiVersion: 'shop.example.com/v1', kind: 'Widget', metadata: { name: 'slow' } },
    path: '/apis/shop.example.com/v1/namespaces/%/widgets',
    bucket: 'widgets.shop.example.com',
    gone: [DEFINITIONS, 'widgets.shop.example.com'],
    code: 404,
    message: 'not found',
  },
]

test.each(
  cases.flatMap((one) => [
    { ...one, limited: false },
    { ...one, limited: true },
  ]),
)(
  'an object is not stored when $what goes while a webhook is asked (in a namespace with quotas: $limited)',
  async ({ made = [], object, path = PODS, bucket = 'pods', gone, terminating, code = 403, message, limited }) => {
    const { server, ns } = hooked
    const here = (text: string): string => text.replace('%', ns)
    for (const [where, body] of made) expect((await server.send('POST', here(where), body)).status).toBe(201)
    if (limited) {
      const quota = { metadata: { name: 'q' }, spec: { hard: { pods: '9', 'count/configmaps': '9' } } }
      expect((await server.send('POST', `/api/v1/namespaces/${ns}/resourcequotas`, quota)).status).toBe(201)
    }
    await hooked.register('validating', {
      rules: [{ operations: ['CREATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
      failurePolicy: 'Fail',
    })
    hooked.answer = ({ request }) => {
      const [place, key] = gone
      const found = server.store.latest(place, here(key))?.object
      if (request.name === 'slow' && found !== undefined) {
        const kept = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/keep'] }
        const marked = { ...found, metadata: { ...found.metadata, ...kept } }
        const write = { bucket: place, key: here(key) }
        void server.store.commit([
          terminating === true ? { type: 'put', ...write, object: marked } : { type: 'delete', ...write },
        ])
      }
      return { allowed: true }
    }
    await server.until(here(path), (body) => body.kind !== 'Status')
    const { status, body } = await server.send('POST', here(path), object)
    expect([status, body.message]).toEqual([code, expect.stringContaining(here(message))])
    expect(server.store.latest(bucket, `${ns}/slow`)).toBeUndefined()
  },
)

test('of two default priority classes that are created at once only one is stored', async () => {
  const { server } = hooked
  const made = ['a', 'b', 'c'].map((name) =>
    server.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
      metadata: { name },
      value: 1,
      globalDefault: true,
    }),
  )
  const codes = (await Promise.all(made)).map(({ status }) => status)
  expect(codes.toSorted((a, b) => a - b)).toEqual([201, 403, 403])
})
