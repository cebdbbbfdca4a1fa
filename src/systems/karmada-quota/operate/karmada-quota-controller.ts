import { LedgerUnavailable } from '../../counted/protocol/ledger-errors.ts'
import type { LedgerKeeper } from '../../counted/replica/ledger-keeper.ts'
import type { Controller, ControllerSource, ReconcileResult } from '../../../operator/shell/controller.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import type { BindingRules } from './binding-rules.ts'
import { RESOURCE_BINDINGS } from '../api/karmada-quota-names.ts'
import { KARMADA_QUOTAS } from './karmada-quota-controllers.ts'
import { NO_BINDINGS } from './no-bindings.ts'
import { BindingNudger } from './nudge-bindings.ts'
import type { QuotaTracker } from '../../counted/quota-tracker.ts'
import type { KarmadaQuotaTracking } from './karmada-quota-tracking.ts'
import type { TrackedKarmadaQuota } from './tracked-karmada-quota.ts'

export interface KarmadaQuotaControllerOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'logger' | 'recorder'>
  readonly tracker: QuotaTracker<TrackedKarmadaQuota>
  readonly tracking: Pick<KarmadaQuotaTracking, 'waiting' | 'resource'>
  readonly rules: BindingRules
  readonly keeper: Pick<LedgerKeeper<TrackedKarmadaQuota>, 'settle'>
  readonly workers: number
}

/** Changes that come within so many milliseconds are written together. */
const REST_MS = 250
/** How often it is looked whether a quota can be enforced, besides whenever something says so. */
const LOOK_AGAIN_MS = 1_000
const LEAST_WAIT_MS = 1_000
/** The bindings of a quota are listed again this often, as a check; Karmada's `--federated-resource-quota-sync-period`. */
const RECOUNT_MS = 300_000

/** Opens the ledgers of KarmadaQuotas when the API server asks the webhook, and keeps their statuses up to the bindings that there are. */
export class KarmadaQuotaController implements Controller {
  readonly name = KARMADA_QUOTAS
  readonly workers: number
  readonly sources: readonly ControllerSource[]
  readonly #options: KarmadaQuotaControllerOptions
  readonly #nudger: BindingNudger
  /** When the bindings of each quota were last listed by this controller, on the monotonic clock. */
  readonly #recounted = new WeakMap<TrackedKarmadaQuota, number>()

  /** Quotas of which it was said that there are no bindings. */
  readonly #missing = new WeakSet<TrackedKarmadaQuota>()

  constructor(options: KarmadaQuotaControllerOptions) {
    const { context, tracker, tracking, rules, workers } = options
    this.#options = options
    this.#nudger = new BindingNudger(context, tracker, tracking)
    this.workers = workers
    this.sources = [
      { follow: () => tracker.onGone(({ namespace }) => this.#nudger.quotaGone(namespace)) },
      { follow: (_, enqueue) => tracker.onChange((key) => enqueue({ key })) },
      {
        follow: (_, enqueue) =>
          rules.onLive(() => {
            for (const { key } of tracker.all) enqueue({ key })
          }),
      },
    ]
  }

  async reconcile(key: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { tracker, rules } = this.#options
    const tracked = tracker.get(key)
    if (tracked === undefined) return requeue(await this.#nudger.nudgeAfterDeletion(namespaceOf(key), signal))
    if (tracked.quota.metadata.deletionTimestamp !== undefined) return {}
    this.#reportMissing(tracked)
    if (!tracked.isCounted || !rules.isLiveFor(tracked)) return { requeueAfter: LOOK_AGAIN_MS }
    const recountIn = await this.#recount(tracked)
    const again = await this.#settle(tracked)
    const nextNudge = await this.#nudger.nudge(tracked, signal)
    return { restFor: REST_MS, requeueAfter: Math.min(again ?? recountIn, nextNudge ?? recountIn, recountIn) }
  }

  /** Says once of a quota that there are no bindings to count, and again when they have gone again. */
  #reportMissing(tracked: TrackedKarmadaQuota): void {
    const { context } = this.#options
    const isMissing = tracked.resolution?.problems.some(({ text }) => text === NO_BINDINGS) === true
    if (!isMissing) this.#missing.delete(tracked)
    else if (!this.#missing.has(tracked)) {
      this.#missing.add(tracked)
      const regarding = tracked.quota
      const reason = 'NoResourceBindings'
      context.recorder.record({ regarding, type: 'Warning', reason, action: 'Reconciled', note: NO_BINDINGS })
    }
  }

  /** Lists the bindings of the quota where that was long ago. Returns the milliseconds until the next time. */
  async #recount(tracked: TrackedKarmadaQuota): Promise<number> {
    const { context } = this.#options
    const now = context.clock.monotonic()
    const last = this.#recounted.get(tracked)
    if (last === undefined) this.#recounted.set(tracked, now)
    else if (now - last >= RECOUNT_MS) {
      this.#recounted.set(tracked, now)
      await tracked.target(RESOURCE_BINDINGS)?.counted.list(tracked.ref.namespace)
    }
    return Math.max(LEAST_WAIT_MS, (this.#recounted.get(tracked) ?? now) + RECOUNT_MS - now)
  }

  async #settle(tracked: TrackedKarmadaQuota): Promise<number | undefined> {
    const { keeper, context } = this.#options
    try {
      const next = await keeper.settle(tracked)
      return next === undefined ? undefined : Math.max(next, LEAST_WAIT_MS)
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || error.problem === 'unreachable') throw error
      context.logger.warn({ quota: tracked.key, problem: error.problem }, error.message)
      return LEAST_WAIT_MS
    }
  }
}

/** The keys of quotas are `KarmadaQuota/<namespace>/<name>`. */
const namespaceOf = (key: string): string => key.split('/')[1] ?? ''

const requeue = (requeueAfter: number | undefined): ReconcileResult =>
  requeueAfter === undefined ? {} : { requeueAfter }
