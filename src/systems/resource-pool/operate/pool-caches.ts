import { type ResourcePoolClaim, resourcePoolClaim } from '../api/claim.ts'
import { MANAGED_BY_CONTROLLER, MANAGED_BY_LABEL, POOL_LABEL } from '../api/pool-names.ts'
import { type ResourcePool, resourcePool } from '../api/resource-pool.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import type { LimitRange } from '../decide/limit-range/pool-limit-range.ts'
import { keepEqual } from '../../../operator/cluster/keep-equal.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { slimObject } from '../../../kube/cache/trim-object.ts'
import { AdmittedUsage } from '../../generated-quota/operate/admitted-usage.ts'
import { keepQuota, RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import { keepLimitRange, LIMIT_RANGES } from './limit-range/limit-ranges.ts'
import { keepNamespace, type KeptNamespace, NAMESPACES } from '../../../operator/cluster/keep-namespace.ts'
import type { SystemCaches } from '../../../operator/shell/shared-caches.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'

/** Everything that resource pools depend on, as the API server had it a moment ago. */
export class PoolCaches {
  readonly pools: CacheView<ResourcePool>
  /** By the pool that a claim asks for (`wants`, '' for any) and by the one that it belongs to (`has`). */
  readonly claims: CacheView<ResourcePoolClaim, 'wants' | 'has'>
  readonly namespaces: CacheView<KeptNamespace>
  /** The ResourceQuotas that pools keep, by the label that names their pool. */
  readonly quotas: CacheView<ResourceQuota, 'pool'>
  /** The LimitRanges that pools keep. Not every API server has this kind. */
  readonly limitRanges: CacheView<LimitRange, 'pool'>
  /** The requests in flight that allot has admitted for these. */
  readonly admitted: AdmittedUsage
  readonly #ownPools = new WeakMap<KubeObject, ResourcePool>()
  readonly #poolWrites = new Map<string, Promise<ResourcePool>>()

  constructor(caches: SystemCaches, admitted = new AdmittedUsage()) {
    this.admitted = admitted
    this.pools = caches.view<ResourcePool>({
      kind: resourcePool,
      // The status of a large pool is large, and almost all that changes it is us.
      ownWrite: ({ name }) => this.#poolWrites.get(name),
      // Our own writes are kept as they are: of a large pool every part that did not change stays the very same.
      keep: (object, share, old) =>
        this.#ownPools.get(object) ?? keepEqual(resourcePool.read(slimObject(object, share)), old),
    })
    this.claims = caches.view<ResourcePoolClaim, 'wants' | 'has'>({
      kind: resourcePoolClaim,
      // Unchanged parts of a claim are not parsed again.
      keep: (object, share, old) => keepEqual(resourcePoolClaim.read(slimObject(object, share)), old),
      indexes: {
        wants: ({ spec }) => [spec.pool],
        has: ({ status }) => (status?.pool === undefined ? [] : [status.pool.name]),
      },
    })
    this.namespaces = caches.view<KeptNamespace>({ kind: NAMESPACES, keep: keepNamespace })
    this.quotas = caches.view<ResourceQuota, 'pool'>({
      kind: RESOURCE_QUOTAS,
      labelSelector: `${MANAGED_BY_LABEL}=${MANAGED_BY_CONTROLLER},${POOL_LABEL}`,
      keep: keepQuota,
      indexes: { pool: ({ metadata }) => [metadata.labels?.[POOL_LABEL] ?? ''] },
    })
    this.limitRanges = caches.optionalView<LimitRange, 'pool'>({
      kind: LIMIT_RANGES,
      labelSelector: `${MANAGED_BY_LABEL}=${MANAGED_BY_CONTROLLER},${POOL_LABEL}`,
      keep: keepLimitRange,
      indexes: { pool: ({ metadata }) => [metadata.labels?.[POOL_LABEL] ?? ''] },
    })
  }

  /** Takes a pool as `write` leaves it, which the watch may report before the answer arrives. `by`: the controller. */
  async writePool(name: string, by: string, write: () => Promise<ResourcePool>): Promise<ResourcePool> {
    const writing = (async () => {
      const pool = await write()
      this.#ownPools.set(pool, pool)
      this.pools.observed(pool, by)
      return pool
    })()
    this.#poolWrites.set(name, writing)
    try {
      return await writing
    } finally {
      if (this.#poolWrites.get(name) === writing) this.#poolWrites.delete(name)
    }
  }
}
