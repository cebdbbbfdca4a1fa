// Covers choose-pool.ts and claim-guards.ts.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { claimOf, poolOf, settle, withoutReleases } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { withClaimChange } from '../../../../test/systems/resource-pool/with-claim-change.ts'
import { RELEASE_ANNOTATION } from '../api/pool-names.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import type { ResourceQuotaStatus } from '../../../kinds/resource-quota/resource-quota.ts'
import { claimChange } from './apply-outcome.ts'
import { homeOf, onItsWay, strayOutcome } from './choose-pool.ts'
import { admittedClaim, claimUpdateRefusal } from './claim-guards.ts'
import { isTrue } from '../../../../test/operator/pool-objects.ts'

const RUNS = { numRuns: process.env['ALLOT_SOAK'] === undefined ? 200 : 5000 }
const CPU = 'requests.cpu'
const MEMORY = 'requests.memory'
const HERE = { name: 'a', labels: { team: 'x' } }

const pools = fc.array(
  fc.record({
    cpu: fc.integer({ min: 0, max: 6 }),
    /** The amount that others have of it. */
    taken: fc.integer({ min: 0, max: 6 }),
    memory: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
    serves: fc.boolean(),
    bornAt: fc.nat(3),
  }),
  { minLength: 1, maxLength: 4 },
)

const lives = fc.record({
  pools,
  asks: fc.record({ cpu: fc.integer({ min: 0, max: 5 }), memory: fc.option(fc.integer({ min: 0, max: 3 })) }),
  first: fc.nat(3),
  /** The change between its first pool and the update. */
  meanwhile: fc.constantFrom(
    'nothing',
    'pool-deleted',
    'pool-made-anew',
    'selection-changed',
    'release-asked',
    'resized',
  ),
  /** Does something in the namespace use what the claim has? */
  isUsed: fc.boolean(),
  /** Was the webhook asked, or did the operator find the claim so? */
  isReviewed: fc.boolean(),
})
type Life = typeof lives extends fc.Arbitrary<infer T> ? T : never

interface World {
  readonly pools: readonly ResourcePool[]
  readonly claim: ResourcePoolClaim
}

const nameOf = (pool: ResourcePool | undefined): string => pool?.metadata.name ?? ''
const served = (pool: ResourcePool): boolean => pool.spec.selectors?.[0]?.matchLabels?.['team'] === 'x'
const has = (claim: ResourcePoolClaim, pool: ResourcePool): boolean =>
  (pool.status?.claims?.['a'] ?? []).some(({ uid }) => uid === claim.metadata.uid)

function poolsOf(shapes: Life['pools']): readonly ResourcePool[] {
  return shapes.map(({ cpu, taken, memory, serves, bornAt }, at) => {
    const hard = { [CPU]: `${cpu}`, ...(memory === undefined ? {} : { [MEMORY]: `${memory}` }) }
    const used = { [CPU]: `${Math.min(cpu, taken)}` }
    const others = [{ namespace: 'b', name: 'o', uid: 'o', claims: used }]
    const pool = poolOf(
      `p${at}`,
      { quota: { hard }, selectors: [{ matchLabels: { team: serves ? 'x' : 'y' } }] },
      { metadata: { creationTimestamp: `2026-01-01T00:00:0${bornAt}Z` }, status: { claims: { b: others } } },
    )
    return settle(pool, [claimOf('o', used, { namespace: 'b', uid: 'o', pool: `p${at}` })], NAMESPACES_OF(pool)).pool
  })
}

/** Others live in namespaces that each pool serves. */
const NAMESPACES_OF = (pool: ResourcePool) => [
  HERE,
  { name: 'b', labels: { ...pool.spec.selectors?.[0]?.matchLabels } },
]

/** Lets every pool, and the watch over claims without one, decide until nobody has anything to write. */
function settled(world: World, used: Readonly<Record<string, ResourceQuotaStatus>>): World {
  let now = world
  for (let turn = 0; turn < 12; turn++) {
    let isAtRest = true
    const home = homeOf(now.claim, HERE, now.pools)
    if (home === undefined) {
      const change = claimChange(strayOutcome(now.claim, now.pools, HERE), undefined, 'now')
      if (change !== undefined) now = { ...now, claim: withClaimChange(now.claim, change) }
      isAtRest &&= change === undefined
    }
    for (const pool of now.pools) {
      const next = homeOf(now.claim, HERE, now.pools)
      const others = claimOf('o', {}, { namespace: 'b', uid: 'o', pool: nameOf(pool) })
      const other = { ...others, spec: { ...others.spec, claim: pool.status?.claims?.['b']?.[0]?.claims ?? {} } }
      const isSeen =
        now.claim.status?.pool?.name === nameOf(pool) ||
        nameOf(next) === nameOf(pool) ||
        now.claim.spec.pool === nameOf(pool)
      const mine = isSeen ? [onItsWay(now.claim, pool, next)] : []
      const after = settle(pool, [other, ...mine], NAMESPACES_OF(pool), used)
      const mineAfter = after.claims[1]
      const claim =
        mineAfter === undefined || mineAfter === mine[0]
          ? now.claim
          : mine[0] === now.claim || mineAfter.spec.pool !== mine[0]?.spec.pool
            ? mineAfter
            : { ...mineAfter, spec: now.claim.spec }
      isAtRest &&= after.pool.status === pool.status && claim === now.claim
      now = {
        claim,
        pools: now.pools.map((one) => (one === pool ? withoutReleases(after.pool) : one)),
      }
    }
    if (isAtRest) return now
  }
  throw new Error('the claim and its pools do not come to rest')
}

/** The world in which a claim has lived in its first pool, and the claim as its owner then writes it without a pool. */
function lived({ pools: shapes, asks, first, meanwhile, isUsed, isReviewed }: Life) {
  const request = { [CPU]: `${asks.cpu}`, ...(asks.memory === null ? {} : { [MEMORY]: `${asks.memory}` }) }
  const all = poolsOf(shapes)
  const named = nameOf(all[first % all.length])
  const use: ResourceQuotaStatus = { hard: { [CPU]: '100' }, used: { [CPU]: isUsed ? `${asks.cpu}` : '0' } }
  let world = settled({ pools: all, claim: claimOf('c', request, { pool: named }) }, {})
  const change = (write: (pool: ResourcePool) => ResourcePool | undefined): void => {
    world = { ...world, pools: world.pools.flatMap((one) => (nameOf(one) === named ? (write(one) ?? []) : [one])) }
  }
  if (meanwhile === 'pool-deleted') change(() => undefined)
  if (meanwhile === 'pool-made-anew')
    change(({ metadata, spec }) => poolOf(named, spec, { metadata: { ...metadata, uid: 'anew' } }))
  if (meanwhile === 'selection-changed')
    change((pool) => ({ ...pool, spec: { ...pool.spec, selectors: [{ matchLabels: { team: 'z' } }] } }))
  const old = world.claim
  const written: ResourcePoolClaim = {
    ...old,
    metadata: {
      ...old.metadata,
      ...(meanwhile === 'release-asked' ? { annotations: { [RELEASE_ANNOTATION]: 'true' } } : {}),
    },
    spec: { claim: meanwhile === 'resized' ? { ...request, [CPU]: `${asks.cpu + 1}` } : request, pool: '' },
  }
  const admitted = isReviewed ? admittedClaim(written, 'UPDATE', HERE, world.pools) : written
  const pool = world.pools.find((one) => old.status?.pool?.name === nameOf(one))
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: {}, status: use } as const
  const refusal = isReviewed ? claimUpdateRefusal(admitted, old, { pool, quota, claims: [old] }) : undefined
  return { world, old, admitted, refusal, used: { a: use }, before: pool }
}

test('a claim whose pool is taken away gets one with room, if any has it, whatever happened before', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const { world, old, admitted, refusal, used, before } = lived(life)
      if (refusal !== undefined) {
        // Only what is used is held where it is.
        expect(life.isUsed && before !== undefined && has(old, before)).toBe(true)
        return
      }
      const after = settled({ ...world, claim: admitted }, used)
      const holder = after.pools.find((pool) => has(after.claim, pool))
      const mayHave = world.pools.filter((pool) => {
        const { hard = {}, available = {} } = pool.status?.allocation ?? {}
        const held = pool.status?.claims?.['a']?.find(({ uid }) => uid === old.metadata.uid)?.claims ?? {}
        const room = (name: string): number => Number(available[name] ?? 0) + Number(held[name] ?? 0)
        return (
          served(pool) &&
          Object.entries(admitted.spec.claim).every(([name, amount]) => name in hard && Number(amount) <= room(name))
        )
      })
      if (mayHave.length > 0) expect(nameOf(holder)).not.toBe('')
      if (holder !== undefined) expect(isTrue(after.claim, 'Allocated')).toBe(true)
      if (life.isUsed && before !== undefined && has(old, before) && served(before))
        expect(has(after.claim, before) || !mayHave.includes(before)).toBe(true)
      expect(after.pools.filter((pool) => has(after.claim, pool)).length).toBeLessThanOrEqual(1)
    }),
    RUNS,
  )
})

test('a claim that has its room stays where it is, however often its owner takes the name of its pool away', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const { world, old, admitted, before } = lived({ ...life, meanwhile: 'nothing' })
      if (before === undefined || !has(old, before)) return
      expect([before.metadata.name, '']).toContain(admitted.spec.pool)
      const { pools: left, claim } = settled(
        { ...world, claim: { ...admitted, spec: { ...admitted.spec, pool: '' } } },
        {},
      )
      expect(left.filter((pool) => has(claim, pool)).map(nameOf)).toEqual([nameOf(before)])
    }),
    RUNS,
  )
})
