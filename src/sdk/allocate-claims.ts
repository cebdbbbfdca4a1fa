import { resourcePoolClaim } from '../api/resource-pool-claim/resource-pool-claim.ts'
import { resourcePool } from '../api/resource-pool/resource-pool.ts'
import type { ResourceQuotaStatus } from '../api/resource-quota/resource-quota.ts'
import { allocate as allocatePool } from '../grants/pools/allocate.ts'
import type { PoolOutcome } from '../grants/pools/queue/pool-outcome.ts'
import type { NamespaceFacts } from '../grants/pools/select-namespaces.ts'
import type { KubeObject } from '../machinery/object.ts'
import { assertKubeObject } from './input-error.ts'

/** A pool to decide, and what it depends on. */
export interface PoolQuestion {
  /** The ResourcePool, as a manifest has it or with its status: what is allocated there already stays allocated. */
  readonly pool: KubeObject
  /** ResourcePoolClaims; those that do not concern the pool do no harm. */
  readonly claims: readonly KubeObject[]
  /** All namespaces. */
  readonly namespaces: readonly NamespaceFacts[]
  /** The status of the pool's ResourceQuota, by namespace: it shows which claims are used. */
  readonly used?: Readonly<Record<string, ResourceQuotaStatus>>
}

/**
 * Decides a pool as the operator does: which namespaces it serves, which claims have their amounts, wait or are refused and
 * why, and the quotas that come of it. Nothing is written. Throws InputError for a value that is not an object,
 * and QuantityError when the pool holds an invalid amount.
 */
export function allocate({ pool, claims, namespaces, used = {} }: PoolQuestion): PoolOutcome {
  assertKubeObject(pool, 'pool')
  for (const [index, claim] of claims.entries()) assertKubeObject(claim, `claims[${index}]`)
  return allocatePool({
    pool: resourcePool.read(pool),
    claims: claims.map((claim) => resourcePoolClaim.read(claim)),
    namespaces,
    used,
  })
}
