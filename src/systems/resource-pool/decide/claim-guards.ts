import { RELEASE_ANNOTATION } from '../api/pool-names.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { ifReadable } from '../../../quantity/quantity.ts'
import { equals } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { choosePool } from './choose-pool.ts'
import { byAge } from './claim/order.ts'
import { asksForRelease } from './claim/phase.ts'
import { entryOf } from './ledger/entries.ts'
import type { NamespaceFacts } from './select-namespaces.ts'
import { isBound, UsageReader } from './claim/usage-reader.ts'

/** What the answer on a claim depends on. */
export interface ClaimFacts {
  /** The pool that the claim belongs to; undefined where it is gone or there is none. */
  readonly pool: ResourcePool | undefined
  /** The pool's ResourceQuota in the claim's namespace, read live; undefined where there is none. */
  readonly quota: ResourceQuota | undefined
  /** The claims of the namespace. */
  readonly claims: readonly ResourcePoolClaim[]
}

/** The name of the pool of a claim: the one that it belongs to, else the one that it names. */
export function poolNameOf({ spec, status }: Pick<ResourcePoolClaim, 'spec' | 'status'>): string {
  return status?.pool?.name || spec.pool
}

/**
 * Returns the claim as it is to be stored (docs/concepts/resource-pools.md). A claim that names no pool gets the pool
 * that is chosen for it, if any. A new claim loses its release annotation. Returns the same object if nothing changes.
 */
export function admittedClaim(
  claim: ResourcePoolClaim,
  operation: 'CREATE' | 'UPDATE',
  namespace: NamespaceFacts,
  pools: readonly ResourcePool[],
): ResourcePoolClaim {
  const kept = operation === 'CREATE' ? withoutRelease(claim) : claim
  if (kept.spec.pool !== '') return kept
  // One that has its room keeps its pool: perhaps the operator did not come to write the name, or a manifest is applied again.
  const pool = choosePool(kept, namespace, pools)?.metadata.name
  return pool === undefined ? kept : { ...kept, spec: { ...kept.spec, pool } }
}

/** Why a claim may not be changed so, or undefined where it may: a used claim stays as it is. */
export function claimUpdateRefusal(
  claim: ResourcePoolClaim,
  oldClaim: ResourcePoolClaim,
  facts: ClaimFacts,
): string | undefined {
  const asks = asksForRelease(claim) && !asksForRelease(oldClaim)
  const changes = !isSamePool(claim, oldClaim) || !isSameAmount(claim, oldClaim)
  if ((!asks && !changes) || !isInUse(oldClaim, facts)) return undefined
  const pool = poolNameOf(oldClaim)
  return changes
    ? `cannot change the requested resources while claim is allocated to a resourcepool ${pool}`
    : `cannot release the claim while it is used in resourcepool ${pool}`
}

/** Why a claim may not be deleted, or undefined where it may: a used claim stays. */
export function claimDeletionRefusal(claim: ResourcePoolClaim, facts: ClaimFacts): string | undefined {
  return isInUse(claim, facts)
    ? `cannot delete the pool while claim is used in resourcepool ${poolNameOf(claim)}`
    : undefined
}

/**
 * Reports whether workloads use the amounts of the claim. The current usage of the quota decides. The condition, which
 * may be old, decides only if there is no quota to read.
 */
export function isInUse(claim: ResourcePoolClaim, { pool, quota, claims }: ClaimFacts): boolean {
  const { namespace = '', uid = '' } = claim.metadata
  const ledger = pool?.status?.claims
  if (pool === undefined || entryOf(ledger, { namespace, uid }) === undefined) return false
  if (quota?.status?.used === undefined) return isBound(claim)
  const { spec } = pool
  const reader = new UsageReader({ [namespace]: quota.status }, amountsOf(spec.quota.hard), amountsOf(spec.defaults))
  const holding = claims.toSorted(byAge).flatMap((one) => {
    const entry = entryOf(ledger, { namespace, uid: one.metadata.uid ?? '' })
    return entry === undefined ? [] : [{ claim: one, request: amountsOf(entry.claims) }]
  })
  return [...reader.usedNow(namespace, holding)].some(({ metadata }) => metadata.uid === uid)
}

/** Reports whether a change keeps the pool: the named one, or the current one if the claim named none. */
const isSamePool = ({ spec }: ResourcePoolClaim, old: ResourcePoolClaim): boolean =>
  spec.pool === old.spec.pool || (old.spec.pool === '' && spec.pool === poolNameOf(old))

/** Reports whether the amounts are the same, whatever their spelling. */
function isSameAmount(claim: ResourcePoolClaim, oldClaim: ResourcePoolClaim): boolean {
  return ifReadable(() => equals(amountsOf(claim.spec.claim), amountsOf(oldClaim.spec.claim)), false)
}

function withoutRelease(claim: ResourcePoolClaim): ResourcePoolClaim {
  const { [RELEASE_ANNOTATION]: release, ...annotations } = claim.metadata.annotations ?? {}
  return release === undefined ? claim : { ...claim, metadata: { ...claim.metadata, annotations } }
}
