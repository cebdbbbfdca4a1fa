import { resourcePool } from '../../api/resource-pool/resource-pool.ts'
import { resourcePoolClaim } from '../../api/resource-pool-claim/resource-pool-claim.ts'
import { AmountBook } from '../../grants/pools/amount-book.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { whenAborted } from '../../runtime/when-aborted.ts'
import type { WorkQueue } from '../../runtime/work-queue.ts'
import type { Need } from '../access.ts'
import { controllerQueue } from '../controller-queue.ts'
import type { OperatorContext, OperatorSystem, RunningSystem } from '../system.ts'
import { ClaimQueue } from './claim-queue.ts'
import { ClaimWriter } from './claim-writer.ts'
import { coalesced } from './coalesced.ts'
import { followChanges } from './follow-changes.ts'
import { PoolAttention } from './pool-attention.ts'
import { PoolCaches } from './pool-caches.ts'
import { PoolController } from './pool-controller.ts'
import { poolHooks } from './pool-hooks.ts'
import { showPoolMetrics } from './pool-metrics-page.ts'
import { QuotaStatusKeeper } from './quota-status-keeper.ts'
import { QuotaWriter } from './quota-writer.ts'
import { StrayClaimController } from './stray-claim-controller.ts'

const { group } = resourcePool

const NEEDS: readonly Need[] = [
  { group, resource: resourcePool.resource, verbs: ['get', 'list', 'watch', 'create', 'patch'] },
  { group, resource: resourcePool.resource, subresource: 'status', verbs: ['patch'] },
  // A quota names its pool as the owner that waits for it.
  { group, resource: resourcePool.resource, subresource: 'finalizers', verbs: ['update'] },
  { group, resource: resourcePoolClaim.resource, verbs: ['list', 'watch', 'patch'] },
  { group, resource: resourcePoolClaim.resource, subresource: 'status', verbs: ['patch'] },
  { group: '', resource: 'resourcequotas', verbs: ['get', 'list', 'watch', 'create', 'update', 'delete'] },
  // Limits that somebody wrote there are put back.
  { group: '', resource: 'resourcequotas', subresource: 'status', verbs: ['patch'] },
  { group: '', resource: 'namespaces', verbs: ['list', 'watch'] },
]

/** How many claims are written at a time. */
const CLAIM_WRITES = 16

/** ResourcePools and ResourcePoolClaims. `workers`: how many pools are reconciled at a time. */
export function poolSystem(workers: number): OperatorSystem {
  return {
    name: 'resource-pools',
    definitions: [resourcePool.crd, resourcePoolClaim.crd] as unknown as readonly KubeObject[],
    needs: NEEDS,
    start: (context) => new RunningPools(context, workers),
  }
}

class RunningPools implements RunningSystem {
  readonly hooks
  readonly #context: OperatorContext
  readonly #workers: number
  readonly #caches: PoolCaches
  readonly #book = new AmountBook()

  constructor(context: OperatorContext, workers: number) {
    this.#context = context
    this.#workers = workers
    this.#caches = new PoolCaches(context)
    this.hooks = poolHooks({
      client: context.client,
      caches: this.#caches,
      book: this.#book,
      ownName: context.ownName,
    })
    showPoolMetrics(context.registry, this.#caches, this.#book)
    this.#caches.start()
  }

  whenSynced(): Promise<void> {
    return this.#caches.whenSynced()
  }

  problem(): string | undefined {
    return this.#caches.problem()
  }

  async lead(signal: AbortSignal): Promise<void> {
    const context = this.#context
    const caches = this.#caches
    const book = this.#book
    const quotas = new QuotaWriter(context, caches)
    const claims = new ClaimQueue({
      writer: new ClaimWriter(context, caches, book),
      lookAtPool: (name, namespace) => lookAt(name, namespace),
      lookAtStray: (key) => strayQueue.add(key),
      queue: (work) => this.#queue('resource-pool-claims', CLAIM_WRITES, work),
    })
    const attention = new PoolAttention()
    const pools = new PoolController({
      context,
      caches,
      claims,
      quotas,
      attention,
      book,
      lookAt: (name, namespace) => lookAt(name, namespace),
    })
    const strays = new StrayClaimController({
      caches,
      claims,
      book,
      lookAt: (name, namespace) => lookAt(name, namespace),
    })
    const poolQueue = this.#queue('resource-pools', this.#workers, (name, stop) => pools.reconcile(name, stop))
    const strayQueue = this.#queue('stray-resource-pool-claims', 1, async (key) => strays.reconcile(key))
    // A large pool is looked at half of the time at most: what happens meanwhile is seen to together.
    const lookAtPool = coalesced(
      (name) => poolQueue.add(name),
      (name) => pools.costOf(name),
    )
    const lookAt = (name: string, namespace?: string): void => {
      attention.mark(name, namespace)
      lookAtPool(name)
    }
    const statuses = new QuotaStatusKeeper({
      context,
      caches,
      book,
      queue: (work) => this.#queue('resource-pool-quotas', 1, work),
    })
    await caches.whenSynced()
    const unfollowStatuses = statuses.follow(signal)
    const unfollow = followChanges(caches, { pool: lookAt, stray: (key) => strayQueue.add(key) }, book)
    await whenAborted(signal)
    unfollow()
    await Promise.all([poolQueue.stop(), strayQueue.stop(), claims.stop(), unfollowStatuses()])
  }

  stop(): Promise<void> {
    return this.#caches.stop()
  }

  #queue(controller: string, workers: number, work: (key: string, signal: AbortSignal) => Promise<void>): WorkQueue {
    const { logger, reconciles } = this.#context
    return controllerQueue({
      controller,
      work,
      workers,
      logger,
      meter: reconciles.controller(controller),
    })
  }
}
