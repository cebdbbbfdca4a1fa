// Covers index.ts, as users of the library call it.
import { expect, test } from 'vitest'
import {
  allocate,
  decide,
  explain,
  InputError,
  JsonPath,
  type KubeObject,
  LabelSelector,
  Quantity,
  type ResourceQuota,
  resourceOf,
  usageOf,
} from './index.ts'

const pod = (cpu: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', resourceVersion: '1' },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...more },
})
const quota = (name: string, hard: Record<string, string>, used: Record<string, string>): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name, namespace: 'ns' },
  spec: { hard },
  status: { hard, used },
})

test('an object costs what quotas would charge for it', () => {
  const usage = usageOf(pod('250m'))
  expect([usage['requests.cpu']?.toString(), usage['pods']?.toString()]).toEqual(['250m', '1'])
  expect(Object.keys(usageOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {} }))).toEqual([
    'count/deployments.apps',
  ])
  expect(usageOf({ apiVersion: 'v1', kind: 'Event', metadata: {} })).toEqual({})
})

test('a resource claim costs devices of the extended resource that its class, given as related, names', () => {
  const claim: KubeObject = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'two', namespace: 'ns' },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', count: 2 } }] } },
  }
  const deviceClass: KubeObject = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: 'gpu' },
    spec: { extendedResourceName: 'example.com/gpu' },
  }
  expect(usageOf(claim, { related: [deviceClass] })['requests.example.com/gpu']?.toString()).toBe('2')
  expect(usageOf(claim)['requests.example.com/gpu']).toBeUndefined()
  const quotas = [quota('q', { 'requests.example.com/gpu': '1' }, { 'requests.example.com/gpu': '0' })]
  expect(decide({ quotas, operation: 'CREATE', object: claim }).verdict).toBe('admitted')
  expect(explain(decide({ quotas, operation: 'CREATE', object: claim, related: [deviceClass] }))).toBe(
    'exceeded quota: q, requested: requests.example.com/gpu=2, used: requests.example.com/gpu=0, limited: requests.example.com/gpu=1',
  )
})

test('a pod whose deletion is overdue costs only its place', () => {
  const going = pod('1')
  const deleted = {
    ...going,
    metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 },
  }
  expect(Object.keys(usageOf(deleted, { now: Date.parse('2026-01-01T00:00:31Z') }))).toEqual(['count/pods'])
})

test.each([
  ['v1', 'Pod', '', 'pods'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'networking.k8s.io', 'networkpolicies'],
  ['networking.k8s.io/v1', 'Ingress', 'networking.k8s.io', 'ingresses'],
  ['example.test/v1', 'Gateway', 'example.test', 'gateways'],
  ['v1', 'Endpoints', '', 'endpoints'],
])('%s %s is served as %s/%s', (apiVersion, kind, group, resource) => {
  expect(resourceOf({ apiVersion, kind })).toEqual({ group, resource })
})

test('a decision names every quota and every resource that refuses', () => {
  const quotas = [
    quota('team', { 'requests.cpu': '1', pods: '5' }, { 'requests.cpu': '900m', pods: '2' }),
    quota('all', { pods: '2' }, { pods: '2' }),
  ]
  const denied = decide({ quotas, operation: 'CREATE', object: pod('200m') })
  expect(explain(denied)).toBe(
    'exceeded quota: team, requested: requests.cpu=200m, used: requests.cpu=900m, limited: requests.cpu=1; exceeded quota: all, requested: pods=1, used: pods=2, limited: pods=2',
  )
  expect(explain(denied, 'first')).not.toContain('quota: all')
  const admitted = decide({ quotas: quotas.slice(0, 1), operation: 'CREATE', object: pod('100m') })
  expect(explain(admitted)).toBe('admitted, takes of quota team: pods=1,requests.cpu=100m')
})

test('an update is charged what it costs more than what it replaces', () => {
  const quotas = [quota('team', { 'requests.cpu': '1' }, { 'requests.cpu': '500m' })]
  const resize = { quotas, operation: 'UPDATE', subresource: 'resize', oldObject: pod('500m') } as const
  expect(explain(decide({ ...resize, object: pod('1') }))).toBe('admitted, takes of quota team: requests.cpu=500m')
  expect(decide({ ...resize, object: pod('2') }).verdict).toBe('denied')
  expect(explain(decide({ quotas, operation: 'UPDATE', object: pod('1'), oldObject: pod('1') }))).toBe(
    'admitted, costs nothing',
  )
})

test('quantities, selectors and paths are those of the product', () => {
  expect(Quantity.parse('1Gi').add(Quantity.parse('512Mi')).toString()).toBe('1536Mi')
  expect(LabelSelector.parse('app in (a,b),!old').matches({ app: 'b' })).toBe(true)
  expect(LabelSelector.compile({ matchLabels: { app: 'a' } })({ app: 'b' })).toBe(false)
  expect(LabelSelector.validate({ matchExpressions: [{ key: 'a', operator: 'Like' }] }, 'spec.selector')[0]?.path).toBe(
    'spec.selector.matchExpressions[0].operator',
  )
  expect(JsonPath.compile('{.spec.containers[*].name}').evaluate(pod('1'))).toEqual([['c']])
})

test('a pool gives claims their amounts in the order of their age', () => {
  const claim = (name: string, second: number, cpu: string): KubeObject => ({
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'ResourcePoolClaim',
    metadata: { name, namespace: 'shop', uid: name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    spec: { pool: 'team', claim: { 'requests.cpu': cpu } },
  })
  const outcome = allocate({
    pool: {
      apiVersion: 'capsule.clastix.io/v1beta2',
      kind: 'ResourcePool',
      metadata: { name: 'team' },
      spec: { selectors: [{ matchLabels: { team: 'a' } }], quota: { hard: { 'requests.cpu': '4' } } },
    },
    claims: [claim('late', 3, '1'), claim('first', 1, '3'), claim('big', 2, '2')],
    namespaces: [{ name: 'shop', labels: { team: 'a' } }, { name: 'other' }],
  })
  expect(outcome.claims.map(({ claim: { metadata }, decision: { verdict } }) => [metadata.name, verdict])).toEqual([
    ['first', 'allocated'],
    ['big', 'waiting'],
    ['late', 'allocated'],
  ])
  expect(outcome.quotas.get('shop')?.['requests.cpu']?.toString()).toBe('4')
  expect(outcome.status.allocation?.available).toEqual({ 'requests.cpu': '0' })
})

test('a deletion needs only what is deleted, and takes nothing', () => {
  const quotas = [quota('q', { pods: '0' }, { pods: '5' })]
  const decision = decide({ quotas, operation: 'DELETE', oldObject: pod('1') })
  expect(decision).toEqual({ verdict: 'admitted', charges: [] })
})

test('quotas of other namespaces do not count, and those that name none do', () => {
  const full = quota('q', { pods: '0' }, { pods: '0' })
  const elsewhere = { ...full, metadata: { name: 'q', namespace: 'elsewhere' } }
  const verdict = (one: ResourceQuota, object = pod('1')): string =>
    decide({ quotas: [one], operation: 'CREATE', object }).verdict
  expect([verdict(full), verdict(elsewhere)]).toEqual(['denied', 'admitted'])
  expect(verdict({ ...full, metadata: { name: 'q' } })).toBe('denied')
  expect(verdict(full, { ...pod('1'), metadata: { name: 'p' } })).toBe('denied')
})

test('a quota without a status enforces nothing yet', () => {
  const { status: _uncounted, ...uncounted } = quota('q', { pods: '0' }, {})
  expect(decide({ quotas: [uncounted], operation: 'CREATE', object: pod('1') })).toEqual({
    verdict: 'admitted',
    charges: [],
  })
})

test.each<[string, unknown, string]>([
  ['no object', { quotas: [], operation: 'CREATE' }, 'object: must be an object, not nothing'],
  [
    'an object without a kind',
    { quotas: [], operation: 'CREATE', object: { apiVersion: 'v1', metadata: {} } },
    'object.kind: must be a non-empty string',
  ],
  [
    'an old object without an apiVersion',
    { quotas: [], operation: 'UPDATE', object: pod('1'), oldObject: { kind: 'Pod', metadata: {} } },
    'oldObject.apiVersion: must be a non-empty string',
  ],
  [
    'an object without metadata',
    { quotas: [], operation: 'CREATE', object: { apiVersion: 'v1', kind: 'Pod' } },
    'object.metadata: must be an object, not nothing',
  ],
  [
    'an invalid quota',
    { quotas: [null], operation: 'CREATE', object: pod('1') },
    'quotas[0]: must be an object, not null',
  ],
  [
    'an unknown operation',
    { quotas: [], operation: 'create', object: pod('1') },
    'operation: must be one of CREATE, UPDATE, DELETE, not "create"',
  ],
  ['a deletion of nothing', { quotas: [], operation: 'DELETE' }, 'oldObject: must be an object, not nothing'],
])('%s is reported as a wrong input', (_, question, message) => {
  // As untyped callers may have it.
  const ask = (): unknown => decide(question as never)
  expect(ask).toThrow(InputError)
  expect(ask).toThrow(message)
})

test('wrong inputs of the other functions are reported alike', () => {
  expect(() => usageOf({ kind: 'Pod' })).toThrow('object.apiVersion: must be a non-empty string')
  expect(() => resourceOf({})).toThrow('object.apiVersion: must be a non-empty string')
  expect(() => allocate({ pool: pod('1'), claims: [7], namespaces: [] } as never)).toThrow(
    'claims[0]: must be an object, not a number',
  )
})
