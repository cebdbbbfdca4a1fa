import { expect, test } from 'vitest'
import { applied, claimOf, inPool, NOW, poolOf, settle } from '../../../../../test/systems/resource-pool/pool-arena.ts'
import type { ResourcePool } from '../../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../../api/claim.ts'
import type { JsonObject } from '../../../../machinery/object.ts'
import { allocate } from '../allocate.ts'
import { claimChange } from '../apply-outcome.ts'
import { strayOutcome } from '../choose-pool.ts'

const CPU = 'requests.cpu'
const AT_A = inPool('p', 'a')

const pool = (cpu: string, config: JsonObject = {}, quota: JsonObject = {}): ResourcePool =>
  poolOf('p', { quota: { hard: { [CPU]: cpu }, ...quota }, config })

const claim = (name: string, cpu: string, age: number): ResourcePoolClaim => claimOf(name, { [CPU]: cpu }, { age })

const waitingOf = (claims: readonly ResourcePoolClaim[]): unknown => claims.map(({ status }) => status?.waiting)

const allocated = ({ status }: ResourcePoolClaim): string | undefined =>
  status?.conditions.find(({ type }) => type === 'Allocated')?.status

test('a claim that waits for room says how much is free, and one behind others says so, each with its place', () => {
  const claims = [claim('has', '1500m', 0), claim('wants', '2', 1), claim('behind', '1', 2)]
  const { claims: after, outcome } = settle(pool('2', { orderedQueue: true }), claims, AT_A)
  expect(waitingOf(after)).toEqual([
    undefined,
    {
      reason: 'WaitingForRoom',
      message: 'waits for room: requests.cpu: 2 of 500m free',
      for: 'requests.cpu: 2 of 500m free; 1st in the queue',
      position: 1,
    },
    {
      reason: 'WaitingInQueue',
      message: 'waits for older claims: requests.cpu: 1 behind older claims of 2',
      for: 'requests.cpu: 1 behind older claims of 2; 2nd in the queue',
      position: 2,
    },
  ])
  expect(after.map(allocated)).toEqual(['True', 'False', 'False'])
  expect(outcome.status).toMatchObject({
    waitingCount: 2,
    waiting: [
      { position: 1, namespace: 'a', name: 'wants', reason: 'WaitingForRoom' },
      { position: 2, namespace: 'a', name: 'behind', reason: 'WaitingInQueue' },
    ],
  })
  expect(outcome.status.blockedBy).toBeUndefined()
})

test('a claim and its Events do not tell how many younger claims wait [security/dashboard]', () => {
  const line = (younger: number) => {
    const others = Array.from({ length: younger }, (_, at) => claim(`y${at}`, '1', at + 2))
    const { claims, outcome } = settle(pool('2'), [claim('has', '1500m', 0), claim('wants', '2', 1), ...others], AT_A)
    return [claims[1]?.status, outcome.claims.find((one) => one.claim.metadata.name === 'wants')?.events]
  }
  expect(line(3)).toEqual(line(0))
  expect(line(30)).toEqual(line(0))
})

test('a claim larger than its pool never fits, and blocks an ordered queue, which the pool says', () => {
  const claims = [claim('large', '5', 0), claim('small', '1', 1)]
  const { claims: after, outcome } = settle(pool('4', { orderedQueue: true }), claims, AT_A)
  expect(after.map(allocated)).toEqual(['False', 'False'])
  expect(after[0]?.status?.waiting).toEqual({
    reason: 'NeverFits',
    message: 'the whole pool is too small: requests.cpu: 5 of 4 in the pool; ask for less, or let the pool grow',
    for: 'requests.cpu: 5 of 4 in the pool; 1st in the queue',
    position: 1,
  })
  expect(outcome.status.blockedBy).toMatchObject({ namespace: 'a', name: 'large', reason: 'NeverFits' })
  const again = settle(pool('4', { orderedQueue: true }), after, AT_A)
  expect(again.outcome.claims.flatMap(({ events }) => events)).toEqual([])
})

test('with StandAside others pass a claim that never fits, until the pool grows', () => {
  const config = { orderedQueue: true, oversizedClaims: 'StandAside' }
  const claims = [claim('large', '5', 0), claim('small', '3', 1), claim('next', '2', 2)]
  const first = settle(pool('4', config), claims, AT_A)
  expect(first.claims.map(allocated)).toEqual(['False', 'True', 'False'])
  expect(first.outcome.status.waiting?.map(({ name, position }) => [name, position])).toEqual([
    ['next', 1],
    ['large', undefined],
  ])
  expect(first.outcome.status.blockedBy).toBeUndefined()
  const grown: ResourcePool = { ...first.pool, spec: pool('8', config).spec }
  const second = settle(grown, first.claims, AT_A)
  expect(second.claims.map(allocated)).toEqual(['True', 'True', 'False'])
})

test('a claim that no pool takes says why, and has no condition of a claim in a pool', () => {
  const reasonOf = (of: ResourcePoolClaim | undefined): unknown => [
    of?.status?.waiting?.reason,
    of?.status?.conditions.map(({ type }) => type),
  ]
  const written = (of: ResourcePoolClaim, pools: readonly ResourcePool[]): unknown => {
    const change = claimChange(strayOutcome(of, pools), undefined, NOW)
    return [change?.status?.waiting?.reason, change?.status?.conditions.map(({ type }) => type)]
  }
  expect(written(claim('lost', '1', 0), [])).toEqual(['NoSuchPool', ['Ready', 'Reconciling']])
  expect(written(claimOf('any', { [CPU]: '1' }, { pool: '' }), [])).toEqual(['NoPool', ['Ready', 'Reconciling']])
  const elsewhere = settle(pool('4'), [claim('far', '1', 0)], inPool('other', 'a'))
  expect(reasonOf(elsewhere.claims[0])).toEqual(['PoolDoesNotSelectNamespace', ['Ready', 'Reconciling']])
  const other = settle(pool('4'), [claimOf('memory', { 'requests.memory': '1Gi' })], AT_A)
  expect(reasonOf(other.claims[0])).toEqual(['NeverFits', ['Ready', 'Reconciling']])
})

test('a claim that can never be served stalls only when it has waited for its pool to change', () => {
  const start = Date.parse(NOW)
  const [small, large] = [pool('4'), pool('8')]
  const at = (of: ResourcePool, claims: readonly ResourcePoolClaim[], ms: number) =>
    settle(of, claims, AT_A, {}, start + ms).claims
  const standing = (claims: readonly ResourcePoolClaim[]): unknown =>
    claims.map(({ status }) =>
      status?.conditions.filter(({ type }) => type === 'Reconciling' || type === 'Stalled').map(({ type }) => type),
    )
  // One is too large for its pool, and the other asks for what the pool has not.
  const first = at(small, [claim('large', '5', 0), claimOf('memory', { 'requests.memory': '1Gi' })], 0)
  expect(standing(first)).toEqual([['Reconciling'], ['Reconciling']])
  const waiting = at(small, first, 4_999)
  expect(waiting).toEqual(first)
  expect(standing(at(large, waiting, 4_999))).toEqual([[], ['Reconciling']])
  const stalled = at(small, waiting, 5_000)
  expect(standing(stalled)).toEqual([['Stalled'], ['Stalled']])
  expect(at(small, stalled, 60_000)).toEqual(stalled)
  expect(standing(at(large, stalled, 60_000))).toEqual([[], ['Stalled']])
  // What is asked for now has to wait anew.
  const edited = stalled.map((one) => ({ ...one, metadata: { ...one.metadata, generation: 2 } }))
  expect(standing(at(small, edited, 60_000))).toEqual([['Reconciling'], ['Reconciling']])
})

test('a claim of a resource that its pool lacks is named with the amounts, with a warning, once', () => {
  const request = { [CPU]: '5', 'requests.memory': '1Gi', pods: '2' }
  const hard = { [CPU]: '4', pods: '2' }
  const { claims, outcome } = settle(poolOf('p', { quota: { hard } }), [claimOf('memory', request)], AT_A)
  const amounts = 'requests.cpu: 5 of 4 in the pool, requests.memory: 1Gi of none in the pool'
  const message = `the whole pool is too small: ${amounts}; claim only what the pool has, or add it to the pool`
  expect(claims[0]?.status?.waiting).toEqual({ reason: 'NeverFits', message, for: amounts })
  expect(outcome.claims.flatMap(({ events }) => events)).toEqual([
    { type: 'Warning', reason: 'NeverFits', note: message },
  ])
  const again = settle(poolOf('p', { quota: { hard } }), claims, AT_A)
  expect(again.outcome.claims.flatMap(({ events }) => events)).toEqual([])
})

test('a claim of an amount that no quota can have gets a warning too', () => {
  const { outcome } = settle(pool('4'), [claimOf('fine', { [CPU]: '100u' })], AT_A)
  expect(outcome.claims.flatMap(({ events }) => events)).toMatchObject([{ type: 'Warning', reason: 'NeverFits' }])
})

test('a pool whose scopes do not go with its resources says so, and no claim of it is claimable', () => {
  const { claims, outcome } = settle(pool('4', {}, { scopes: ['BestEffort'] }), [claim('one', '1', 0)], AT_A)
  expect(outcome.status.conditions[0]).toMatchObject({
    status: 'False',
    message: expect.stringContaining('unsupported scope applied to resource'),
  })
  expect(claims[0]?.status?.waiting?.reason).toBe('NoQuota')
  expect(claims[0]?.status?.conditions.map(({ type, status }) => [type, status])).toEqual([
    ['Ready', 'False'],
    ['Reconciling', 'True'],
  ])
  expect(outcome.status.claims).toBeUndefined()
})

test('a pool with a selector that is not valid says which one', () => {
  const selectors = [{ matchExpressions: [{ key: 'team', operator: 'Equals', values: ['a'] }] }]
  const { outcome } = settle(poolOf('p', { selectors, quota: { hard: { [CPU]: '1' } } }), [], AT_A)
  expect(outcome.status.conditions[0]).toMatchObject({
    status: 'False',
    message: expect.stringContaining('spec.selectors[0].matchExpressions[0].operator: Invalid value: "Equals"'),
  })
})

test.each([
  ['an ordered queue', { orderedQueue: true }, '1'],
  ['a queue that lets others pass', {}, '3'],
])('a change at the head of %s of 10,000 writes tens of claims', (_, config, each) => {
  const first = claim('c0', '4', 0)
  const others = Array.from({ length: 10_000 }, (__, at) => claim(`c${at + 1}`, each, at + 1))
  const start = settle(pool('4', config), [first, ...others], AT_A)
  const { releasing: _none, ...status } = settle(start.pool, start.claims.slice(1), AT_A).outcome.status
  const conditions = start.pool.status?.conditions ?? []
  const freed: ResourcePool = { ...start.pool, status: { ...status, conditions } }
  const waiting = start.claims.slice(1)
  const outcome = allocate({ pool: freed, claims: waiting, namespaces: AT_A, used: {} })
  const changed = outcome.claims.flatMap((one) => claimChange(one, freed, NOW) ?? [])
  expect(changed.length).toBeGreaterThan(0)
  expect(changed.length).toBeLessThan(50)
  const after = applied(freed, waiting, outcome)
  expect(after.claims.filter((one) => allocated(one) === 'True')).toHaveLength(each === '1' ? 4 : 1)
})

test('the message of a claim stays short, however long its names and amounts are', () => {
  const claims = [
    claimOf('amount', { [CPU]: '9'.repeat(100_000) }),
    claimOf('fraction', { [CPU]: `0.${'1'.repeat(100_000)}` }),
    claimOf('resource', { ['x'.repeat(40_000)]: '1' }),
    claimOf('resources', Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`r${at}`, '1']))),
    claimOf('large', { [CPU]: '9'.repeat(15) }),
  ]
  const { claims: after, outcome } = settle(pool('4'), claims, AT_A)
  for (const { status } of after) expect(JSON.stringify(status).length).toBeLessThan(20_000)
  expect(after.map(({ status }) => status?.waiting?.reason)).toEqual(Array.from(claims, () => 'NeverFits'))
  expect(JSON.stringify(outcome.status).length).toBeLessThan(20_000)
  for (const stray of [
    claimOf('pool', {}, { pool: 'y'.repeat(100_000) }),
    claimOf('none', { ['x'.repeat(40_000)]: '1' }, { pool: '' }),
  ]) {
    const change = claimChange(strayOutcome(stray, []), undefined, NOW)
    expect(JSON.stringify(change?.status).length).toBeLessThan(20_000)
    expect(change?.status?.waiting?.message).toBeDefined()
  }
})

test('a claim that is being deleted and holds nothing says so, and waits for nothing', () => {
  const { pool: after, claims } = settle(pool('1'), [claim('has', '1', 0), claim('waits', '1', 1)], AT_A)
  const going = claims.map((one) => ({
    ...one,
    metadata: { ...one.metadata, deletionTimestamp: NOW, finalizers: ['a.test/b'] },
  }))
  const [has, waits] = settle(after, going, AT_A).claims
  expect(has?.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Allocated', status: 'True' }))
  expect(waits?.status?.conditions).toEqual([
    expect.objectContaining({
      type: 'Ready',
      status: 'False',
      message: 'the claim is being deleted and holds nothing',
    }),
  ])
  expect(waits?.status?.waiting).toBeUndefined()
})
