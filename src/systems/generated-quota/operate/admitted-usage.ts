import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { equals, formatResourceList, mask, max, type ResourceList } from '../../../quantity/resource-list.ts'

/** The part of allot that admits requests for ResourceQuotas in place of the admission plugin of the API server. */
export interface AdmissionForQuotas {
  /** Returns how much of each limit of a quota requests may use by now, those in flight included; undefined where allot does not admit them. */
  readonly usageOf: (quota: ResourceQuota) => ResourceList | undefined
  /** Has all replicas go by these limits of a quota if they lower any. Rejects where that cannot be written. */
  readonly holdTo: (quota: ResourceQuota, hard: ResourceList) => Promise<void>
  /** Calls a handler with the namespace of a quota whose usage changes. Returns a function that ends this. */
  readonly onCharge: (handler: (namespace: string) => void) => () => void
}

/**
 * Connects the system that admits requests for ResourceQuotas to those that write quotas and read their usage. The admission plugin of an API
 * server raises `status.used` before it lets a request through. Where allot admits requests and the cluster's controller counts,
 * `status.used` can lack requests in flight: their room must not be given to others.
 */
export class AdmittedUsage {
  readonly #handlers = new Set<(namespace: string) => void>()
  #admission: AdmissionForQuotas | undefined

  provide(admission: AdmissionForQuotas): void {
    this.#admission = admission
    admission.onCharge((namespace) => {
      for (const handler of this.#handlers) handler(namespace)
    })
  }

  /** The quota with a usage that contains requests in flight; the very one where that changes nothing. */
  within(quota: ResourceQuota): ResourceQuota {
    const admitted = this.#admission?.usageOf(quota)
    if (admitted === undefined || quota.status?.used === undefined) return quota
    const used = amountsOf(quota.status.used)
    const raised = max(mask(admitted, Object.keys(used)), used)
    if (equals(raised, used)) return quota
    return { ...quota, status: { ...quota.status, used: formatResourceList(raised) } }
  }

  /** To be called before an update of a quota that may lower a limit. Rejects where the limit must not be lowered now. */
  async holdTo(quota: ResourceQuota, hard: ResourceList): Promise<void> {
    await this.#admission?.holdTo(quota, hard)
  }

  /** Calls a handler with the namespace of a quota whose usage changes. Returns a function that ends this. */
  onCharge(handler: (namespace: string) => void): () => void {
    this.#handlers.add(handler)
    return () => void this.#handlers.delete(handler)
  }
}
