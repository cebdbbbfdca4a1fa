import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { isOfSameResource } from '../../decide/ledger-amounts.ts'
import { EnforcedQuotas } from '../../../counted/enforced-quotas.ts'
import { LedgerPlaces } from '../../../counted/ledger-places.ts'
import { QuotaController } from '../../../counted/quota-controller.ts'
import { QuotaTracker } from '../../../counted/quota-tracker.ts'
import { LedgerCache, targetKey } from '../../../counted/replica/ledger-cache.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { equals, quantityOf, type ResourceList } from '../../../../quantity/resource-list.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import { quotaKey } from '../../../counted/replica/ledger-name.ts'
import { allowed, retryLater } from '../../../../runtime/admission/decision.ts'
import type { Controller } from '../../../../operator/shell/controller.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import type { ResourceQuotaOptions } from '../options.ts'
import { resourceQuotaAsking } from './quota-asking.ts'
import { ResourceQuotaCosts } from './quota-costs.ts'
import { isOfResourceQuota, ResourceQuotaReporting } from './quota-reporting.ts'
import { RaisedUsage } from './raised-usage.ts'
import { LATER_GENERATION, RESOURCE_QUOTA_LEDGERING } from './ledgering.ts'
import { ResourceQuotaTracking } from './tracking.ts'
import { hardOf, type TrackedResourceQuota } from './tracked-quota.ts'
import { RETRY_SECONDS } from '../../../counted/protocol/ledger-errors.ts'

/** How long it may take to write new limits to a ledger. */
const HOLD_MS = 5_000

export interface ResourceQuotaAdmissionOptions extends Pick<
  ResourceQuotaOptions,
  'requestTimeoutMs' | 'workers' | 'warnAt'
> {
  readonly context: OperatorContext
  readonly isIgnored: (quota: ResourceQuota) => boolean
}

/**
 * Refuses what exceeds ResourceQuotas, in place of the admission plugin of the API server. Every replica has one. It is on or off;
 * while that is not known here, it is on as soon as ledgers of ResourceQuotas show that the leader has it on.
 */
export class ResourceQuotaAdmission {
  readonly #options: ResourceQuotaAdmissionOptions
  readonly #cache: LedgerCache
  readonly #tracker: QuotaTracker<TrackedResourceQuota>
  readonly #enforced: EnforcedQuotas<TrackedResourceQuota>
  #costs: ResourceQuotaCosts | undefined
  #isEnforced: boolean | undefined

  constructor(options: ResourceQuotaAdmissionOptions) {
    const { context, requestTimeoutMs, isIgnored, warnAt } = options
    this.#options = options
    const cache = new LedgerCache(context)
    const tracking = new ResourceQuotaTracking({ context, isIgnored })
    const tracker = new QuotaTracker<TrackedResourceQuota>({ context, tracking, areCrdsNeeded: false })
    this.#cache = cache
    this.#tracker = tracker
    this.#enforced = new EnforcedQuotas({
      context,
      tracker,
      cache,
      ledgering: RESOURCE_QUOTA_LEDGERING,
      asking: resourceQuotaAsking(),
      chargingOf: (ledgers) =>
        (this.#costs = new ResourceQuotaCosts({ clock: context.clock, tracker, tracking, ledgers, warnAt })),
      shareObjects: isOfSameResource,
      answers:
        (handle) =>
        async (...asked) => {
          if (this.#isEnforced === false) return allowed()
          if (tracker.isSynced) return handle(...asked)
          return retryLater('whether allot enforces ResourceQuotas is being determined', RETRY_SECONDS)
        },
      requestTimeoutMs,
    })
    cache.view.onChange((_, ledger) => {
      if (this.#isEnforced === undefined && ledger !== undefined && isOfResourceQuota(ledger)) tracker.begin()
    })
  }

  /** Begins to enforce quotas, or ends it. */
  enforces(isEnforced: boolean): void {
    this.#isEnforced = isEnforced
    if (isEnforced) this.#tracker.begin()
    else void this.#tracker.end()
  }

  /** Leaves it to another replica to find out whether quotas are enforced. */
  follows(): void {
    this.#isEnforced = undefined
    if (this.#cache.view.list().some(isOfResourceQuota)) this.#tracker.begin()
  }

  /** Has the controller of the term reconcile every quota that is known, or that has a ledger. */
  reconcileAll(): void {
    for (const { key } of this.#tracker.all) this.#tracker.noteChange(key)
    for (const ledger of this.#cache.view.list())
      if (isOfResourceQuota(ledger)) this.#tracker.noteChange(targetKey(ledger))
  }

  /** Does this refuse requests, as far as this replica knows? */
  get areEnforced(): boolean {
    return this.#isEnforced !== false && this.#tracker.isSynced
  }

  /** As `ResourceQuotaCosts.reserve`. */
  readonly reserve: ResourceQuotaCosts['reserve'] = (attributes, review) => this.#costs?.reserve(attributes, review)

  /**
   * As `usageOf`, once all replicas go by the limits of the quota's spec where these lower a limit that the status enforces. 'unknown' while the
   * quotas are being listed. Rejects where the ledger cannot be written.
   */
  async usageUnderSpec(quota: ResourceQuota): Promise<ResourceList | 'unknown' | undefined> {
    if (this.#isEnforced === false) return undefined
    if (this.#isEnforced === undefined || !this.#tracker.isSynced) return 'unknown'
    await this.#hold(quota, hardOf(quota), amountsOf(quota.status?.hard))
    return this.usageOf(quota)
  }

  /**
   * Returns how much of each limit of a quota requests may use by now, as this replica knows. That is what the ledger counts and what was
   * allowed and may still be stored. Undefined where allot does not admit requests for the quota.
   */
  usageOf(quota: ResourceQuota): ResourceList | undefined {
    const tracked = this.#trackedOf(quota)
    return tracked === undefined ? undefined : this.#enforced.ledgers.totalsOf(tracked)
  }

  /** Has all replicas go by these limits if they lower one of the quota's spec. Rejects where the ledger cannot be written. */
  async holdTo(quota: ResourceQuota, hard: ResourceList): Promise<void> {
    await this.#hold(quota, hard, hardOf(quota))
  }

  async #hold(quota: ResourceQuota, hard: ResourceList, before: ResourceList): Promise<void> {
    const tracked = this.#trackedOf(quota)
    if (tracked === undefined) return
    const { admission } = this.#enforced.ledgers.of(tracked)
    if (!mustHold(hard, before, admission.state?.lowering?.limits)) return
    const deadline = this.#options.context.clock.monotonic() + HOLD_MS
    await admission.holdTo({ generation: LATER_GENERATION, limits: hard }, deadline)
  }

  #trackedOf(quota: ResourceQuota): TrackedResourceQuota | undefined {
    // While nobody knows whether allot admits requests, ledgers show that it did.
    if (this.#isEnforced === false || !this.#tracker.isSynced) return undefined
    const tracked = this.#tracker.get(quotaKey({ kind: RESOURCE_QUOTAS.kind, metadata: quota.metadata }))
    return tracked?.quota.metadata.uid === quota.metadata.uid ? tracked : undefined
  }

  /** Calls a handler with the namespace of a quota whose ledger changes. Returns a function that ends this. */
  onCharge(handler: (namespace: string) => void): () => void {
    return this.#cache.view.onChange((old, current) => {
      const ledger = current ?? old
      if (ledger !== undefined && isOfResourceQuota(ledger)) handler(ledger.spec.targetRef.namespace ?? '')
    })
  }

  /** The controller of one term, in which it may become known whether quotas are enforced. `raisesUsage`: does somebody else count quotas, who expects admission to raise their usage? */
  controller(raisesUsage: () => boolean, onEnd: () => void): Controller {
    const { context, workers } = this.#options
    const { client, logger } = context
    const [tracker, cache, enforcement] = [this.#tracker, this.#cache, this.#enforced]
    const { kindOf } = RESOURCE_QUOTA_LEDGERING
    const removesLedgers = () => this.#isEnforced !== undefined && (!this.#isEnforced || tracker.isSynced)
    return new QuotaController({
      context,
      tracker,
      places: new LedgerPlaces({ client, logger, ledgers: cache, kindOf, reclaims: removesLedgers }),
      enforcement,
      workers,
      reporting: new ResourceQuotaReporting({
        context,
        cache,
        ledgers: enforcement.ledgers,
        raised: new RaisedUsage(client, tracker),
        removesLedgers,
        isEnforced: () => this.#isEnforced === true,
        raisesUsage,
        onEnd,
      }),
    })
  }

  /** As `QuotaRules.pending`. */
  pendingRules(): string | undefined {
    return this.#enforced.rules.pending()
  }

  async stop(): Promise<void> {
    await Promise.all([this.#enforced.stop(), this.#tracker.end()])
  }
}

/** Must replicas be held to these limits: do they lower one of before, or do others hold from earlier? */
function mustHold(hard: ResourceList, before: ResourceList, held: ResourceList | undefined): boolean {
  if (held !== undefined) return !equals(held, hard)
  return Object.entries(before).some(([name, limit]) => {
    const next = quantityOf(hard, name)
    return next !== undefined && next.cmp(limit) < 0
  })
}
