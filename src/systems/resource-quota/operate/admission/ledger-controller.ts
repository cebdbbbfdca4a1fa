import type { ResourceQuota } from '../../../../api/resource-quota/resource-quota.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { LedgerUnavailable } from '../../../counted/protocol/ledger-errors.ts'
import type { QuantityLedger } from '../../../counted/api/quantity-ledger.ts'
import { hasCause, isAlreadyExists, isConflict, isNotFound } from '../../../../machinery/status.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { formatResourceList, quantityOf, type ResourceList } from '../../../../quantity/resource-list.ts'
import type { LedgerKeeper } from '../../../counted/replica/ledger-keeper.ts'
import { type LedgerCache, targetKey } from '../../../counted/replica/ledger-cache.ts'
import { FIELD_MANAGER } from '../../../../operator/cluster/ensure-crds.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import type { Controller, ControllerSource, ReconcileResult } from '../../../../operator/shell/controller.ts'
import type { Parts } from '../../../../operator/shell/dirty-set.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import { QUOTA_LEDGERS } from '../resource-quota-controllers.ts'
import type { QuotaLedgers } from '../../../counted/quota-ledgers.ts'
import type { ResourceQuotaRules } from './quota-rules.ts'
import type { QuotaTracker } from '../../../counted/quota-tracker.ts'
import type { TrackedResourceQuota } from './tracked-resource-quota.ts'
import { writtenUsage } from './written-usage.ts'

export interface LedgerControllerOptions {
  readonly context: Pick<OperatorContext, 'client' | 'logger' | 'recorder'>
  readonly tracker: QuotaTracker<TrackedResourceQuota>
  readonly cache: LedgerCache
  readonly ledgers: QuotaLedgers<TrackedResourceQuota>
  readonly rules: ResourceQuotaRules
  readonly keeper: Pick<LedgerKeeper<TrackedResourceQuota>, 'settle'>
  readonly workers: number
  /** Must the ledgers go of quotas that are not tracked? False as long as it is not known whether allot enforces quotas. */
  readonly removesLedgers: () => boolean
  /** Does somebody else count the usage of quotas, who expects admission to raise it? */
  readonly raisesUsage: () => boolean
  /** Called when this process does not lead any more. */
  readonly onEnd: () => void
}

/** Changes that come within so many milliseconds are written together. */
const REST_MS = 250
/** How often it is looked whether a quota can be enforced, besides whenever something says so. */
const LOOK_AGAIN_MS = 1_000
const LEAST_WAIT_MS = 1_000

/** Makes the ledgers of ResourceQuotas, opens them when the API server asks the webhook, and deletes those of quotas that are gone. */
export class LedgerController implements Controller {
  readonly name = QUOTA_LEDGERS
  readonly workers: number
  readonly sources: readonly ControllerSource[]
  readonly #options: LedgerControllerOptions
  /** The usage that this, or a leader before, wrote last, by limit. */
  readonly #raised = new WeakMap<TrackedResourceQuota, ReadonlyMap<string, Quantity>>()
  /** The usage of a quota, as text, of which the API server was last asked whose it is. */
  readonly #asked = new WeakMap<TrackedResourceQuota, string>()

  constructor(options: LedgerControllerOptions) {
    const { tracker, cache, rules, workers } = options
    this.#options = options
    this.workers = workers
    this.sources = [
      { follow: (_, enqueue) => tracker.onChange((key) => enqueue({ key })) },
      {
        follow: (_, enqueue) =>
          cache.view.onChange((old, current) => {
            const ledger = current ?? old
            if (ledger !== undefined && isOfResourceQuota(ledger)) enqueue({ key: targetKey(ledger) })
          }),
      },
      {
        follow: (_, enqueue) =>
          rules.onLive(() => {
            for (const { key } of tracker.all) enqueue({ key })
          }),
      },
      { follow: () => () => options.onEnd() },
    ]
  }

  async reconcile(key: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { tracker, cache, rules, raisesUsage } = this.#options
    const tracked = tracker.get(key)
    await this.#removeOthers(key, tracked, signal)
    if (tracked === undefined || tracked.quota.metadata.deletionTimestamp !== undefined) return {}
    const ledger = cache.get(this.#options.ledgers.ownerOf(tracked))
    if ((ledger?.status?.outstanding ?? '') !== '') tracked.hasHadLedger = true
    // Only once this replica has seen the earlier ledger go does it know all that was reserved there.
    if (ledger === undefined && cache.isTaken(this.#options.ledgers.ownerOf(tracked)))
      return { requeueAfter: LOOK_AGAIN_MS }
    if (ledger === undefined && !(await this.#create(tracked, signal))) return {}
    if (!tracked.isCounted) this.#reportProblems(tracked)
    if (!tracked.isCounted || !rules.isLiveFor(tracked)) return { requeueAfter: LOOK_AGAIN_MS }
    const again = await this.#settle(tracked)
    if (raisesUsage()) await this.#raiseUsage(tracked, signal)
    return { restFor: REST_MS, ...(again === undefined ? {} : { requeueAfter: again }) }
  }

  /** Deletes the ledgers of quotas of the name that are not there any more. */
  async #removeOthers(key: string, tracked: TrackedResourceQuota | undefined, signal: AbortSignal): Promise<void> {
    const { cache, removesLedgers } = this.#options
    if (!removesLedgers()) return
    const current = tracked === undefined ? undefined : cache.get(this.#options.ledgers.ownerOf(tracked))
    for (const ledger of cache.view.list())
      if (ledger !== current && isOfResourceQuota(ledger) && targetKey(ledger) === key)
        await cache.delete(ledger, { signal })
  }

  /** Says whether there is a ledger now. */
  async #create(tracked: TrackedResourceQuota, signal: AbortSignal): Promise<boolean> {
    const { cache } = this.#options
    const owner = this.#options.ledgers.ownerOf(tracked)
    try {
      await cache.create(owner, { signal })
      return true
    } catch (error) {
      if (isNotFound(error) || hasCause(error, 'NamespaceTerminating')) return false
      if (!isAlreadyExists(error) || (await cache.readLive(owner, { signal })) === undefined) throw error
      return true
    }
  }

  async #settle(tracked: TrackedResourceQuota): Promise<number | undefined> {
    const { keeper } = this.#options
    try {
      const next = await keeper.settle(tracked)
      return next === undefined ? undefined : Math.max(next, LEAST_WAIT_MS)
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || error.problem === 'unreachable') throw error
      if (error.problem === 'unreadable') this.#warn(tracked, 'LedgerUnreadable', error.message)
      return LEAST_WAIT_MS
    }
  }

  /** A quota whose objects cannot be counted stays closed. */
  #reportProblems(tracked: TrackedResourceQuota): void {
    for (const { resource, counted } of tracked.resolution?.targets ?? [])
      if (counted.problem instanceof Error)
        this.#warn(tracked, 'UsageNotCounted', `${resource.resource} cannot be listed: ${counted.problem.message}`)
  }

  #warn(tracked: TrackedResourceQuota, reason: string, note: string): void {
    const regarding = { ...tracked.quota, ...this.#options.ledgers.ownerOf(tracked) }
    this.#options.context.recorder.record({ regarding, type: 'Warning', reason, action: 'Enforced', note })
  }

  /**
   * Shows in the status what was admitted, as the plugin does. Room that comes back is shown by the controller that counts, but for an amount
   * that this raised too far: that controller may have taken off objects which the ledger still contained.
   */
  async #raiseUsage(tracked: TrackedResourceQuota, signal: AbortSignal): Promise<void> {
    const { ledgers, context, tracker } = this.#options
    const { metadata, status } = tracked.quota
    const totals = ledgers.totalsOf(tracked)
    if (totals === undefined || status?.hard === undefined) return
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
      const written = await context.client.patch(
        RESOURCE_QUOTAS,
        { namespace, name },
        { type: 'merge', body },
        { subresource: 'status', signal },
      )
      this.#raised.set(tracked, new Map([...own, ...changed]))
      tracker.observed(tracked, written)
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  /**
   * The usage of a quota that allot wrote, by limit. Where the status shows more than the ledger contains, a leader before may have written that: the
   * API server knows whose each field is, and is asked once for each usage.
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
      const { client } = this.#options.context
      const live = await client.get<ResourceQuota>(RESOURCE_QUOTAS, { namespace, name }, { signal })
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

/** Does the ledger belong to a ResourceQuota? */
export const isOfResourceQuota = ({ spec }: QuantityLedger): boolean => spec.targetRef.kind === RESOURCE_QUOTAS.kind
