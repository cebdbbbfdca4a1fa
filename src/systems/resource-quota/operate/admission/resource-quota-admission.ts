import type { ResourceQuota } from '../../../../api/resource-quota/resource-quota.ts'
import { isOfSameResource } from '../../decide/ledger-amounts.ts'
import { FormerLedgers } from '../../../counted/replica/former-ledgers.ts'
import { LedgerKeeper } from '../../../counted/replica/ledger-keeper.ts'
import { LostLedgers } from '../../../counted/replica/lost-ledgers.ts'
import { patienceOf } from '../../../counted/replica/patience.ts'
import { LedgerCache } from '../../../counted/replica/ledger-cache.ts'
import type { AdmissionWebhook } from '../../../../runtime/admission/admission-server.ts'
import { readLedger } from '../../../counted/protocol/ledger-status.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { equals, quantityOf, type ResourceList } from '../../../../quantity/resource-list.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import { KeptLedger } from '../../../counted/replica/kept-ledger.ts'
import { type LedgerOwner, quotaKey } from '../../../counted/replica/ledger-name.ts'
import { LATER_GENERATION, RESOURCE_QUOTA_LEDGERING } from './resource-quota-ledgering.ts'
import { allowed, retryLater } from '../../../../runtime/admission/admission-decision.ts'
import type { Controller } from '../../../../operator/shell/controller.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import type { ResourceQuotaOptions } from '../resource-quota-options.ts'
import { isOfResourceQuota, LedgerController } from './ledger-controller.ts'
import { ResourceQuotaHandler } from './quota-handler.ts'
import { QuotaLedgers } from '../../../counted/quota-ledgers.ts'
import { ENFORCEMENT_PATH, ResourceQuotaRules } from './quota-rules.ts'
import { QuotaTracker } from '../../../counted/quota-tracker.ts'
import { ResourceQuotaTracking } from './resource-quota-tracking.ts'
import { hardOf, type TrackedResourceQuota } from './tracked-resource-quota.ts'

/** How long it may take to write new limits to a ledger. */
const HOLD_MS = 5_000
/** How soon a client may try again while nobody knows whether ResourceQuotas are enforced. */
const RETRY_SECONDS = 1

export interface ResourceQuotaAdmissionOptions extends Pick<ResourceQuotaOptions, 'requestTimeoutMs' | 'workers'> {
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
  readonly #ledgers: QuotaLedgers<TrackedResourceQuota>
  readonly #rules: ResourceQuotaRules
  readonly #keeper: LedgerKeeper<TrackedResourceQuota>
  readonly #handler: ResourceQuotaHandler
  #isEnforced: boolean | undefined

  constructor(options: ResourceQuotaAdmissionOptions) {
    const { context, requestTimeoutMs, isIgnored } = options
    const { client, clock, webhooks, logger } = context
    this.#options = options
    this.#cache = new LedgerCache(context)
    const tracking = new ResourceQuotaTracking({ context, isIgnored })
    const tracker = new QuotaTracker<TrackedResourceQuota>({ context, tracking, areCrdsNeeded: false })
    const ledgering = RESOURCE_QUOTA_LEDGERING
    const storeOf = (_: unknown, owner: LedgerOwner): KeptLedger => new KeptLedger(this.#cache, owner, clock)
    const ledgers = new QuotaLedgers({ context, tracker, ledgering, storeOf, requestTimeoutMs })
    const handler = new ResourceQuotaHandler({ client, clock, tracker, tracking, ledgers })
    this.#handler = handler
    const handle: AdmissionWebhook['handle'] = async (...asked) => {
      if (this.#isEnforced === false) return allowed()
      if (tracker.isSynced) return handler.handle(...asked)
      return retryLater('whether allot enforces ResourceQuotas is being determined', RETRY_SECONDS)
    }
    // An API server may go by the rules of an earlier process.
    webhooks.answerAlways({ path: ENFORCEMENT_PATH, handle })
    const former = new FormerLedgers({
      ledgers: this.#cache,
      clock,
      patience: patienceOf(requestTimeoutMs),
      shareObjects: isOfSameResource,
    })
    this.#tracker = tracker
    this.#ledgers = ledgers
    this.#rules = new ResourceQuotaRules({
      tracker,
      webhooks,
      clock,
      handle,
      exempt: context.exempt,
    })
    const lost = new LostLedgers(context)
    this.#keeper = new LedgerKeeper({
      logger,
      tracker,
      ledgers: this.#cache,
      admissions: ledgers,
      hasAllowed: (tracked) =>
        tracked.hasHadLedger ||
        former.mayStillStore(this.#cache.placeKey(ledgers.ownerOf(tracked)), ledgers.of(tracked).views.current()),
      onLost: (tracked, leftMs) => lost.report({ ...tracked.quota, ...ledgers.ownerOf(tracked) }, leftMs),
    })
    this.#cache.view.onChange((_, ledger) => {
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

  /** Does this refuse requests, as far as this replica knows? */
  get areEnforced(): boolean {
    return this.#isEnforced !== false && this.#tracker.isSynced
  }

  /** As `ResourceQuotaHandler.reserve`. */
  readonly reserve: ResourceQuotaHandler['reserve'] = (attributes, review) => this.#handler.reserve(attributes, review)

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
   * Returns how much of each limit of a quota requests may use by now, as this replica knows: what the ledger counts, and what was allowed and
   * may still be stored. Undefined where allot does not admit requests for the quota.
   */
  usageOf(quota: ResourceQuota): ResourceList | undefined {
    const tracked = this.#enforced(quota)
    return tracked === undefined ? undefined : this.#ledgers.totalsOf(tracked)
  }

  /** Has all replicas go by these limits if they lower one of the quota's spec. Rejects where the ledger cannot be written. */
  async holdTo(quota: ResourceQuota, hard: ResourceList): Promise<void> {
    await this.#hold(quota, hard, hardOf(quota))
  }

  async #hold(quota: ResourceQuota, hard: ResourceList, before: ResourceList): Promise<void> {
    const tracked = this.#enforced(quota)
    if (tracked === undefined) return
    const ledger = this.#ledgers.of(tracked)
    const read = readLedger(ledger.store.read()?.status)
    const held = read.type === 'ledger' ? read.state.lowering?.limits : undefined
    if (!mustHold(hard, before, held)) return
    const deadline = this.#options.context.clock.monotonic() + HOLD_MS
    await ledger.admission.holdTo({ generation: LATER_GENERATION, limits: hard }, deadline)
  }

  #enforced(quota: ResourceQuota): TrackedResourceQuota | undefined {
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
    return new LedgerController({
      context,
      tracker: this.#tracker,
      cache: this.#cache,
      ledgers: this.#ledgers,
      rules: this.#rules,
      keeper: this.#keeper,
      workers,
      removesLedgers: () => this.#isEnforced !== undefined && (!this.#isEnforced || this.#tracker.isSynced),
      raisesUsage,
      onEnd,
    })
  }

  /** As `ResourceQuotaRules.pending`. */
  pendingRules(): string | undefined {
    return this.#rules.pending()
  }

  async stop(): Promise<void> {
    this.#rules.stop()
    await Promise.all([this.#keeper.stop(), this.#tracker.end()])
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
