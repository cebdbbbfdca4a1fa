// Covers index.ts, with the types of the official client.
import {
  type KubernetesObject,
  loadYaml,
  type V1Deployment,
  type V1Pod,
  type V1PodList,
  type V1ResourceQuota,
} from '@kubernetes/client-node'
import { expect, test } from 'vitest'
import {
  allocate,
  decide,
  explain,
  formatResourceList,
  InputError,
  recount,
  usageOf,
  usageOfPods,
  validateResourceQuota,
} from './index.ts'

// That these compile is half of the test: the official client's own types fit without casts.
const pod: V1Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'cart', namespace: 'shop', creationTimestamp: new Date('2026-01-01T08:00:00Z') },
  spec: { containers: [{ name: 'cart', resources: { requests: { cpu: '750m' } } }] },
}
const NAMED = { name: 'cart', namespace: 'shop' }
const hard = { pods: '10', 'requests.cpu': '4' }
const quota: V1ResourceQuota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'team', namespace: 'shop' },
  spec: { hard, scopeSelector: { matchExpressions: [{ scopeName: 'NotTerminating', operator: 'Exists' }] } },
  status: { hard, used: { pods: '3', 'requests.cpu': '3500m' } },
}
const PODS = { group: '', resource: 'pods' }

test('the pods and quotas of the official client are decided, measured, counted and validated as they are', () => {
  expect(explain(decide({ quotas: [quota], operation: 'CREATE', object: pod }))).toBe(
    'exceeded quota: team, requested: requests.cpu=750m, used: requests.cpu=3500m, limited: requests.cpu=4',
  )
  expect(decide({ quotas: [quota], operation: 'UPDATE', object: pod, oldObject: pod }).verdict).toBe('admitted')
  expect(usageOf(pod)['requests.cpu']?.toString()).toBe('750m')
  expect(validateResourceQuota(quota)).toEqual([])
  const { status } = recount({
    quota,
    objectsOf: ({ resource }) => (resource === 'pods' ? [pod] : undefined),
    now: 0,
    lookup: { find: () => undefined, list: () => [] },
  })
  expect(status.used).toEqual({ pods: '1', 'requests.cpu': '750m' })
})

test('a workload of the official client costs what its pods cost', () => {
  const deployment: V1Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { replicas: 4, selector: {}, template: pod.spec === undefined ? {} : { spec: pod.spec } },
    metadata: {},
  }
  expect(usageOfPods(deployment)['requests.cpu']?.toString()).toBe('3')
})

/** As the client reads them from an answer: its own classes, with fields that are undefined, Dates, and no kind in items. */
const listed = (deletionTimestamp: string): V1PodList =>
  loadYaml<V1PodList>(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'PodList',
      metadata: {},
      items: [{ metadata: { ...NAMED, deletionTimestamp, deletionGracePeriodSeconds: 30 }, spec: pod.spec }],
    }),
  )

test('items of a list that the official client read are measured by the resource that is given', () => {
  const { items } = listed('2026-01-01T00:00:00Z')
  const [item] = items
  if (item === undefined) throw new Error('the list is empty')
  const at = (time: string): unknown =>
    formatResourceList(usageOf(item, { resource: PODS, now: Date.parse(time) }))['requests.cpu']
  expect([at('2026-01-01T00:00:29Z'), at('2026-01-01T00:00:31Z')]).toEqual(['750m', undefined])
  expect(decide({ quotas: [quota], operation: 'CREATE', object: item, resource: PODS, now: 0 }).verdict).toBe('denied')
  expect(() => usageOf(item)).toThrow(new InputError('object.apiVersion', 'must be a non-empty string'))
})

test('claims whose times are Dates are served by their age', () => {
  const claim = (name: string, time: string): KubernetesObject & { spec: object } => ({
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'ResourcePoolClaim',
    metadata: { name, namespace: 'shop', uid: name, creationTimestamp: new Date(time) },
    spec: { pool: 'team', claim: { 'requests.cpu': '3' } },
  })
  const pool: KubernetesObject & { spec: object } = {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'ResourcePool',
    metadata: { name: 'team' },
    spec: { selectors: [{ matchLabels: { team: 'a' } }], quota: { hard: { 'requests.cpu': '4' } } },
  }
  const { claims } = allocate({
    pool,
    claims: [claim('late', '2026-01-01T09:00:00Z'), claim('early', '2026-01-01T08:00:00Z')],
    namespaces: [{ name: 'shop', labels: { team: 'a' } }],
  })
  expect(claims.map(({ claim: { metadata }, decision }) => [metadata.name, decision.verdict])).toEqual(
    expect.arrayContaining([
      ['early', 'allocated'],
      ['late', 'waiting'],
    ]),
  )
})

test('a date that is none is refused with its place', () => {
  const broken: V1Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...NAMED, deletionTimestamp: new Date(NaN) } }
  expect(() => usageOf(broken)).toThrow(new InputError('object.metadata.deletionTimestamp', 'is no valid date'))
})
