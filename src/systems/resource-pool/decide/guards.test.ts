// Covers claim-guards.ts, pool-guards.ts and choose-pool.ts.
import { expect, test } from 'vitest'
import { claimOf, inPool, poolOf, settle } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { RELEASE_ANNOTATION } from '../api/pool-names.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { sentence } from '../../../machinery/field-error.ts'
import { claimAmountErrors, poolAmountErrors } from './amount/rules.ts'
import { admittedClaim, claimDeletionRefusal, claimUpdateRefusal } from './claim-guards.ts'
import { choosePool, homeOf, strayOutcome } from './choose-pool.ts'
import { withClaimChange } from '../../../../test/systems/resource-pool/with-claim-change.ts'
import { claimChange } from './apply-outcome.ts'
import { poolUpdateRefusal, withZeroDefaults } from './pool-guards.ts'

const CPU = 'requests.cpu'
const MEMORY = 'requests.memory'

const quotaWith = (used: string): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: {},
  status: { hard: { [CPU]: '4' }, used: { [CPU]: used } },
})

const twoClaims = () =>
  settle(
    poolOf('p', { quota: { hard: { [CPU]: '4' } } }),
    [claimOf('old', { [CPU]: '2' }), claimOf('new', { [CPU]: '2' }, { age: 1 })],
    inPool('p', 'a'),
  )

const asking = (
  claim: ResourcePoolClaim,
  spec: object,
  annotations: Record<string, string> = {},
): ResourcePoolClaim => ({
  ...claim,
  metadata: { ...claim.metadata, annotations },
  spec: { ...claim.spec, ...spec },
})

test('the current usage of the quota decides whether a claim may go or change, not its condition', () => {
  const { pool, claims } = twoClaims()
  const [old, young] = claims
  const around = (used: string) => ({ pool, claims, quota: quotaWith(used) })
  const stale = settle(pool, claims, inPool('p', 'a'), { a: quotaWith('1').status! }).claims[0]!
  expect(stale.status?.conditions[2]?.status).toBe('True')
  expect(claimDeletionRefusal(stale, around('0'))).toBeUndefined()
  expect(claimDeletionRefusal(old!, around('1'))).toBe('cannot delete the pool while claim is used in resourcepool p')
  expect(claimDeletionRefusal(young!, around('1'))).toBeUndefined()
  expect(claimDeletionRefusal(young!, around('3'))).toBe('cannot delete the pool while claim is used in resourcepool p')
  expect(claimDeletionRefusal(stale, { pool, claims, quota: undefined })).toContain('cannot delete')
  expect(claimDeletionRefusal(stale, { pool: undefined, claims, quota: quotaWith('4') })).toBeUndefined()
})

test('a used claim may not change, move or be released; another spelling is not a change', () => {
  const { pool, claims } = twoClaims()
  const [old] = claims
  const refusal = (claim: ResourcePoolClaim, used = '1') =>
    claimUpdateRefusal(claim, old!, { pool, claims, quota: quotaWith(used) })
  const changed = 'cannot change the requested resources while claim is allocated to a resourcepool p'
  expect(refusal(asking(old!, { claim: { [CPU]: '3' } }))).toBe(changed)
  expect(refusal(asking(old!, { claim: { [CPU]: '1' } }))).toBe(changed)
  expect(refusal(asking(old!, { pool: 'q' }))).toBe(changed)
  expect(refusal(asking(old!, { claim: { [CPU]: '2000m' } }))).toBeUndefined()
  const release = asking(old!, {}, { [RELEASE_ANNOTATION]: 'TRUE' })
  expect(refusal(release)).toBe('cannot release the claim while it is used in resourcepool p')
  expect(refusal(release, '0')).toBeUndefined()
  expect(refusal(asking(old!, { claim: { [CPU]: '1' } }), '0')).toBeUndefined()
})

test('a pool keeps what is claimed and what is still allowed', () => {
  const spec = (hard: Record<string, string>) => ({ quota: { hard } })
  const status = {
    allocation: { used: { [CPU]: '1', [MEMORY]: '0' } },
    releasing: { a: { room: { [CPU]: '500m' }, token: '1' } },
  }
  const old = poolOf('p', spec({ [CPU]: '2', [MEMORY]: '2Gi' }), { status })
  const refusal = (hard: Record<string, string>) => poolUpdateRefusal(poolOf('p', spec(hard)), old)
  expect(refusal({ [CPU]: '1200m', [MEMORY]: '2Gi' })).toBe(
    'can not reduce requests.cpu usage to 1200m because quantity 1500m is claimed . Remove corresponding claims or keep the resources in the pool',
  )
  expect(refusal({ [MEMORY]: '2Gi' })).toBe(
    'can not remove resource requests.cpu as it is still being allocated. Remove corresponding claims or keep the resources in the pool',
  )
  expect([refusal({ [CPU]: '1500m' }), refusal({ [CPU]: '9', [MEMORY]: '1' })]).toEqual([undefined, undefined])
  const tooSmall = poolOf('p', spec({ [CPU]: '1' }), { status })
  expect(poolUpdateRefusal(poolOf('p', spec({ [CPU]: '1200m' })), tooSmall)).toBeUndefined()
})

test('missing defaults become zero where that is asked for, and amounts canonical', () => {
  const pool = poolOf('p', {
    quota: { hard: { [CPU]: '1', [MEMORY]: '1024Mi', pods: 10 }, scopes: ['NotTerminating'] },
    defaults: { [CPU]: '50m', 'count/configmaps': 3 },
    config: { defaultsZero: true },
  })
  expect(withZeroDefaults(pool.spec)).toMatchObject({
    defaults: { [CPU]: '50m', [MEMORY]: '0', pods: '0', 'count/configmaps': '3' },
    quota: { hard: { [CPU]: '1', [MEMORY]: '1Gi', pods: '10' }, scopes: ['NotTerminating'] },
  })
  const plain = poolOf('p', { quota: { hard: { [MEMORY]: '1024Mi' } } }).spec
  expect(withZeroDefaults(plain)).toBe(plain)
})

test('a claim without a pool gets one that has all it asks for, one with room before one without, the oldest first', () => {
  const born = (second: number) => ({ creationTimestamp: `2026-01-01T00:00:0${second}Z` })
  const on = { selectors: [{ matchLabels: { team: 'x' } }] }
  const full = poolOf('full', { ...on, quota: { hard: { [CPU]: '1' } } }, { metadata: born(1) })
  const young = poolOf('young', { ...on, quota: { hard: { [CPU]: '9' } } }, { metadata: born(3) })
  const older = poolOf('older', { ...on, quota: { hard: { [CPU]: '9', [MEMORY]: '1' } } }, { metadata: born(2) })
  const namespace = { name: 'a', labels: { team: 'x' } }
  const choose = (claim: Record<string, string>, pools = [young, full, older], where = namespace) =>
    choosePool(claimOf('c', claim), where, pools)?.metadata.name
  expect(choose({ [CPU]: '2' })).toBe('older')
  expect(choose({ [CPU]: '2' }, [young, full])).toBe('young')
  expect(choose({ [CPU]: '10' })).toBe('full')
  expect(choose({ 'requests.storage': '1' })).toBeUndefined()
  expect(choose({ [CPU]: 'much' })).toBeUndefined()
  expect(choose({ [CPU]: '1' }, [full], { name: 'b', labels: { team: 'y' } })).toBeUndefined()

  const open = claimOf('c', { [CPU]: '2' }, { pool: '', annotations: { [RELEASE_ANNOTATION]: 'true' } })
  const made = admittedClaim(open, 'CREATE', namespace, [young, older])
  expect([made.spec.pool, made.metadata.annotations]).toEqual(['older', {}])
  expect(admittedClaim(open, 'UPDATE', namespace, []).metadata.annotations).toEqual({ [RELEASE_ANNOTATION]: 'true' })
})

test('a claim is decided by its pool, else by the one that it names; without either it says why', () => {
  const [p, q] = [poolOf('p', { quota: { hard: { [CPU]: '4' } } }), poolOf('q', { quota: {} })]
  const { claims } = twoClaims()
  const moved = asking(claims[0]!, { pool: 'q' })
  const home = (claim: ResourcePoolClaim, pools = [p, q]) => homeOf(claim, inPool('p', 'a')[0], pools)?.metadata.name
  expect(home(moved)).toBe('p')
  expect(home(moved, [q])).toBeUndefined()
  expect(home(asking(claimOf('x', {}), { pool: 'q' }))).toBe('q')
  expect(home(claimOf('x', {}, { pool: 'gone' }))).toBeUndefined()
  expect(home(claimOf('x', { [CPU]: '1' }, { pool: '' }))).toBe('p')
  const stray = (claim: ResourcePoolClaim, pools = [p]) =>
    withClaimChange(claim, claimChange(strayOutcome(claim, pools), undefined, 'now')!)
  const freed = stray(moved, [q])
  expect([freed.status?.pool, freed.status?.conditions[0]?.message, home(freed, [q])]).toEqual([
    undefined,
    'reconciled',
    'q',
  ])
  const left = stray(asking(claims[0]!, { pool: 'gone' }))
  expect(left.status?.conditions.map(({ type, message }) => `${type}: ${message}`)).toEqual([
    'Ready: ResourcePool.capsule.clastix.io "gone" not found',
    'Reconciling: ResourcePool.capsule.clastix.io "gone" not found',
  ])
  expect([left.status?.pool, left.metadata.ownerReferences]).toEqual([undefined, []])
  expect(stray(claimOf('x', {}, { pool: '' })).status?.conditions[0]?.message).toBe('no pool reference was defined')
})

test('a used claim whose pool was never written to its spec gets that pool, and no other', () => {
  const { pool, claims } = twoClaims()
  const unwritten = asking(claims[0]!, { pool: '' })
  const around = { pool, claims: [unwritten, ...claims.slice(1)], quota: quotaWith('1') }
  const elsewhere = poolOf('a-first', { quota: { hard: { [CPU]: '4' } }, selectors: [{ matchLabels: {} }] })
  const admitted = admittedClaim(unwritten, 'UPDATE', inPool('p', 'a')[0]!, [elsewhere, pool])
  expect(admitted.spec.pool).toBe('p')
  expect(claimUpdateRefusal(admitted, unwritten, around)).toBeUndefined()
  expect(claimUpdateRefusal(asking(unwritten, { pool: 'a-first' }), unwritten, around)).toContain('cannot change')
})

test('an amount below 0 is named with its field and its value, unless it stood there before', () => {
  const spec = { quota: { hard: { [CPU]: '-1000m', pods: 0 } }, defaults: { [MEMORY]: '-1024Mi', pods: -1 } }
  const pool = poolOf('p', spec)
  expect(poolAmountErrors(pool).map(sentence)).toEqual([
    'spec.defaults[pods]: Invalid value: "-1": must be greater than or equal to 0',
    'spec.defaults[requests.memory]: Invalid value: "-1Gi": must be greater than or equal to 0',
    'spec.quota.hard[requests.cpu]: Invalid value: "-1": must be greater than or equal to 0',
  ])
  expect(poolAmountErrors(pool, pool)).toEqual([])
  const lower = poolOf('p', { ...spec, quota: { hard: { [CPU]: '-2' } } })
  expect(poolAmountErrors(lower, pool).map(({ path }) => path)).toEqual(['spec.quota.hard[requests.cpu]'])
  const claim = claimOf('c', { [CPU]: '-1', pods: '1' })
  expect(claimAmountErrors(claim).map(sentence)).toEqual([
    'spec.claim[requests.cpu]: Invalid value: "-1": must be greater than or equal to 0',
  ])
  expect(claimAmountErrors(claim, claim)).toEqual([])
})
