import { type ResourcePoolClaim, resourcePoolClaim } from '../../api/resource-pool-claim/resource-pool-claim.ts'
import { MANAGED_BY_CONTROLLER, MANAGED_BY_LABEL, POOL_LABEL } from '../../api/resource-pool/names.ts'
import { type ResourcePool, resourcePool } from '../../api/resource-pool/resource-pool.ts'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { NamespaceFacts } from '../../grants/pools/select-namespaces.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import type { ResourceKind } from '../../kube/kube-client.ts'
import { slimObject } from '../../kube/slim-object.ts'
import { type Share, shareStrings } from '../../kube/string-pool.ts'
import { WatchCache } from '../../kube/watch-cache.ts'
import type { OperatorContext } from '../system.ts'

export const RESOURCE_QUOTAS: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
}
const NAMESPACES: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}

/** Everything that resource pools depend on, as the API server had it a moment ago. */
export class PoolCaches {
  readonly pools: WatchCache<ResourcePool>
  /** By the pool that a claim asks for (`wants`, '' for any) and by the one that it belongs to (`has`). */
  readonly claims: WatchCache<ResourcePoolClaim, 'wants' | 'has'>
  readonly namespaces: WatchCache<NamespaceFacts>
  /** The ResourceQuotas that pools keep, by the label that names their pool. */
  readonly quotas: WatchCache<ResourceQuota, 'pool'>
  readonly #ownPools = new WeakMap<KubeObject, ResourcePool>()
  readonly #poolWrites = new Map<string, Promise<ResourcePool>>()
  #isOwnWrite = false

  constructor({ client, clock, logger }: Pick<OperatorContext, 'client' | 'clock' | 'logger'>) {
    const common = { client, clock, logger }
    this.pools = new WatchCache({
      ...common,
      kind: resourcePool,
      // The status of a large pool is large, and almost all that changes it is us.
      ownWrite: ({ name }) => this.#poolWrites.get(name),
      // Our own writes are kept as they are: of a large pool every part that did not change stays the very same.
      keep: (object, share) => this.#ownPools.get(object) ?? resourcePool.read(slimObject(object, share)),
    })
    this.claims = new WatchCache({
      ...common,
      kind: resourcePoolClaim,
      keep: (object, share) => resourcePoolClaim.read(slimObject(object, share)),
      indexes: {
        wants: ({ spec }: ResourcePoolClaim) => [spec.pool],
        has: ({ status }: ResourcePoolClaim) => (status?.pool === undefined ? [] : [status.pool.name]),
      },
    })
    this.namespaces = new WatchCache({ ...common, kind: NAMESPACES, keep: namespaceFacts })
    this.quotas = new WatchCache({
      ...common,
      kind: RESOURCE_QUOTAS,
      labelSelector: `${MANAGED_BY_LABEL}=${MANAGED_BY_CONTROLLER},${POOL_LABEL}`,
      keep: (object, share) => slimObject(object, share) as ResourceQuota,
      indexes: { pool: ({ metadata }: ResourceQuota) => [metadata.labels?.[POOL_LABEL] ?? ''] },
    })
  }

  /** Is the change that is being told one that this operator has just made? */
  get isOwnWrite(): boolean {
    return this.#isOwnWrite
  }

  /** Takes a pool as `write` leaves it, which the watch may tell of before the answer has come. */
  async writePool(name: string, write: () => Promise<ResourcePool>): Promise<ResourcePool> {
    const writing = (async () => {
      const pool = await write()
      this.#ownPools.set(pool, pool)
      this.#asOwn(() => this.pools.observed(pool))
      return pool
    })()
    this.#poolWrites.set(name, writing)
    try {
      return await writing
    } finally {
      if (this.#poolWrites.get(name) === writing) this.#poolWrites.delete(name)
    }
  }

  /** Takes the server's answer to a write to a claim. */
  wroteClaim(claim: KubeObject): void {
    this.#asOwn(() => this.claims.observed(claim))
  }

  #asOwn(take: () => void): void {
    this.#isOwnWrite = true
    try {
      take()
    } finally {
      this.#isOwnWrite = false
    }
  }

  start(): void {
    for (const cache of this.#all) cache.start()
  }

  async whenSynced(): Promise<void> {
    await Promise.all(this.#all.map((cache) => cache.whenSynced()))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((cache) => cache.stop()))
  }

  /** Why they are not all kept up to date now, if so. */
  problem(): string | undefined {
    if (!this.#all.every(({ synced }) => synced)) return 'what there is has not been read yet'
    return this.#all.some(({ problem }) => problem !== undefined) ? 'the API server does not answer' : undefined
  }

  get #all(): readonly Pick<WatchCache<unknown>, 'start' | 'stop' | 'whenSynced' | 'problem' | 'synced'>[] {
    return [this.pools, this.claims, this.namespaces, this.quotas]
  }
}

function namespaceFacts({ metadata, status }: KubeObject, share: Share): NamespaceFacts {
  const { name = '', labels, deletionTimestamp } = metadata
  const phase = isObject(status) && typeof status['phase'] === 'string' ? share(status['phase']) : undefined
  return {
    name,
    ...(labels === undefined ? {} : { labels: shareStrings(labels, share) }),
    ...(phase === undefined ? {} : { phase }),
    deleting: deletionTimestamp !== undefined,
  }
}
