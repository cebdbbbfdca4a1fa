import { expect, test } from 'vitest'
import { claimOf, inPool, poolOf, settle, withoutReleases } from '../../../../test/systems/resource-pool/pool-arena.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import { RELEASE_ANNOTATION } from '../api/pool-names.ts'
import { allocate } from './allocate.ts'
import type { PoolOutcome } from './queue/pool-outcome.ts'
import { formatResourceList } from '../../../quantity/resource-list.ts'

const CPU = 'requests.cpu'
const MEMORY = 'requests.memory'

/** Those that Capsule has too, and why the claim is not as it is to be. */
const conditions = ({ status }: ResourcePoolClaim): readonly string[] =>
  (status?.conditions ?? [])
    .filter(({ type }) => type !== 'Allocated')
    .map(({ type, status: is, reason, message }) => `${type}=${is} ${reason}: ${message}`)

const hardOf = (outcome: PoolOutcome, namespace: string): unknown => {
  const hard = outcome.quotas.get(namespace)
  return hard === undefined || hard === null ? hard : formatResourceList(hard)
}

const sizes = (outcome: PoolOutcome): unknown => outcome.status.allocation
const verdicts = (outcome: PoolOutcome): readonly string[] =>
  outcome.claims.map(({ claim, decision }) => `${claim.metadata.name} ${decision.verdict}`)

const WAITS = 'Bound=False Failed: claim causes exhaustions'
const FITS = 'Exhausted=False NoExhaustions: resource claimable from pool'
const READY = 'Ready=True Succeeded: reconciled'

test('a pool without claims gives its namespaces quotas with nothing but the defaults', () => {
  const bare = settle(poolOf('p', { quota: { hard: { [CPU]: '2' } } }), [], inPool('p', 'b', 'a'))
  expect(bare.outcome.status).toEqual({
    observedGeneration: 1,
    namespaceCount: 2,
    claimCount: 0,
    namespaces: ['a', 'b'],
    allocation: { hard: { [CPU]: '2' }, used: { [CPU]: '0' }, available: { [CPU]: '2' } },
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'reconciled' },
      { type: 'Exhausted', status: 'False', reason: 'NoExhaustions', message: 'no exhaustions', observedGeneration: 1 },
    ],
  })
  expect(hardOf(bare.outcome, 'a')).toEqual({})
  const defaults = { [CPU]: '100m', 'count/configmaps': '3' }
  const more = settle(poolOf('p', { quota: { hard: { [CPU]: '2' } }, defaults }), [], inPool('p', 'a'))
  expect(hardOf(more.outcome, 'a')).toEqual(defaults)
})

test('claims are stacked on the defaults, which are not part of the pool', () => {
  const spec = { quota: { hard: { [CPU]: '1', [MEMORY]: '2Gi' } }, defaults: { [MEMORY]: '1Gi' } }
  const claims = [claimOf('x', { [MEMORY]: '128Mi', [CPU]: '0' })]
  const { outcome, pool } = settle(poolOf('p', spec), claims, inPool('p', 'a'))
  expect(hardOf(outcome, 'a')).toEqual({ [MEMORY]: '1152Mi' })
  expect(sizes(outcome)).toEqual({
    hard: { [CPU]: '1', [MEMORY]: '2Gi' },
    used: { [CPU]: '0', [MEMORY]: '128Mi' },
    available: { [CPU]: '1', [MEMORY]: '1920Mi' },
  })
  expect(pool.status?.claims).toEqual({
    a: [{ name: 'x', namespace: 'a', uid: 'uid-a-x', claims: { [CPU]: '0', [MEMORY]: '128Mi' } }],
  })
  expect(outcome.finalizer).toBe(true)
})

test('an unordered pool lets a younger claim pass, and shows the older one the room that is left after that', () => {
  const claims = [
    claimOf('big', { [CPU]: '4' }, { age: 1 }),
    claimOf('small', { [CPU]: '2' }, { age: 2, namespace: 'b' }),
  ]
  const { claims: after, outcome } = settle(
    poolOf('p', { quota: { hard: { [CPU]: '2' } } }),
    claims,
    inPool('p', 'a', 'b'),
  )
  expect(after.map(conditions)).toEqual([
    [
      READY,
      'Exhausted=True PoolExhausted: requested: requests.cpu=4, available: requests.cpu=0',
      WAITS,
      'Reconciling=True NeverFits: the whole pool is too small: requests.cpu: 4 of 2 in the pool; ask for less, or let the pool grow',
    ],
    [READY, FITS],
  ])
  expect(outcome.status.exhaustions).toEqual({ [CPU]: { requesting: '4' } })
  expect(outcome.status.conditions[1]).toMatchObject({
    status: 'True',
    reason: 'PoolExhausted',
    message: 'Pool has exhaustions',
  })
  expect(outcome.claims.flatMap(({ events }) => events)).toEqual([
    { type: 'Warning', reason: 'PoolExhausted', note: 'requested: requests.cpu=4, available: requests.cpu=0' },
    {
      type: 'Warning',
      reason: 'NeverFits',
      note: 'the whole pool is too small: requests.cpu: 4 of 2 in the pool; ask for less, or let the pool grow',
    },
    { type: 'Normal', reason: 'NoExhaustions', note: 'resource claimable from pool' },
  ])
})

test('an ordered pool queues only claims for a resource that an older claim waits for', () => {
  const hard = { [CPU]: '2', [MEMORY]: '2Gi' }
  const ordered = poolOf('p', { quota: { hard }, config: { orderedQueue: true } })
  const claims = [
    claimOf('one', { [CPU]: '1500m' }, { age: 1 }),
    claimOf('two', { [CPU]: '1', [MEMORY]: '1Gi' }, { age: 2 }),
    claimOf('three', { [CPU]: '250m', [MEMORY]: '0' }, { age: 3 }),
    claimOf('four', { [MEMORY]: '512Mi' }, { age: 4 }),
  ]
  const first = settle(ordered, claims, inPool('p', 'a'))
  expect(first.claims.map((claim) => conditions(claim)[1])).toEqual([
    FITS,
    'Exhausted=True PoolExhausted: requested: requests.cpu=1, available: requests.cpu=500m',
    'Exhausted=True QueueExhausted: requested: requests.cpu=250m, queued: requests.cpu=1',
    FITS,
  ])
  expect(first.outcome.status.exhaustions).toEqual({ [CPU]: { available: '500m', requesting: '1' } })
  const grown = { ...first.pool, spec: { ...first.pool.spec, quota: { hard: { ...hard, [CPU]: '2500m' } } } }
  const second = settle(grown, first.claims, inPool('p', 'a'))
  expect(second.claims.map((claim) => conditions(claim)[1])).toEqual([
    FITS,
    FITS,
    'Exhausted=True PoolExhausted: requested: requests.cpu=250m, available: requests.cpu=0',
    FITS,
  ])
  expect(second.pool.status?.claims?.['a']?.map(({ name }) => name)).toEqual(['one', 'four', 'two'])
  expect(second.outcome.claims[1]?.decision).toEqual({ verdict: 'allocated', waited: [CPU] })
  expect(second.outcome.claims[1]?.events[1]?.note).toBe(
    'claim got the room in resourcepool p that it waited for: requests.cpu',
  )
})

test('a claim that got the room it waited for gets the event, also when the pool is reconciled again before', () => {
  const claims = [claimOf('one', { [CPU]: '1' }, { age: 1 }), claimOf('two', { [CPU]: '2' }, { age: 2 })]
  const first = settle(poolOf('p', { quota: { hard: { [CPU]: '2' } } }), claims, inPool('p', 'a'))
  const grown = { ...first.pool, spec: { ...first.pool.spec, quota: { hard: { [CPU]: '3' } } } }
  const { pool, outcome } = settle(grown, first.claims, inPool('p', 'a'))
  const again = allocate({ pool, claims: first.claims, namespaces: inPool('p', 'a'), used: {} })
  expect(outcome.claims[1]?.events).toHaveLength(2)
  expect(again.claims[1]?.events).toEqual(outcome.claims[1]?.events)
})

test('a claim that asks for nothing of an exhausted resource is not exhausted', () => {
  const claims = [claimOf('all', { [CPU]: '1' }, { age: 1 }), claimOf('none', { [CPU]: '0' }, { age: 2 })]
  const { outcome } = settle(poolOf('p', { quota: { hard: { [CPU]: '1' } } }), claims, inPool('p', 'a'))
  expect(verdicts(outcome)).toEqual(['all allocated', 'none allocated'])
})

test('a claim is resized in its place; one that no longer fits loses its room, which is free when its quota is lowered', () => {
  const resized = (claim: ResourcePoolClaim, cpu: string): ResourcePoolClaim => ({
    ...claim,
    spec: { ...claim.spec, claim: { [CPU]: cpu } },
  })
  const start = settle(
    poolOf('p', { quota: { hard: { [CPU]: '10' } } }),
    [claimOf('x', { [CPU]: '5' }), claimOf('y', { [CPU]: '1' }, { age: 1 })],
    inPool('p', 'a'),
  )
  const [x, y] = start.claims
  const grown = settle(start.pool, [resized(x!, '8'), y!], inPool('p', 'a'))
  expect(grown.pool.status).toMatchObject({ allocation: { used: { [CPU]: '9' } }, claimCount: 2 })
  expect(grown.pool.status?.releasing).toBeUndefined()
  expect(grown.pool.status?.claims?.['a']?.map(({ name }) => name)).toEqual(['x', 'y'])

  const shrunk = settle(grown.pool, [resized(x!, '3'), y!], inPool('p', 'a'))
  expect(shrunk.pool.status).toMatchObject({
    allocation: { used: { [CPU]: '4' }, available: { [CPU]: '1' } },
    releasing: { a: { room: { [CPU]: '5' }, token: '1' } },
  })
  const tooBig = settle(withoutReleases(grown.pool), [resized(x!, '55'), y!], inPool('p', 'a'))
  expect(tooBig.pool.status).toMatchObject({ claimCount: 1, releasing: { a: { room: { [CPU]: '8' } } } })
  const freed = settle(withoutReleases(tooBig.pool), tooBig.claims, inPool('p', 'a'))
  expect(conditions(freed.claims[0]!)[1]).toBe(
    'Exhausted=True PoolExhausted: requested: requests.cpu=55, available: requests.cpu=9',
  )
})

test('a claim may be made smaller in a pool that has become too small', () => {
  const start = settle(
    poolOf('p', { quota: { hard: { [CPU]: '9' } } }),
    [claimOf('x', { [CPU]: '8' })],
    inPool('p', 'a'),
  )
  const shrunk = { ...start.pool, spec: { ...start.pool.spec, quota: { hard: { [CPU]: '2' } } } }
  const smaller = start.claims.map((claim) => ({ ...claim, spec: { ...claim.spec, claim: { [CPU]: '5' } } }))
  const { outcome, pool } = settle(shrunk, smaller, inPool('p', 'a'))
  expect(verdicts(outcome)).toEqual(['x allocated'])
  expect(pool.status?.allocation).toEqual({ hard: { [CPU]: '2' }, used: { [CPU]: '5' }, available: { [CPU]: '0' } })
})

test('the claims that cover most of the usage are bound, beyond the defaults and once the quota allows the claims', () => {
  const spec = { quota: { hard: { [CPU]: '10' } }, defaults: { [CPU]: '1' } }
  const claims = [claimOf('small', { [CPU]: '1' }, { age: 1 }), claimOf('big', { [CPU]: '3' }, { age: 2 })]
  const bound = (used: string, hard: string): unknown =>
    settle(poolOf('p', spec), claims, inPool('p', 'a'), {
      a: { hard: { [CPU]: hard }, used: { [CPU]: used } },
    }).claims.map((claim) => conditions(claim)[2])
  expect(bound('1', '5')).toEqual(['Bound=False Unused: claim is unused', 'Bound=False Unused: claim is unused'])
  expect(bound('2500m', '5')).toEqual(['Bound=False Unused: claim is unused', 'Bound=True InUse: claim is used'])
  expect(bound('4500m', '5')).toEqual(['Bound=True InUse: claim is used', 'Bound=True InUse: claim is used'])
  expect(bound('2500m', '4')).toEqual([undefined, undefined])
})

test('a claim is refused with the reason, and retried when that is gone', () => {
  const claims = [
    claimOf('gpu', { 'requests.nvidia.com/gpu': '1', [CPU]: '1' }),
    claimOf('outside', { [CPU]: '1' }, { namespace: 'z' }),
    claimOf('negative', { [CPU]: '-1' }),
    claimOf('half', { pods: '500m' }),
  ]
  const start = settle(poolOf('p', { quota: { hard: { [CPU]: '2', pods: '5' } } }), claims, inPool('p', 'a'))
  expect(start.claims.map(conditions)).toEqual([
    [
      'Ready=False Failed: resource requests.nvidia.com/gpu is not available in pool p',
      'Reconciling=True NeverFits: the whole pool is too small: requests.nvidia.com/gpu: 1 of none in the pool; claim only what the pool has, or add it to the pool',
    ],
    [
      'Ready=False Failed: resourcepool not available',
      "Reconciling=True PoolDoesNotSelectNamespace: pool p does not select the namespace z: its labels fit none of the pool's selectors, or it is being deleted",
    ],
    [
      'Ready=False Failed: spec.claim: requests.cpu=-1 is not an amount that a quota can have',
      'Reconciling=True NeverFits: spec.claim: requests.cpu=-1 is not an amount that a quota can have',
    ],
    [
      'Ready=False Failed: spec.claim: pods=500m is not an amount that a quota can have',
      'Reconciling=True NeverFits: spec.claim: pods=500m is not an amount that a quota can have',
    ],
  ])
  expect(start.claims.map(({ status, metadata }) => [status?.pool, metadata.ownerReferences])).toEqual(
    claims.map(() => [undefined, undefined]),
  )
  const hard = { [CPU]: '2', 'requests.nvidia.com/gpu': '1' }
  const grown = { ...start.pool, spec: { ...start.pool.spec, quota: { hard } } }
  const { outcome } = settle(grown, start.claims, inPool('p', 'a', 'z'))
  expect(verdicts(outcome)).toEqual(['gpu allocated', 'half refused', 'negative refused', 'outside allocated'])
})

test('claims are let go when their namespace leaves or the pool is deleted', () => {
  const start = settle(
    poolOf('p', { quota: { hard: { [CPU]: '2' } } }),
    [claimOf('x', { [CPU]: '1' }), claimOf('y', { [CPU]: '1' }, { namespace: 'b' })],
    inPool('p', 'a', 'b'),
  )
  expect(start.claims[0]?.metadata.ownerReferences).toEqual([
    { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'ResourcePool', name: 'p', uid: 'uid-p' },
  ])
  const left = settle(start.pool, start.claims, inPool('p', 'b'))
  expect(conditions(left.claims[0]!)).toEqual([
    'Ready=False Failed: resourcepool not available',
    "Reconciling=True PoolDoesNotSelectNamespace: pool p does not select the namespace a: its labels fit none of the pool's selectors, or it is being deleted",
  ])
  expect(left.claims[0]).toMatchObject({
    metadata: { ownerReferences: [] },
    status: { conditions: [{ type: 'Ready' }, { type: 'Reconciling' }] },
  })
  expect(left.outcome.claims[0]?.events).toEqual([
    { type: 'Normal', reason: 'Disassociated', note: 'claim is disassociated from the pool' },
  ])
  expect(left.outcome.quotas.get('a')).toBeNull()
  expect(left.pool.status).toMatchObject({ claimCount: 1, releasing: { a: { room: { [CPU]: '1' } } } })

  const deleted = { ...start.pool, metadata: { ...start.pool.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } }
  const gone = settle(deleted, start.claims, inPool('p', 'a', 'b'))
  expect(gone.outcome).toMatchObject({ finalizer: false, namespaces: [], status: { claimCount: 0, namespaceCount: 0 } })
  expect(gone.pool.status?.releasing).toBeUndefined()
  expect(gone.claims.map(({ metadata }) => metadata.ownerReferences)).toEqual([[], []])
  const along = {
    ...deleted,
    spec: { ...deleted.spec, config: { ...deleted.spec.config, deleteBoundResources: true } },
  }
  const taken = settle(along, start.claims, inPool('p', 'a', 'b'))
  expect(taken.claims.map(({ metadata, status }) => [metadata.ownerReferences?.length, status?.pool])).toEqual([
    [1, undefined],
    [1, undefined],
  ])
})

test('a claim that is released gives its room back and queues again, unless it is used', () => {
  const start = settle(
    poolOf('p', { quota: { hard: { [CPU]: '3' } } }),
    [claimOf('x', { [CPU]: '2' }), claimOf('y', { [CPU]: '2' }, { age: 1 })],
    inPool('p', 'a'),
  )
  const asking = start.claims.map((claim) =>
    claim.metadata.name === 'x'
      ? { ...claim, metadata: { ...claim.metadata, annotations: { [RELEASE_ANNOTATION]: 'True', other: '1' } } }
      : claim,
  )
  const status = (used: string) => ({ a: { hard: { [CPU]: '2' }, used: { [CPU]: used } } })
  const used = settle(start.pool, asking, inPool('p', 'a'), status('1'))
  expect(used.pool.status?.releasing).toBeUndefined()
  expect(used.claims[0]?.metadata.annotations).toEqual({ [RELEASE_ANNOTATION]: 'True', other: '1' })
  const released = settle(start.pool, asking, inPool('p', 'a'), status('0'))
  expect(released.claims[0]?.metadata.annotations).toEqual({ other: '1' })
  expect(verdicts(released.outcome)).toEqual(['x waiting', 'y waiting'])
  const freed = settle(withoutReleases(released.pool), released.claims, inPool('p', 'a'))
  expect(verdicts(freed.outcome)).toEqual(['x allocated', 'y waiting'])
})

test('an older claim that waits gets the room of a claim that is released, though there was room for that one again', () => {
  const start = settle(
    poolOf('p', { quota: { hard: { [CPU]: '4' } } }),
    [claimOf('young', { [CPU]: '2' }, { age: 2 })],
    inPool('p', 'a', 'b'),
  )
  const old = claimOf('old', { [CPU]: '3' }, { age: 1, namespace: 'b' })
  const waiting = settle(start.pool, [...start.claims, old], inPool('p', 'a', 'b'))
  expect(verdicts(waiting.outcome)).toEqual(['old waiting', 'young allocated'])
  const asking = waiting.claims.map((claim) =>
    claim.metadata.name === 'young'
      ? { ...claim, metadata: { ...claim.metadata, annotations: { [RELEASE_ANNOTATION]: 'true' } } }
      : claim,
  )
  const released = settle(waiting.pool, asking, inPool('p', 'a', 'b'), { a: { hard: { [CPU]: '2' }, used: {} } })
  expect(verdicts(released.outcome)).toEqual(['old waiting', 'young waiting'])
  expect(released.claims.map((claim) => conditions(claim)[1])).toEqual([
    'Exhausted=True PoolExhausted: requested: requests.cpu=2, available: requests.cpu=1',
    'Exhausted=True PoolExhausted: requested: requests.cpu=3, available: requests.cpu=2',
  ])
  const freed = settle(withoutReleases(released.pool), released.claims, inPool('p', 'a', 'b'))
  expect(verdicts(freed.outcome)).toEqual(['old allocated', 'young waiting'])
})

test('a used claim that names another pool stays until it is unused', () => {
  const start = settle(
    poolOf('p', { quota: { hard: { [CPU]: '3' } } }),
    [claimOf('x', { [CPU]: '2' })],
    inPool('p', 'a'),
  )
  const moved = start.claims.map((claim) => ({ ...claim, spec: { ...claim.spec, pool: 'q' } }))
  const status = (used: string) => ({ a: { hard: { [CPU]: '2' }, used: { [CPU]: used } } })
  const used = settle(start.pool, moved, inPool('p', 'a'), status('1'))
  expect(conditions(used.claims[0]!)).toEqual([
    'Ready=False Failed: can not change pool while claim is in use for pool p',
    FITS,
    'Bound=True InUse: claim is used',
    'Reconciling=True PoolInUse: can not change pool while claim is in use for pool p',
  ])
  expect(used.pool.status?.claimCount).toBe(1)
  const unused = settle(start.pool, moved, inPool('p', 'a'), status('0'))
  expect(verdicts(unused.outcome)).toEqual(['x left'])
  expect(unused.claims[0]?.status?.pool).toBeUndefined()
})

test('selectors: an empty entry selects nothing, empty labels select all, a wrong one is skipped', () => {
  const names = (selectors: readonly object[]): readonly string[] =>
    settle(
      poolOf('p', { selectors, quota: {} }),
      [],
      [
        { name: 'plain' },
        { name: 'labelled', labels: { team: 'x' } },
        { name: 'going', labels: { team: 'x' }, deleting: true },
        { name: 'ended', labels: { team: 'x' }, phase: 'Terminating' },
      ],
    ).outcome.namespaces
  expect(names([])).toEqual([])
  expect(names([{}])).toEqual([])
  expect(names([{ matchLabels: {} }])).toEqual(['labelled', 'plain'])
  expect(names([{ matchExpressions: [{ key: 'team', operator: 'Like' }] }, { matchLabels: { team: 'x' } }])).toEqual([
    'labelled',
  ])
})

test('amounts keep the spelling that Kubernetes keeps', () => {
  const spec = { quota: { hard: { [CPU]: '2500m', [MEMORY]: '2Gi', pods: 5 } } }
  const claims = [claimOf('x', { [CPU]: '0.5', [MEMORY]: '1024Mi' })]
  const { pool } = settle(poolOf('p', spec), claims, inPool('p', 'a'))
  expect(pool.status?.allocation).toEqual({
    hard: { [CPU]: '2500m', [MEMORY]: '2Gi', pods: '5' },
    used: { [CPU]: '500m', [MEMORY]: '1Gi', pods: '0' },
    available: { [CPU]: '2', [MEMORY]: '1Gi', pods: '5' },
  })
})

test('a claim of what no ResourceQuota can hold is refused, and holds up nobody', () => {
  const pool = poolOf('p', { quota: { hard: { 'requests.cpu': '4', widgets: '2' } } })
  const { pool: after, outcome } = settle(
    pool,
    [
      claimOf('fine', { 'requests.cpu': '1n' }),
      claimOf('good', { 'requests.cpu': '1' }),
      claimOf('odd', { widgets: '1' }),
    ],
    inPool('p', 'a'),
  )
  expect(verdicts(outcome)).toEqual(['fine refused', 'good allocated', 'odd refused'])
  expect(after.status?.allocation?.used).toEqual({ 'requests.cpu': '1', widgets: '0' })
})
