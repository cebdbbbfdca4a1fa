import { expect, test } from 'vitest'
import { poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { poolQuota } from '../decide/quota/pool-quota.ts'
import { admissionRequestShape, compileMatchCondition } from '../../../cel/match-condition.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { NOT_COLLECTED, NOT_COUNTED, NOT_LEAVING } from '../../generated-quota/operate/harmless-change.ts'
import { guardQuota, type QuotaGuardOptions } from './pool-quota-guard.ts'

const CPU = 'requests.cpu'
const pool = poolOf('p', { quota: { hard: { [CPU]: '4' } } })
const made = poolQuota({ pool, namespace: 'a', hard: { [CPU]: Quantity.parse('1') }, release: undefined })
const quota: ResourceQuota = { ...made, status: { hard: { [CPU]: '1' }, used: { [CPU]: '0' } } }
const account = (name: string): string => `system:serviceaccount:kube-system:${name}`

/** The refusal to somebody that a quota becomes another, or goes. */
function refusal(
  username: string,
  object: ResourceQuota | undefined,
  { subResource = '', ownName = 'operator', served = true, old = quota } = {},
): string | undefined {
  const caches = {
    pools: { get: () => pool },
    namespaces: { get: () => ({ name: 'a', labels: { pool: served ? 'p' : 'q' } }) },
  } as unknown as QuotaGuardOptions['caches']
  const request = {
    operation: object === undefined ? 'DELETE' : 'UPDATE',
    subResource,
    object,
    oldObject: old,
    userInfo: { username, uid: '', groups: [], extra: {} },
  } as unknown as AdmissionRequest
  const own = ownName === '' ? undefined : ownName
  const decision = guardQuota(request, { caches, ownName: () => own })
  return decision.verdict === 'denied' ? decision.message : undefined
}

const isRefused = (...change: Parameters<typeof refusal>): boolean => refusal(...change) !== undefined

const raised: ResourceQuota = { ...quota, spec: { hard: { [CPU]: '9' } } }
const unowned: ResourceQuota = { ...quota, metadata: { ...quota.metadata, ownerReferences: [] } }
const enforced: ResourceQuota = { ...quota, status: { ...quota.status, hard: { [CPU]: '9' } } }
const unused: ResourceQuota = { ...quota, status: { ...quota.status, used: {} } }

test.each<readonly [string, readonly boolean[]]>([
  // raise it, take its owner away, delete it; raise and lower what its status says
  ['operator', [false, false, false, false, false]],
  ['somebody', [true, true, true, true, true]],
  ['system:apiserver', [true, true, true, false, false]],
  ['system:kube-controller-manager', [true, false, false, false, false]],
  [account('resourcequota-controller'), [true, true, true, false, false]],
  [account('generic-garbage-collector'), [true, false, false, true, true]],
  [account('namespace-controller'), [true, false, false, true, true]],
  [account('deployment-controller'), [true, true, true, true, true]],
  ['system:serviceaccount:a:generic-garbage-collector', [true, true, true, true, true]],
])('of what may be done to a quota, %s is refused %j', (who, refusals) => {
  const status = { subResource: 'status' }
  expect([
    isRefused(who, raised),
    isRefused(who, unowned),
    isRefused(who, undefined),
    isRefused(who, enforced, status),
    isRefused(who, unused, status),
  ]).toEqual(refusals)
})

test('anybody may change what means nothing, and delete what the pool does not want', () => {
  const labelled = { ...quota, metadata: { ...quota.metadata, labels: { ...quota.metadata.labels, own: 'yes' } } }
  expect(isRefused('somebody', labelled)).toBe(false)
  expect(isRefused('somebody', labelled, { subResource: 'status' })).toBe(false)
  expect(isRefused('somebody', undefined, { served: false })).toBe(false)
  expect(isRefused('somebody', raised, { ownName: '' })).toBe(false)
})

test('a write to the status cannot take a quota from its pool', () => {
  const stripped = { ...quota, metadata: { ...quota.metadata, labels: {} } }
  expect(isRefused('somebody', stripped, { subResource: 'status' })).toBe(true)
})

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'own', uid: 'u' }
const held = { ...quota, metadata: { ...quota.metadata, finalizers: ['a.test/b'] } }
const owned = {
  ...quota,
  metadata: { ...quota.metadata, ownerReferences: [...(quota.metadata.ownerReferences ?? []), owner] },
}
const noted = (name: string, text = 'x'): ResourceQuota => ({
  ...quota,
  metadata: { ...quota.metadata, annotations: { [name]: text } },
})
const labels = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`l${at}`.padEnd(63, 'x'), '']))
const labelled: ResourceQuota = {
  ...quota,
  metadata: { ...quota.metadata, labels: { ...quota.metadata.labels, ...labels } },
}

const managed = (count: number, operation = 'Apply'): ResourceQuota => ({
  ...quota,
  metadata: {
    ...quota.metadata,
    managedFields: Array.from({ length: count }, (_, at) => ({
      manager: `m${at}`,
      operation,
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': { 'f:own': {} } } },
    })),
  },
})

test.each<readonly [string, ResourceQuota, boolean]>([
  ['a finalizer', held, true],
  ['another owner', owned, true],
  ['a release token', noted('allot.dev/release-token'), true],
  ['an annotation below a domain of its own', noted('quota.projectcapsule.dev/x'), true],
  ['an annotation of 20,000 characters', noted('own', 'x'.repeat(20_000)), true],
  ['an annotation of 10,000 characters', noted('own', 'x'.repeat(10_000)), false],
  ['three hundred labels', labelled, true],
  ['20 managers that apply', managed(20), false],
  ['200 managers that apply', managed(200), true],
  ['200 managers that update', managed(200, 'Update'), true],
  ['an annotation of another domain', noted('notallot.dev/x'), false],
])('somebody who puts %s on a quota is refused: %s', (_, changed, refused) => {
  expect(isRefused('somebody', changed)).toBe(refused)
  expect(isRefused('somebody', changed, { subResource: 'status' })).toBe(refused)
  expect(isRefused('operator', changed)).toBe(false)
})

test.each<readonly [string, ResourceQuota | undefined, string]>([
  ['other limits', raised, 'be changed; change the pool or the claims of the namespace instead'],
  ['its end', undefined, 'be deleted; change the pool or the claims of the namespace instead'],
  ['a finalizer', held, 'get finalizers; leave them out'],
  ['another owner', owned, 'get other owners; leave them out'],
  [
    'a long annotation',
    noted('own', 'x'.repeat(20_000)),
    'have 20089 bytes of labels and annotations: 16384 are the most; shorten or remove some',
  ],
  [
    'many managers',
    managed(200, 'Update'),
    'have 32691 bytes of managed fields: 16517 are the most; use fewer field managers',
  ],
])('a refusal of %s names the reason', (_, changed, why) => {
  expect(refusal('somebody', changed)).toBe(`the ResourceQuota is kept by the ResourcePool p and cannot ${why}`)
  if (changed !== undefined && changed !== raised)
    expect(refusal('somebody', changed, { subResource: 'status' })).toBe(refusal('somebody', changed))
})

test('somebody may take labels, annotations and managers away of which there are too many', () => {
  expect(isRefused('somebody', managed(200), { old: managed(300) })).toBe(false)
  expect(isRefused('somebody', managed(201), { old: managed(200) })).toBe(true)
  expect(isRefused('somebody', noted('own', 'x'.repeat(20_000)), { old: noted('own', 'x'.repeat(30_000)) })).toBe(false)
  expect(isRefused('somebody', quota, { old: labelled })).toBe(false)
})

test('somebody may take finalizers and owners away that are not of the pool', () => {
  for (const old of [held, owned]) expect(isRefused('somebody', quota, { old })).toBe(false)
})

/** Is the webhook with this condition asked about what somebody does? */
function isAsked({ expression }: { readonly expression: string }, username: string, object?: object): unknown {
  const operation = object === undefined ? 'DELETE' : 'UPDATE'
  const program = compileMatchCondition(expression, admissionRequestShape())
  const { result } = program.run(
    { request: { operation, userInfo: { username } }, object: object ?? null, oldObject: quota },
    { maxCost: 1000 },
  )
  return 'value' in result ? result.value : result.error
}

test('writes of the quota controller are not even sent to the webhook', () => {
  expect(isAsked(NOT_COUNTED, 'somebody')).toBe(true)
  for (const who of ['system:apiserver', 'system:kube-controller-manager', account('resourcequota-controller')])
    expect(isAsked(NOT_COUNTED, who), who).toBe(false)
})

test('writes of collectors are not sent to the webhook, unless they would change what is allowed', () => {
  const others = { ...quota, metadata: { ...quota.metadata, ownerReferences: [] } }
  const collectors = [
    'system:kube-controller-manager',
    account('generic-garbage-collector'),
    account('namespace-controller'),
  ]
  for (const who of ['somebody', 'system:apiserver', 'system:serviceaccount:a:namespace-controller']) {
    expect(isAsked(NOT_COLLECTED, who), who).toBe(true)
    expect(isAsked(NOT_COLLECTED, who, others), who).toBe(true)
  }
  for (const who of collectors) {
    expect(isAsked(NOT_COLLECTED, who), who).toBe(false)
    expect(isAsked(NOT_COLLECTED, who, others), who).toBe(false)
    expect(isAsked(NOT_COLLECTED, who, raised), who).toBe(true)
  }
})

test('only who empties namespaces is not asked about when a claim is deleted', () => {
  for (const who of ['system:kube-controller-manager', account('namespace-controller')]) {
    expect(isAsked(NOT_LEAVING, who), who).toBe(false)
    expect(isAsked(NOT_LEAVING, who, raised), who).toBe(true)
  }
  for (const who of ['somebody', account('generic-garbage-collector')])
    expect(isAsked(NOT_LEAVING, who), who).toBe(true)
})
