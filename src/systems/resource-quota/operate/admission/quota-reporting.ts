import { isNotFound } from '../../../../machinery/status.ts'
import type { ControllerSource, ReconcileResult } from '../../../../operator/shell/controller.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import type { QuotaReporting, LedgerOutcome } from '../../../counted/adapter.ts'
import type { QuantityLedger } from '../../../counted/api/quantity-ledger.ts'
import { LOOK_AGAIN_MS, REST_MS } from '../../../counted/quota-controller.ts'
import type { QuotaLedgers } from '../../../counted/quota-ledgers.ts'
import { type LedgerCache, targetKey } from '../../../counted/replica/ledger-cache.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import type { RaisedUsage } from './raised-usage.ts'
import type { TrackedResourceQuota } from './tracked-quota.ts'

export interface ResourceQuotaReportingOptions {
  readonly context: Pick<OperatorContext, 'client' | 'recorder'>
  readonly cache: LedgerCache
  readonly ledgers: QuotaLedgers<TrackedResourceQuota>
  /** Must the ledgers go of quotas that are not tracked? False as long as it is not known whether allot enforces quotas. */
  readonly removesLedgers: () => boolean
  /** Does allot enforce quotas? Where it does not, all of their ledgers go. */
  readonly isEnforced: () => boolean
  /** Shows usage where somebody else counts the usage of quotas, who expects admission to raise it. */
  readonly raised: RaisedUsage
  readonly raisesUsage: () => boolean
  /** Called when this process does not lead any more. */
  readonly onEnd: () => void
}

/** The leader's work on ResourceQuotas. It removes the ledgers of those that are gone, and shows in statuses what was admitted. */
export class ResourceQuotaReporting implements QuotaReporting<TrackedResourceQuota> {
  readonly name = 'resourcequota-ledgers'
  readonly sources: readonly ControllerSource[]
  readonly #options: ResourceQuotaReportingOptions

  constructor(options: ResourceQuotaReportingOptions) {
    this.#options = options
    this.sources = [{ follow: () => () => options.onEnd() }]
  }

  concerned(old: QuantityLedger | undefined, current: QuantityLedger | undefined): string | undefined {
    const ledger = current ?? old
    return ledger !== undefined && isOfResourceQuota(ledger) ? targetKey(ledger) : undefined
  }

  async gone(key: string, tracked: TrackedResourceQuota | undefined, signal: AbortSignal): Promise<ReconcileResult> {
    await this.#removeOthers(key, tracked, signal)
    return {}
  }

  async prepare(tracked: TrackedResourceQuota, signal: AbortSignal): Promise<undefined> {
    await this.#removeOthers(tracked.key, tracked, signal)
  }

  /** A quota whose objects cannot be counted stays closed. */
  waits(tracked: TrackedResourceQuota): Promise<ReconcileResult> {
    const targets = tracked.isCounted ? [] : (tracked.resolution?.targets ?? [])
    // One resource counts towards several limits.
    for (const [counted, resource] of new Map(targets.map((one) => [one.counted, one.resource])))
      if (counted.problem instanceof Error)
        this.#warn(tracked, 'UsageNotCounted', `${resource.resource} cannot be listed: ${counted.problem.message}`)
    return Promise.resolve({ requeueAfter: LOOK_AGAIN_MS })
  }

  async broughtUp(
    tracked: TrackedResourceQuota,
    { again, error }: LedgerOutcome,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { ledgers, raised, raisesUsage } = this.#options
    if (error?.problem === 'unreadable') this.#warn(tracked, 'LedgerUnreadable', error.message)
    const totals = raisesUsage() ? ledgers.totalsOf(tracked) : undefined
    if (totals !== undefined) await raised.show(tracked, totals, signal)
    return { restFor: REST_MS, ...(again === undefined ? {} : { requeueAfter: again }) }
  }

  /** Deletes the ledgers of quotas of the name that are not there any more. */
  async #removeOthers(key: string, tracked: TrackedResourceQuota | undefined, signal: AbortSignal): Promise<void> {
    const { cache, ledgers, removesLedgers } = this.#options
    if (!removesLedgers()) return
    const current = tracked === undefined ? undefined : cache.get(ledgers.ownerOf(tracked))
    for (const ledger of cache.view.list())
      if (ledger !== current && isOfResourceQuota(ledger) && targetKey(ledger) === key)
        if (!(await this.#isInUse(ledger, signal))) await cache.delete(ledger, { signal })
  }

  /** Is it the ledger of the quota that has the name now? The watch may show it before it shows that quota. */
  async #isInUse({ spec: { targetRef } }: QuantityLedger, signal: AbortSignal): Promise<boolean> {
    const { context, isEnforced } = this.#options
    if (!isEnforced()) return false
    const { namespace = '', name, uid } = targetRef
    try {
      const { metadata } = await context.client.get(RESOURCE_QUOTAS, { namespace, name }, { signal })
      return metadata.uid === uid
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }

  #warn(tracked: TrackedResourceQuota, reason: string, note: string): void {
    const regarding = { ...tracked.quota, ...this.#options.ledgers.ownerOf(tracked) }
    this.#options.context.recorder.record({ regarding, type: 'Warning', reason, action: 'Enforced', note })
  }
}

/** Does the ledger belong to a ResourceQuota? */
export const isOfResourceQuota = ({ spec }: QuantityLedger): boolean => spec.targetRef.kind === RESOURCE_QUOTAS.kind
