import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { AmountBook } from '../../grants/pools/amount-book.ts'
import { mergeDiff } from '../../schema/patch/merge-diff.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { isNotFound } from '../../machinery/status.ts'
import { equals } from '../../quantity/resource-list.ts'
import { pause } from '../../kube/clock.ts'
import type { WorkQueue } from '../../runtime/work-queue.ts'
import type { OperatorContext } from '../system.ts'
import { type PoolCaches, RESOURCE_QUOTAS } from './pool-caches.ts'

export interface QuotaStatusKeeperOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'logger'>
  readonly caches: Pick<PoolCaches, 'quotas'>
  readonly book: AmountBook
  /** Makes the queue that does the work for a key. */
  readonly queue: (work: (key: string, signal: AbortSignal) => Promise<void>) => WorkQueue
}

/** How long the cluster's controller may take to bring a new limit into force, before it is done for it. */
const PATIENCE_MS = 5_000

/**
 * Puts back what somebody wrote to the status of a pool's ResourceQuota, which is what admission goes by. The cluster's own
 * controller does so only when it counts anew, minutes later. Writing a limit that `spec.hard` has is always safe: it is what
 * that controller would write.
 */
export class QuotaStatusKeeper {
  readonly #options: QuotaStatusKeeperOptions
  readonly #queue: WorkQueue
  /** Those that are looked at again when the controller has had its time. */
  readonly #patient = new Set<string>()
  /** Those that somebody was seen to change. */
  readonly #changed = new Set<string>()

  constructor(options: QuotaStatusKeeperOptions) {
    this.#options = options
    this.#queue = options.queue((key, signal) => this.#restore(key, signal))
  }

  /** Follows the quotas until the signal aborts. Gives what ends it, once nothing is under way any more. */
  follow(signal: AbortSignal): () => Promise<void> {
    const unfollow = this.#options.caches.quotas.onChange((old, quota) => {
      if (quota === undefined || this.#isInForce(quota)) return
      const { namespace = '', name = '' } = quota.metadata
      const key = `${namespace}/${name}`
      // The controller changes no limit that is in force: it was somebody else.
      if (old !== undefined && this.#isInForce(old) && isSameLimit(old, quota)) {
        this.#changed.add(key)
        this.#queue.add(key)
      } else void this.#lookLater(key, signal)
    })
    return async () => {
      unfollow()
      await this.#queue.stop()
    }
  }

  async #lookLater(key: string, signal: AbortSignal): Promise<void> {
    if (this.#patient.has(key)) return
    this.#patient.add(key)
    await pause(this.#options.context.clock, PATIENCE_MS, signal)
    this.#patient.delete(key)
    if (!signal.aborted) this.#queue.add(key)
  }

  async #restore(key: string, signal: AbortSignal): Promise<void> {
    const { context, caches } = this.#options
    const [namespace = '', name = ''] = key.split('/')
    const quota = caches.quotas.get(namespace, name)
    if (quota === undefined || this.#isInForce(quota)) return void this.#changed.delete(key)
    const patch = mergeDiff(asJson(quota.status), { ...asJson(quota.status), hard: restored(quota) })
    if (patch === undefined) return
    const metadata = { resourceVersion: quota.metadata.resourceVersion }
    try {
      const body = { metadata, status: patch }
      const written = await context.client.patch(
        RESOURCE_QUOTAS,
        { namespace, name },
        { type: 'merge', body },
        { subresource: 'status', signal },
      )
      caches.quotas.observed(written)
    } catch (error) {
      if (isNotFound(error)) return void this.#changed.delete(key)
      throw error
    }
    if (this.#changed.delete(key))
      context.logger.warn({ namespace, name }, 'the status of a quota was changed by somebody else and is put back')
    else
      context.logger.info(
        { namespace, name },
        'the limit of a quota was brought into force for a controller that is late',
      )
  }

  /** Does admission go by what the quota says? One that nobody has counted yet is the controller's business. */
  #isInForce({ spec, status }: ResourceQuota): boolean {
    const { book } = this.#options
    return status?.hard === undefined || equals(book.read(status.hard), book.read(spec?.hard))
  }
}

/** The limits as they are to be in force. What was never counted is not limited before it is. */
function restored({ spec, status }: ResourceQuota): JsonObject {
  const used = status?.used ?? {}
  const hard = status?.hard ?? {}
  return Object.fromEntries(
    Object.entries(spec?.hard ?? {}).flatMap(([name, amount]) => {
      const kept = Object.hasOwn(used, name) ? amount : hard[name]
      return kept === undefined ? [] : [[name, kept]]
    }),
  )
}

const isSameLimit = (old: ResourceQuota, { metadata, spec }: ResourceQuota): boolean =>
  old.metadata.uid === metadata.uid && JSON.stringify(old.spec) === JSON.stringify(spec)

const asJson = (value: object | undefined): JsonObject => (value ?? {}) as JsonObject
