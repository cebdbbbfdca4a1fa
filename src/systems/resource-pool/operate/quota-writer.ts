import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { isResourceQuota, type ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import type { QuotaWrite } from '../decide/quota/write-order.ts'
import { isAlreadyExists, isNotFound } from '../../../machinery/status.ts'
import type { ObjectName } from '../../../kube/client/kube-client.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { POOLS } from './pool-controllers.ts'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import type { PoolCaches } from './pool-caches.ts'

/** The outcome of a write: nothing to report, the quota is not there any more, or one of its name was there before. */
export type QuotaWritten =
  | { readonly kind: 'done' }
  | { readonly kind: 'gone'; readonly namespace: string }
  /** The quota that was being deleted may be gone. */
  | { readonly kind: 'let-go'; readonly namespace: string }
  | { readonly kind: 'found'; readonly namespace: string; readonly quota: ResourceQuota }

const DONE: QuotaWritten = { kind: 'done' }

/** Does the writes to ResourceQuotas that pools decide on. */
export class QuotaWriter {
  readonly #context: Pick<OperatorContext, 'client'>
  readonly #caches: PoolCaches

  constructor(context: Pick<OperatorContext, 'client'>, caches: PoolCaches) {
    this.#context = context
    this.#caches = caches
  }

  /** `name`: of the pool's quotas. Rejects as `KubeClient` does, with a conflict where something else was found than was seen. */
  async write(write: QuotaWrite, name: string, signal: AbortSignal): Promise<QuotaWritten> {
    const { client } = this.#context
    const { namespace } = write
    switch (write.kind) {
      case 'create':
        return await this.#create(write.quota, { namespace, name }, signal)
      case 'update': {
        const before = this.#caches.quotas.get(namespace, name)
        if (before !== undefined) await this.#caches.admitted.holdTo(before, amountsOf(write.quota.spec?.hard))
        await this.#caches.quotas.observeWrite({ namespace, name }, POOLS, () =>
          client.update(RESOURCE_QUOTAS, write.quota, { signal }),
        )
        return DONE
      }
      case 'delete': {
        const { uid, resourceVersion } = write
        await client.delete(RESOURCE_QUOTAS, { namespace, name }, { uid, resourceVersion, signal })
        return DONE
      }
      case 'replace': {
        const { uid, resourceVersion, quota } = write
        await this.#try(quota, signal)
        await client.delete(RESOURCE_QUOTAS, { namespace, name }, { uid, resourceVersion, signal })
        return await this.#create(quota, { namespace, name }, signal)
      }
      case 'let-go': {
        try {
          await client.update(RESOURCE_QUOTAS, write.quota, { signal })
        } catch (error) {
          if (!isNotFound(error)) throw error
        }
        return { kind: 'let-go', namespace }
      }
      case 'confirm-gone':
        return (await this.#find({ namespace, name }, signal)) === undefined ? { kind: 'gone', namespace } : DONE
      default:
        return write satisfies never
    }
  }

  /** Rejects as the server would reject the quota: except that an existing one of its name is not a failure. */
  async #try(quota: ResourceQuota, signal: AbortSignal): Promise<void> {
    try {
      await this.#context.client.create(RESOURCE_QUOTAS, quota, { dryRun: true, signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }

  async #create(quota: ResourceQuota, name: ObjectName, signal: AbortSignal): Promise<QuotaWritten> {
    try {
      await this.#caches.quotas.observeWrite(name, POOLS, () =>
        this.#context.client.create(RESOURCE_QUOTAS, quota, { signal }),
      )
      return DONE
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      // Somebody took its labels away or made it, so that it is not seen.
      const found = await this.#find(name, signal)
      return found === undefined ? DONE : { kind: 'found', namespace: name.namespace, quota: found }
    }
  }

  async #find(name: ObjectName, signal: AbortSignal): Promise<ResourceQuota | undefined> {
    try {
      const found = await this.#context.client.get(RESOURCE_QUOTAS, name, { signal })
      return isResourceQuota(found) ? found : undefined
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
}
