import { type ResourcePool, resourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import { ifReadable } from '../../../quantity/quantity.ts'
import { add, equals, quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { shortagesOf } from './amount/capacity.ts'
import { byAge } from './claim/order.ts'
import { asksForRelease, belongsTo } from './claim/phase.ts'
import { withEnd } from './claim-end-outcome.ts'
import { withoutPool } from './claim-outcome.ts'
import { endOf, mayEnd } from './end/claim.ts'
import { entryOf } from './ledger/entries.ts'
import { totalsOf } from './ledger/pool-ledger.ts'
import type { ClaimOutcome } from './queue/pool-outcome.ts'
import { type NamespaceFacts, servesNamespace } from './select-namespaces.ts'
import { ResourceSum } from './amount/resource-sum.ts'

/** How well a pool suits a claim; less is better. */
const HAS_ROOM = 0
const IS_LARGE_ENOUGH = 1
const HAS_THE_RESOURCES = 2

/**
 * Returns the pool for a claim that names none (docs/concepts/resource-pools.md). It must serve the namespace, by its
 * selectors and labels now, and have all claimed resources. A pool with enough room is preferred, then one that is
 * large enough. Among equals the current pool of the claim comes first, then the oldest, then the first by name.
 * Amounts that the claim has in its pool count as room there.
 */
export function choosePool(
  claim: ResourcePoolClaim,
  namespace: NamespaceFacts,
  pools: readonly ResourcePool[],
): ResourcePool | undefined {
  // A claim with an invalid amount has no pool, and a pool with one is no candidate.
  const request = ifReadable(() => amountsOf(claim.spec.claim), undefined)
  if (request === undefined) return undefined
  let best: { readonly pool: ResourcePool; readonly rank: number } | undefined
  for (const pool of pools.toSorted(byAge)) {
    if (!servesNamespace(pool, namespace)) continue
    const held = heldIn(pool, claim)
    if (held !== undefined && equals(held, request)) return pool
    const rank = isBlocked(pool, namespace) ? undefined : rankOf(pool, request, held)
    if (rank === undefined) continue
    if (best === undefined || rank < best.rank || (rank === best.rank && belongsTo(claim, pool))) best = { pool, rank }
  }
  return best?.pool
}

/** The amounts that a claim has in a pool and does not give back. */
function heldIn(pool: ResourcePool, claim: ResourcePoolClaim): ResourceList | undefined {
  if (!belongsTo(claim, pool) || asksForRelease(claim)) return undefined
  const { namespace = '', uid = '' } = claim.metadata
  const entry = entryOf(pool.status?.claims, { namespace, uid })
  return entry === undefined ? undefined : amountsOf(entry.claims)
}

function rankOf(pool: ResourcePool, request: ResourceList, held: ResourceList = {}): number | undefined {
  const hard = ifReadable(() => amountsOf(pool.spec.quota.hard), undefined)
  if (hard === undefined || !hasAll(hard, request)) return undefined
  const { available } = totalsOf(hard, pool.status ?? {})
  const fits = (room: ResourceList): boolean => shortagesOf(request, new ResourceSum(room)).length === 0
  if (fits(add(available, held))) return HAS_ROOM
  return fits(hard) ? IS_LARGE_ENOUGH : HAS_THE_RESOURCES
}

/**
 * Returns the pool that decides about a claim. It is the pool that the claim belongs to, else the pool that it names,
 * else the pool that is chosen for it. A claim that names no pool any more is assigned anew. Returns undefined for a
 * claim without a pool, or whose pool is gone; see `strayOutcome`.
 */
export function homeOf(
  claim: ResourcePoolClaim,
  namespace: NamespaceFacts | undefined,
  pools: readonly ResourcePool[],
): ResourcePool | undefined {
  const current = pools.find((pool) => belongsTo(claim, pool))
  if (current === undefined) return claim.status?.pool === undefined ? wantedPool(claim, namespace, pools) : undefined
  // A claim that names no pool is to be assigned anew, however its owner took the name away.
  return (claim.spec.pool === '' ? wantedPool(claim, namespace, pools) : undefined) ?? current
}

/** Returns the pool that a claim names, or the one that is chosen for it if it names none. */
function wantedPool(
  claim: ResourcePoolClaim,
  namespace: NamespaceFacts | undefined,
  pools: readonly ResourcePool[],
): ResourcePool | undefined {
  if (claim.spec.pool !== '') return pools.find(({ metadata }) => metadata.name === claim.spec.pool)
  return namespace === undefined ? undefined : choosePool(claim, namespace, pools)
}

/**
 * Returns the claim as a pool decides about it. A claim that belongs to the pool, names none and has another home is
 * about to leave.
 */
export function onItsWay(
  claim: ResourcePoolClaim,
  pool: ResourcePool,
  home: ResourcePool | undefined,
): ResourcePoolClaim {
  if (
    claim.spec.pool !== '' ||
    home === undefined ||
    home.metadata.name === pool.metadata.name ||
    !belongsTo(claim, pool)
  )
    return claim
  return { ...claim, spec: { ...claim.spec, pool: home.metadata.name ?? '' } }
}

/**
 * Returns the outcome of a claim that no pool decides about. Its status names no pool. A condition gives the reason,
 * unless there is a pool for it by now. An owner reference to a deleted pool stays: the garbage collector deletes such
 * a claim. Pools remove the references of claims that should outlive them. `now`: milliseconds since the epoch.
 */
export function strayOutcome(
  claim: ResourcePoolClaim,
  pools: readonly ResourcePool[],
  namespace?: NamespaceFacts,
  now = -Infinity,
): ClaimOutcome {
  const isOver = mayEnd(claim) && endOf(claim, now).isOver
  const reason = claim.spec.pool === '' ? 'no-pool-named' : 'pool-not-found'
  const isExpected = wantedPool(claim, namespace, pools) !== undefined
  const waits = isExpected ? ({ verdict: 'left' } as const) : ({ verdict: 'refused', reason } as const)
  const outcome = withEnd(withoutPool(undefined, claim, isOver ? { verdict: 'ended' } : waits, now), now, false)
  const owners = (claim.metadata.ownerReferences ?? []).filter(({ kind }) => kind === resourcePool.kind)
  const goesAlong = owners.some(({ uid }) => !pools.some(({ metadata }) => metadata.uid === uid))
  return goesAlong ? { ...outcome, owner: 'kept' } : outcome
}

/** Is something in the way of the pool's quota there? Another pool may have none. */
const isBlocked = ({ status }: ResourcePool, namespace: NamespaceFacts): boolean =>
  status?.blockedNamespaces?.some(({ name }) => name === namespace.name) === true

const hasAll = (hard: ResourceList, request: ResourceList): boolean =>
  Object.keys(request).every((name) => quantityOf(hard, name) !== undefined)
