// Covers end/claim.ts with claim-guards.ts.
import { expect, test } from 'vitest'
import { type Arena, claimOf, inPool, poolOf, settle } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { withClaimChange } from '../../../../test/systems/resource-pool/with-claim-change.ts'
import { conditionOf } from '../../../api/condition.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import type { ResourceQuotaStatus } from '../../../kinds/resource-quota/resource-quota.ts'
import { claimChange } from './apply-outcome.ts'
import { strayOutcome } from './choose-pool.ts'
import { claimEndErrors } from './end/rules.ts'
import { isOverdue, nextMoment } from './end/claim.ts'

import { namespacesToReconcile } from './namespaces-to-reconcile.ts'
import { sentence } from '../../../machinery/field-error.ts'

const CPU = 'requests.cpu'
const HOUR = 3_600_000
const BORN = Date.UTC(2026, 0, 1)
const text = (ms: number): string => new Date(ms).toISOString().replace('.000', '')
const POOL = poolOf('p', { quota: { hard: { [CPU]: '4' } } })
const AT_A = inPool('p', 'a')
const usage = (used: string): Record<string, ResourceQuotaStatus> => ({
  a: { hard: { [CPU]: '4' }, used: { [CPU]: used } },
})

const ending = (name: string, ends: Partial<ResourcePoolClaim['spec']>, cpu = '2', age = 0): ResourcePoolClaim => {
  const claim = claimOf(name, { [CPU]: cpu }, { age })
  return { ...claim, spec: { ...claim.spec, ...ends } }
}

const expired = ({ claims }: Pick<Arena, 'claims'>, at = 0): unknown => {
  const { status, reason, message } = conditionOf(claims[at]?.status?.conditions, 'Expired') ?? {}
  return [status, reason, message]
}
const reasons = ({ outcome }: Arena): readonly string[] =>
  outcome.claims.flatMap(({ events }) => events.map(({ reason }) => reason))

test('an unused claim is announced to end, ends, gives its amounts back and stays ended', () => {
  const expiresAt = text(BORN + 20 * HOUR)
  const at = (hours: number, before?: Arena): Arena =>
    settle(before?.pool ?? POOL, before?.claims ?? [ending('c', { expiresAt })], AT_A, usage('0'), BORN + hours * HOUR)
  const first = at(1)
  expect(expired(first)).toEqual(['False', 'Lasts', `the claim ends at ${expiresAt}`])
  expect(first.claims[0]?.status?.endsAt).toBe(expiresAt)
  expect(at(18.9, first).outcome.claims[0]?.events).toEqual([])
  const soon = at(19, first)
  expect(expired(soon)).toMatchObject(['False', 'EndsSoon', expect.stringContaining(expiresAt)])
  expect(reasons(soon)).toEqual(['EndsSoon'])
  expect(at(19.5, soon).outcome.claims[0]?.events).toEqual([])
  const over = at(20, soon)
  expect(expired(over)).toEqual([
    'True',
    'Ended',
    `the claim ended at ${expiresAt}; its amounts belong to the pool again`,
  ])
  expect(reasons(over)).toEqual(['Disassociated', 'Ended'])
  expect(over.pool.status).toMatchObject({ claimCount: 0, releasing: { a: { room: { [CPU]: '2' } } } })
  expect(over.claims[0]?.status).not.toHaveProperty('pool')
  // Also a clock that goes back brings it not back.
  const back = at(1, over)
  expect(back.claims).toEqual(over.claims)
  expect(reasons(back)).toEqual([])
})

test('a used claim is frozen, named and counted, and released when the rest of the quota covers the use', () => {
  const claims = [ending('old', { expiresAt: text(BORN + HOUR) }), ending('kept', {}, '2', 1)]
  const first = settle(POOL, claims, AT_A, usage('3'), BORN)
  const frozen = settle(first.pool, first.claims, AT_A, usage('3'), BORN + HOUR)
  expect(expired(frozen)).toMatchObject(['True', 'Frozen', expect.stringContaining('workloads use its amounts')])
  expect(reasons(frozen)).toEqual(['Frozen'])
  expect(frozen.pool.status).toMatchObject({
    claimCount: 2,
    frozenCount: 1,
    frozen: [{ namespace: 'a', name: 'old', endedAt: text(BORN + HOUR) }],
    allocation: { available: { [CPU]: '0' } },
  })
  expect(frozen.outcome.quotas.get('a')?.[CPU]?.toString()).toBe('4')
  const unknown = settle(frozen.pool, frozen.claims, AT_A, {}, BORN + 2 * HOUR)
  expect(unknown.pool.status?.frozenCount).toBe(1)
  // The younger claim alone covers what is used by now.
  const over = settle(unknown.pool, unknown.claims, AT_A, usage('2'), BORN + 2 * HOUR)
  expect(expired(over)).toMatchObject(['True', 'Ended', expect.anything()])
  expect(over.pool.status).toMatchObject({ claimCount: 1 })
  expect(over.pool.status).not.toHaveProperty('frozen')
})

test('of two claims that ended, one covers what is used, and the older one goes', () => {
  const expiresAt = text(BORN + HOUR)
  const claims = [ending('first', { expiresAt }), ending('second', { expiresAt }, '2', 1)]
  const first = settle(POOL, claims, AT_A, usage('1'), BORN)
  const over = settle(first.pool, first.claims, AT_A, usage('1'), BORN + HOUR)
  expect([expired(over, 0), expired(over, 1)]).toMatchObject([
    ['True', 'Ended', expect.anything()],
    ['True', 'Frozen', expect.anything()],
  ])
})

test('a claim that has ended is Ready in the sense of tools that wait: nothing failed, and nothing is left to be done', () => {
  const first = settle(POOL, [ending('c', { expiresAt: text(BORN + HOUR) })], AT_A, usage('0'), BORN)
  const over = settle(first.pool, first.claims, AT_A, usage('0'), BORN + HOUR)
  const conditions = over.claims[0]?.status?.conditions ?? []
  expect(conditionOf(conditions, 'Ready')).toMatchObject({
    status: 'True',
    reason: 'Ended',
    message: 'the claim has ended and holds nothing',
  })
  expect(conditions.map(({ type }) => type).toSorted()).toEqual(['Expired', 'Ready'])
})

test('of claims that each cover what is used, one begins its ttlAfterBound at a time: the next when that has ended', () => {
  const claims = [ending('first', { ttlAfterBound: '1h' }), ending('second', { ttlAfterBound: '1h' }, '2', 1)]
  const began = ({ claims: now }: Arena): unknown => now.map(({ status }) => status?.boundAt)
  const first = settle(POOL, claims, AT_A, usage('2'), BORN)
  expect(began(first)).toEqual([text(BORN), undefined])
  const over = settle(first.pool, first.claims, AT_A, usage('2'), BORN + HOUR)
  const next = settle(over.pool, over.claims, AT_A, usage('2'), BORN + HOUR)
  expect(expired(next)).toMatchObject(['True', 'Ended', expect.anything()])
  expect(began(next)).toEqual([text(BORN), text(BORN + HOUR)])
})

test('ttlAfterBound counts from the first use, and the earlier of both ends counts', () => {
  const claim = ending('c', { ttlAfterBound: '2h', expiresAt: text(BORN + 9 * HOUR) })
  const unused = settle(POOL, [claim], AT_A, usage('0'), BORN + HOUR)
  expect(unused.claims[0]?.status).toMatchObject({ endsAt: text(BORN + 9 * HOUR) })
  const used = settle(unused.pool, unused.claims, AT_A, usage('1'), BORN + 3 * HOUR)
  expect(used.claims[0]?.status).toMatchObject({ boundAt: text(BORN + 3 * HOUR), endsAt: text(BORN + 5 * HOUR) })
  const pause = settle(used.pool, used.claims, AT_A, usage('0'), BORN + 4 * HOUR)
  expect(pause.claims[0]?.status?.boundAt).toBe(text(BORN + 3 * HOUR))
  const over = settle(pause.pool, pause.claims, AT_A, usage('0'), BORN + 5 * HOUR)
  expect(expired(over)).toMatchObject(['True', 'Ended', expect.anything()])
  const alone = settle(POOL, [ending('c', { ttlAfterBound: '2h' })], AT_A, usage('0'), BORN)
  expect(expired(alone)).toEqual(['False', 'Lasts', 'the claim ends 2h after workloads first use it'])
})

test('a claim that gets a ttlAfterBound which is over already ends at the next look, as far as its amounts are not used', () => {
  const first = settle(POOL, [ending('c', {}), ending('kept', {}, '2', 1)], AT_A, usage('1'), BORN)
  const bound = conditionOf(first.claims[0]?.status?.conditions, 'Bound')?.lastTransitionTime
  expect(bound).toBe(text(BORN))
  const claims = first.claims.map((claim, at) =>
    at === 0 ? { ...claim, spec: { ...claim.spec, ttlAfterBound: '2h' } } : claim,
  )
  expect(nextMoment(claims[0] ?? ending('c', {}), BORN + 1.5 * HOUR)).toBe(BORN + 1.8 * HOUR)
  const over = settle(first.pool, claims, AT_A, usage('1'), BORN + 9 * HOUR)
  expect(expired(over)).toMatchObject(['True', 'Ended', expect.stringContaining(text(BORN + 2 * HOUR))])
  expect(over.pool.status?.claimCount).toBe(1)
  const frozen = settle(first.pool, claims, AT_A, usage('3'), BORN + 9 * HOUR)
  expect(expired(frozen)).toMatchObject(['True', 'Frozen', expect.anything()])
  expect(frozen.pool.status).toMatchObject({ claimCount: 2, frozenCount: 1 })
})

test('a claim whose first use is found when its ttlAfterBound is over says that it ended once its amounts are gone', () => {
  const claims = [ending('c', { ttlAfterBound: '500ms' })]
  const unused = settle(POOL, claims, AT_A, usage('0'), BORN)
  const found = settle(unused.pool, unused.claims, AT_A, usage('1'), BORN + 900)
  expect(expired(found)).toMatchObject(['False', 'EndsSoon', expect.anything()])
  expect(found.pool.status?.claimCount).toBe(1)
  const steps = { writes: [], waits: [], excessive: [], needsLivePool: false }
  expect([...namespacesToReconcile(found.outcome, steps)]).toEqual(['a'])
  expect(found.claims.map((claim) => isOverdue(claim, BORN + 1000))).toEqual([true])
  const over = settle(found.pool, found.claims, AT_A, usage('0'), BORN + 1000)
  expect(expired(over)).toMatchObject(['True', 'Ended', expect.anything()])
  expect(over.pool.status?.claimCount).toBe(0)
  expect(over.claims.map((claim) => isOverdue(claim, BORN + 2000))).toEqual([false])
})

test('a claim that waits, or that no pool takes, ends as well, and waits no more', () => {
  const expiresAt = text(BORN + HOUR)
  const claims = [ending('large', { expiresAt }, '8'), ending('next', {}, '4', 1)]
  const pool = poolOf('p', { quota: { hard: { [CPU]: '4' } }, config: { orderedQueue: true } })
  const first = settle(pool, claims, AT_A, {}, BORN)
  expect(first.pool.status?.waitingCount).toBe(2)
  const over = settle(first.pool, first.claims, AT_A, {}, BORN + HOUR)
  expect(expired(over)).toMatchObject(['True', 'Ended', expect.anything()])
  expect(over.claims[0]?.status?.waiting).toBeUndefined()
  expect(over.pool.status).toMatchObject({ claimCount: 1 })
  const stray = strayOutcome(ending('s', { expiresAt }), [], undefined, BORN + HOUR)
  expect(stray).toMatchObject({
    decision: { verdict: 'ended' },
    waiting: null,
    conditions: { Expired: { reason: 'Ended' } },
  })
  const written = withClaimChange(stray.claim, claimChange(stray, undefined, text(BORN)) ?? {})
  expect(claimChange(strayOutcome(written, [], undefined, BORN + 2 * HOUR), undefined, text(BORN))).toBeUndefined()
})

test('a claim whose end is taken away before it lasts, and shows nothing of an end', () => {
  const first = settle(POOL, [ending('c', { expiresAt: text(BORN + HOUR) })], AT_A, usage('0'), BORN)
  const claims = first.claims.map((claim) => ({ ...claim, spec: { pool: 'p', claim: claim.spec.claim } }))
  const over = settle(first.pool, claims, AT_A, usage('0'), BORN + 2 * HOUR)
  expect(over.claims[0]?.status?.conditions.map(({ type }) => type)).not.toContain('Expired')
  expect(over.claims[0]?.status).not.toHaveProperty('endsAt')
  expect(over.pool.status?.claimCount).toBe(1)
})

test('the operator wakes for the warning and for the end, and for nothing else', () => {
  const claim = ending('c', { expiresAt: text(BORN + 20 * HOUR) })
  expect(nextMoment(claim, BORN)).toBe(BORN + 19 * HOUR)
  expect(nextMoment(claim, BORN + 19 * HOUR)).toBe(BORN + 20 * HOUR)
  expect(nextMoment(claim, BORN + 20 * HOUR)).toBeUndefined()
  const short = ending('c', { expiresAt: text(BORN + HOUR) })
  expect(nextMoment(short, BORN)).toBe(BORN + 0.9 * HOUR)
  expect(nextMoment(ending('c', { ttlAfterBound: '1h' }), BORN)).toBeUndefined()
  expect(nextMoment(ending('c', {}), BORN)).toBeUndefined()
})

test('an end is in the future when it is set, may be moved until it comes, and not afterwards', () => {
  const now = BORN + HOUR
  const errors = (spec: Partial<ResourcePoolClaim['spec']>, old?: ResourcePoolClaim): readonly string[] =>
    claimEndErrors(ending('c', spec), old, now).map(sentence)
  const past = text(BORN)
  const soon = text(now + HOUR)
  const late = text(now + 9 * HOUR)
  expect(errors({ expiresAt: past })).toEqual([`spec.expiresAt: Invalid value: "${past}": must be in the future`])
  expect(errors({ ttlAfterBound: '0s' })).toEqual(['spec.ttlAfterBound: Invalid value: "0s": must be greater than 0'])
  expect(errors({ ttlAfterBound: '1d' })).toHaveLength(1)
  const { claims } = settle(POOL, [ending('c', {})], AT_A, usage('1'), BORN)
  expect(errors({ ttlAfterBound: '30m' }, claims[0])).toEqual([
    `spec.ttlAfterBound: Invalid value: "30m": must end in the future: workloads first used the claim at ${text(BORN)}`,
  ])
  expect(errors({ ttlAfterBound: '61m' }, claims[0])).toEqual([])
  expect(errors({ expiresAt: late }, ending('c', { expiresAt: soon }))).toEqual([])
  expect(errors({}, ending('c', { expiresAt: soon, ttlAfterBound: '1h' }))).toEqual([])
  expect(errors({ expiresAt: past }, ending('c', { expiresAt: past }))).toEqual([])
  const renewal = ': Forbidden: the claim has ended and cannot be renewed; create another one'
  expect(errors({ expiresAt: late }, ending('c', { expiresAt: past }))).toEqual([`spec.expiresAt${renewal}`])
  expect(errors({ ttlAfterBound: '1h' }, ending('c', { expiresAt: past }))).toEqual([
    `spec.expiresAt${renewal}`,
    `spec.ttlAfterBound${renewal}`,
  ])
})
