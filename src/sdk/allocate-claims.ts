import { resourcePoolClaim } from '../systems/resource-pool/api/claim.ts'
import { resourcePool } from '../systems/resource-pool/api/resource-pool.ts'
import type { ResourceQuotaStatus } from '../kinds/resource-quota/resource-quota.ts'
import { allocate as allocatePool } from '../systems/resource-pool/decide/allocate.ts'
import type { PoolOutcome } from '../systems/resource-pool/decide/queue/pool-outcome.ts'
import type { NamespaceFacts } from '../systems/resource-pool/decide/select-namespaces.ts'
import { type GivenObject, readGiven } from './given-object.ts'

/** A pool to decide, and what it depends on. */
export interface PoolQuestion {
  /** The ResourcePool, as a manifest has it or with its status: what is allocated there already stays allocated. */
  readonly pool: GivenObject
  /** ResourcePoolClaims; those that do not concern the pool do no harm. */
  readonly claims: readonly GivenObject[]
  /** All namespaces. */
  readonly namespaces: readonly NamespaceFacts[]
  /** The status of the pool's ResourceQuota, by namespace: it shows which claims are used. */
  readonly used?: Readonly<Record<string, ResourceQuotaStatus>>
  /** Milliseconds since the epoch, for claims that end; left out: none ends now. */
  readonly now?: number
}

/**
 * Decides a pool as the operator does: which namespaces it serves, which claims have their amounts, wait or are refused and
 * why, and the quotas that come of it. Nothing is written. Throws InputError for a value that is not an object,
 * and QuantityError when the pool holds an invalid amount.
 */
export function allocate({ pool, claims, namespaces, used = {}, now }: PoolQuestion): PoolOutcome {
  return allocatePool({
    pool: resourcePool.read(readGiven(pool, 'pool')),
    claims: claims.map((claim, index) => resourcePoolClaim.read(readGiven(claim, `claims[${index}]`))),
    namespaces,
    used,
    ...(now === undefined ? {} : { now }),
  })
}
