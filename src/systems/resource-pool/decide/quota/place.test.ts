import { expect, test } from 'vitest'
import { claimOf, inPool, NOW, poolOf } from '../../../../../test/systems/resource-pool/pool-arena.ts'
import type { ResourcePool } from '../../api/resource-pool.ts'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import type { JsonObject, ObjectMeta } from '../../../../machinery/object.ts'
import { poolStatusChange } from '../apply-outcome.ts'
import { decidePool } from '../decide-pool.ts'
import { nextSteps } from './write-order.ts'
import { poolQuota, upToDate } from './pool-quota.ts'

const CPU = 'requests.cpu'
const POOL = poolOf('p', { quota: { hard: { [CPU]: '4' } } })
const NAMESPACES = inPool('p', 'a', 'b')
const CLAIMS = ['a', 'b'].map((namespace, age) => claimOf('c', { [CPU]: '1' }, { namespace, age }))

/** The pool's quota in a namespace, with nothing claimed, and what somebody did to it. */
const quotaIn = (namespace: string, metadata: ObjectMeta = {}, spec: ResourceQuota['spec'] = {}): ResourceQuota => {
  const quota = poolQuota({ pool: POOL, namespace, hard: {}, release: undefined })
  return { ...quota, metadata: { uid: namespace, resourceVersion: '1', ...quota.metadata, ...metadata }, spec }
}

const decide = (
  pool: ResourcePool,
  quotas: readonly ResourceQuota[],
  obstructed: Readonly<Record<string, string>> = {},
) =>
  decidePool({
    pool,
    claims: CLAIMS,
    namespaces: NAMESPACES,
    quotas: new Map(quotas.map((quota) => [quota.metadata.namespace ?? '', quota])),
    obstructed: new Map(Object.entries(obstructed)),
  })

const written = (pool: ResourcePool, outcome: ReturnType<typeof decide>): ResourcePool => {
  const status = poolStatusChange(pool, outcome, NOW)
  return status === undefined ? pool : { ...pool, status }
}

const decisions = ({ claims }: ReturnType<typeof decide>): unknown =>
  claims.map(({ claim, decision }) => [claim.metadata.namespace, decision.verdict])

test('a claim is given something only where the quota of its pool is in its place', () => {
  expect(decisions(decide(POOL, [quotaIn('a')]))).toEqual([['a', 'allocated']])
  for (const other of [
    quotaIn('b', { labels: {} }),
    quotaIn('b', { ownerReferences: [] }),
    quotaIn('b', { deletionTimestamp: NOW }),
    quotaIn('b', {}, { scopes: ['BestEffort'] }),
    quotaIn('b', {}, { scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'Exists' }] } }),
  ])
    expect(decisions(decide(POOL, [quotaIn('a'), other]))).toEqual([['a', 'allocated']])
})

test('where something is in the way the claims of the namespace wait, and the pool lists it', () => {
  const outcome = decide(POOL, [quotaIn('a')], { b: 'hands off' })
  expect(decisions(outcome)).toEqual([
    ['a', 'allocated'],
    ['b', 'refused'],
  ])
  expect(outcome.claims[1]?.waiting).toMatchObject({ reason: 'NoQuota', message: expect.stringContaining('hands off') })
  expect(outcome.status.blockedNamespaces).toEqual([{ name: 'b', message: 'hands off' }])
  expect(outcome.status.conditions[0]).toMatchObject({ type: 'Ready', status: 'False' })
})

test('grants in a namespace that the pool cannot limit any more are kept until it can, and no claim waits for them', () => {
  const before = written(POOL, decide(POOL, [quotaIn('a'), quotaIn('b')]))
  const outcome = decide(before, [quotaIn('a')], { b: 'hands off' })
  expect(outcome.status.claims).toEqual({ a: [expect.objectContaining({ name: 'c' })] })
  expect(outcome.status.releasing).toMatchObject({ b: { room: { [CPU]: '1' } } })
  expect(outcome.status.allocation?.available).toEqual({ [CPU]: '2' })
  const younger = claimOf('d', { [CPU]: '2' }, { age: 9 })
  const quotas = new Map([['a', quotaIn('a')]])
  const obstructed = new Map([['b', 'hands off']])
  const claims = [...CLAIMS, younger]
  const pool = written(before, outcome)
  const next = decidePool({ pool, claims, namespaces: NAMESPACES, quotas, obstructed })
  expect(next.claims.find(({ claim }) => claim === younger)?.decision.verdict).toBe('allocated')
})

test('a foreign quota in one namespace keeps no other namespace from its limit', () => {
  const pool = written(POOL, decide(POOL, [quotaIn('a'), quotaIn('b')], {}))
  const high = quotaIn('b', { ownerReferences: [] }, { hard: { [CPU]: '1k' } })
  const quotas = new Map([
    ['a', quotaIn('a')],
    ['b', high],
  ])
  const raised = (obstructed: ReadonlySet<string>): boolean =>
    nextSteps({ pool, quotas, isLive: true, obstructed }).writes.some(
      (write) => write.kind === 'update' && write.namespace === 'a' && write.raises,
    )
  expect([raised(new Set()), raised(new Set(['b']))]).toEqual([false, true])
})

test('a quota that is being deleted loses the finalizers that keep it', () => {
  const kept = quotaIn('a', { deletionTimestamp: NOW, finalizers: ['example.com/stays'] })
  const { writes } = nextSteps({
    pool: written(POOL, decide(POOL, [kept])),
    quotas: new Map([['a', kept]]),
    isLive: true,
  })
  const write = writes.find(({ namespace }) => namespace === 'a')
  expect(write?.kind).toBe('let-go')
  if (write?.kind === 'let-go') expect(write.quota.metadata).not.toHaveProperty('finalizers')
})

test('finalizers, owners and annotations that are not the pool’s are taken away; others stay', () => {
  const [owner] = quotaIn('a').metadata.ownerReferences ?? []
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' }
  const isRight = (metadata: ObjectMeta): boolean => upToDate(quotaIn('a', metadata), POOL, {})
  expect(isRight({ annotations: { own: 'yes', 'allot.dev/release-token': '7' } })).toBe(true)
  expect(isRight({ annotations: { 'allot.dev/release-token': 'x' } })).toBe(false)
  expect(isRight({ annotations: { 'allot.dev/other': '7' } })).toBe(false)
  expect(isRight({ finalizers: ['example.com/stays'] })).toBe(false)
  expect(owner && isRight({ ownerReferences: [owner, other] })).toBe(false)
  const wrong = quotaIn('a', { annotations: { own: 'yes', 'allot.dev/other': '7' }, finalizers: ['example.com/stays'] })
  const { metadata } = poolQuota({ pool: POOL, namespace: 'a', hard: {}, release: undefined, quota: wrong })
  expect([metadata.annotations, metadata.finalizers, metadata.ownerReferences]).toEqual([
    { own: 'yes' },
    undefined,
    [owner],
  ])
})

test('managed fields that are so many that the limits may not fit are forgotten; those that repeat the limits stay', () => {
  const hard = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`count/kind${at}.example.com`, '1']))
  const entry = (manager: string, fieldsV1: object): JsonObject => ({
    manager,
    operation: 'Apply',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1,
  })
  const managers = Array.from({ length: 200 }, (_, at) => entry(`m${at}`, { 'f:metadata': { 'f:labels': {} } }))
  const managed = (quota: ResourceQuota, managedFields: readonly JsonObject[]): ResourceQuota => ({
    ...quota,
    metadata: { ...quota.metadata, managedFields },
  })
  const crowded = managed(quotaIn('a'), managers)
  expect(upToDate(crowded, POOL, {})).toBe(false)
  const made = (quota: ResourceQuota): ObjectMeta =>
    poolQuota({ pool: POOL, namespace: 'a', hard: {}, release: undefined, quota }).metadata
  expect(made(crowded).managedFields).toEqual([{}])
  // As caches keep it.
  expect(made(managed(quotaIn('a'), [{}])).managedFields).toEqual([{}])
  const fields = Object.fromEntries(Object.keys(hard).map((name) => [`f:${name}`, {}]))
  const large = managed(
    { ...quotaIn('a'), spec: { hard }, status: { hard, used: hard } },
    [{ 'f:spec': { 'f:hard': fields } }, { 'f:status': { 'f:hard': fields, 'f:used': fields } }].map((owned, at) =>
      entry(`m${at}`, owned),
    ),
  )
  expect(made(large)).not.toHaveProperty('managedFields')
})

test('labels and annotations that are so many that the pool’s own may not fit are taken away', () => {
  const annotations = { own: 'x'.repeat(200_000), 'allot.dev/release-token': '7' }
  const crowded = quotaIn('a', { annotations })
  expect(upToDate(crowded, POOL, {})).toBe(false)
  const release = { room: {}, token: '8' }
  const { metadata } = poolQuota({ pool: POOL, namespace: 'a', hard: {}, release, quota: crowded })
  expect(metadata.annotations).toEqual({ 'allot.dev/release-token': '8' })
  expect(metadata.labels).toEqual(quotaIn('a').metadata.labels)
})
