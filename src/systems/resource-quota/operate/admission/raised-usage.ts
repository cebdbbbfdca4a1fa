import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { isConflict, isNotFound } from '../../../../machinery/status.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { formatResourceList, quantityOf, type ResourceList } from '../../../../quantity/resource-list.ts'
import type { KubeClient } from '../../../../kube/client/kube-client.ts'
import { FIELD_MANAGER } from '../../../../api/field-manager.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import type { QuotaTracker } from '../../../counted/quota-tracker.ts'
import type { TrackedResourceQuota } from './tracked-quota.ts'
import { writtenUsage } from './written-usage.ts'

/** Shows in the statuses of ResourceQuotas what was admitted, as the admission plugin does, where somebody else counts. */
export class RaisedUsage {
  readonly #client: Pick<KubeClient, 'get' | 'patch'>
  readonly #tracker: Pick<QuotaTracker<TrackedResourceQuota>, 'observed'>
  /** The usage that this, or a leader before, wrote last, by limit. */
  readonly #raised = new WeakMap<TrackedResourceQuota, ReadonlyMap<string, Quantity>>()
  /** The usage of a quota, as text, of which the API server was last asked whose it is. */
  readonly #asked = new WeakMap<TrackedResourceQuota, string>()

  constructor(
    client: Pick<KubeClient, 'get' | 'patch'>,
    tracker: Pick<QuotaTracker<TrackedResourceQuota>, 'observed'>,
  ) {
    this.#client = client
    this.#tracker = tracker
  }

  /**
   * Raises the usage of a quota to these totals. It also lowers an amount that it raised too far itself. All other
   * decreases are left to the counting controller.
   */
  async show(tracked: TrackedResourceQuota, totals: ResourceList, signal: AbortSignal): Promise<void> {
    const { metadata, status } = tracked.quota
    if (status?.hard === undefined) return
    const used = amountsOf(status.used)
    const own = await this.#own(tracked, totals, signal)
    const changed = Object.keys(status.hard).flatMap((limit): readonly [string, Quantity][] => {
      const [amount, before] = [quantityOf(totals, limit), quantityOf(used, limit)]
      const isOwn = before !== undefined && own.get(limit)?.cmp(before) === 0
      if (isOwn) return [[limit, amount ?? Quantity.zero]]
      return amount !== undefined && (before === undefined || amount.cmp(before) > 0) ? [[limit, amount]] : []
    })
    if (changed.every(([limit, amount]) => quantityOf(used, limit)?.cmp(amount) === 0)) return
    const { namespace = '', name = '', resourceVersion } = metadata
    const body = { metadata: { resourceVersion }, status: { used: formatResourceList(Object.fromEntries(changed)) } }
    try {
      const written = await this.#client.patch(
        RESOURCE_QUOTAS,
        { namespace, name },
        { type: 'merge', body },
        { subresource: 'status', signal },
      )
      this.#raised.set(tracked, new Map([...own, ...changed]))
      this.#tracker.observed(tracked, written)
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  /**
   * Returns the usage of a quota that allot wrote, by limit. If the status shows more than the ledger contains, an
   * earlier leader may have written it. The API server knows the writer of each field, and is asked once for each
   * usage.
   */
  async #own(
    tracked: TrackedResourceQuota,
    totals: ResourceList,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Quantity>> {
    const { quota } = tracked
    const own: ReadonlyMap<string, Quantity> = this.#raised.get(tracked) ?? new Map()
    const used = amountsOf(quota.status?.used)
    const isUnexplained = Object.keys(quota.status?.hard ?? {}).some((limit) => {
      const [amount, before] = [quantityOf(totals, limit), quantityOf(used, limit)]
      if (amount === undefined || before === undefined || before.cmp(amount) <= 0) return false
      return own.get(limit)?.cmp(before) !== 0
    })
    const asked = JSON.stringify(formatResourceList(used))
    if (!isUnexplained) this.#asked.delete(tracked)
    if (!isUnexplained || this.#asked.get(tracked) === asked) return own
    const { namespace = '', name = '' } = quota.metadata
    try {
      const live = await this.#client.get<ResourceQuota>(RESOURCE_QUOTAS, { namespace, name }, { signal })
      const known = new Map([...own, ...writtenUsage(live, FIELD_MANAGER)])
      this.#asked.set(tracked, asked)
      this.#raised.set(tracked, known)
      return known
    } catch (error) {
      if (!isNotFound(error)) throw error
      return own
    }
  }
}
