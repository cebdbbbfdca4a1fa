import type { Condition } from '../../../api/condition.ts'
import { type Progress, RECONCILING, STALLED, withProgress } from '../../../api/progress.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import type { KARMADA_QUOTA_CONDITIONS } from '../api/quota-conditions.ts'
import type { ReasonIn } from '../../../api/condition-table.ts'
import { karmadaQuota } from '../api/karmada-quota.ts'
import { RESOURCE_BINDINGS } from '../api/names.ts'
import type { ControllerSource, ReconcileResult } from '../../../operator/shell/controller.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import type { QuotaReporting, LedgerOutcome } from '../../counted/adapter.ts'
import { LOOK_AGAIN_MS, REST_MS } from '../../counted/quota-controller.ts'
import type { QuotaTracker } from '../../counted/quota-tracker.ts'
import type { KarmadaQuotaTracking } from './tracking.ts'
import { NO_BINDINGS } from './no-bindings.ts'
import { BindingRescheduler } from './reschedule-bindings.ts'
import type { TrackedKarmadaQuota } from './tracked-quota.ts'

export interface KarmadaQuotaReportingOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'logger' | 'recorder'>
  readonly tracker: QuotaTracker<TrackedKarmadaQuota>
  readonly tracking: Pick<KarmadaQuotaTracking, 'waiting' | 'resource'>
}

/** The bindings of a quota are listed again this often, as a check; Karmada's `--federated-resource-quota-sync-period`. */
const RECOUNT_MS = 300_000
const LEAST_WAIT_MS = 1_000
/** A state that passes sooner is not reported. */
const PATIENCE_MS = 5_000

/** The leader's work on KarmadaQuotas. It has bindings tried again when room comes back, and counts them again now and then. */
export class KarmadaQuotaReporting implements QuotaReporting<TrackedKarmadaQuota> {
  readonly name = 'karmada-quotas'
  readonly sources: readonly ControllerSource[]
  readonly #context: KarmadaQuotaReportingOptions['context']
  readonly #rescheduler: BindingRescheduler
  /** When the bindings of each quota were last listed by this controller, on the monotonic clock. */
  readonly #recounted = new WeakMap<TrackedKarmadaQuota, number>()
  /** Since when the ledgers of quotas have been closed without a break, on the monotonic clock. */
  readonly #closedSince = new WeakMap<TrackedKarmadaQuota, number>()
  /** Quotas of which it was said that there are no bindings. */
  readonly #missing = new WeakSet<TrackedKarmadaQuota>()

  constructor({ context, tracker, tracking }: KarmadaQuotaReportingOptions) {
    this.#context = context
    this.#rescheduler = new BindingRescheduler(context, tracker, tracking)
    this.sources = [{ follow: () => tracker.onGone(({ namespace }) => this.#rescheduler.quotaGone(namespace)) }]
  }

  async gone(key: string, tracked: TrackedKarmadaQuota | undefined, signal: AbortSignal): Promise<ReconcileResult> {
    // The keys of quotas are `KarmadaQuota/<namespace>/<name>`.
    const [, namespace = ''] = key.split('/')
    const next = tracked === undefined ? await this.#rescheduler.rescheduleAfterDeletion(namespace, signal) : undefined
    return next === undefined ? {} : { requeueAfter: next }
  }

  /** Says once of a quota that there are no bindings to count, and again when they have gone again. */
  prepare(tracked: TrackedKarmadaQuota): Promise<undefined> {
    const isMissing = tracked.resolution?.problems.some(({ text }) => text === NO_BINDINGS) === true
    if (!isMissing) this.#missing.delete(tracked)
    else if (!this.#missing.has(tracked)) {
      this.#missing.add(tracked)
      const reason = 'NoResourceBindings'
      const { recorder } = this.#context
      recorder.record({ regarding: tracked.quota, type: 'Warning', reason, action: 'Reconciled', note: NO_BINDINGS })
    }
    return Promise.resolve(undefined)
  }

  async waits(
    tracked: TrackedKarmadaQuota,
    { forMs }: { readonly forMs: number },
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const [problem] = tracked.resolution?.problems ?? []
    const message = problem?.text ?? 'the bindings are being counted, or the API server does not ask about them yet'
    const waiting = { type: RECONCILING, reason: problem === undefined ? 'Counting' : 'NotCounted', message } as const
    if (forMs >= PATIENCE_MS) await this.#report(tracked, invalid(tracked) ?? waiting, signal)
    return { requeueAfter: LOOK_AGAIN_MS }
  }

  /** Lists the bindings of the quota where that was long ago. */
  async willBringUp(tracked: TrackedKarmadaQuota): Promise<void> {
    const now = this.#context.clock.monotonic()
    const isDue = now - (this.#recounted.get(tracked) ?? now) >= RECOUNT_MS
    if (isDue || !this.#recounted.has(tracked)) this.#recounted.set(tracked, now)
    if (isDue) await tracked.target(RESOURCE_BINDINGS)?.counted.list(tracked.namespace)
  }

  async broughtUp(
    tracked: TrackedKarmadaQuota,
    { again, error }: LedgerOutcome,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { clock, logger } = this.#context
    if (error !== undefined) logger.warn({ quota: tracked.key, problem: error.problem }, error.message)
    const now = clock.monotonic()
    const closedSince = this.#closedSince.get(tracked) ?? now
    if (error === undefined) this.#closedSince.delete(tracked)
    else this.#closedSince.set(tracked, closedSince)
    const closed = error && ({ type: RECONCILING, reason: 'Closed', message: error.message } as const)
    const progress = invalid(tracked) ?? closed
    if (progress !== closed || error === undefined || now - closedSince >= PATIENCE_MS)
      await this.#report(tracked, progress, signal)
    const recountIn = Math.max(LEAST_WAIT_MS, (this.#recounted.get(tracked) ?? now) + RECOUNT_MS - now)
    const nextLook = await this.#rescheduler.reschedule(tracked, signal)
    return { restFor: REST_MS, requeueAfter: Math.min(again ?? recountIn, nextLook ?? recountIn, recountIn) }
  }

  /**
   * Says in the status how the quota stands, where that differs. Each batch of requests writes the status too, so that it is not asked
   * which version is changed. A status without `observedGeneration` and without a ledger belongs to a CRD that is not allot's. It is left
   * alone. Versions of allot before these conditions kept ledgers too.
   */
  async #report(
    tracked: TrackedKarmadaQuota,
    progress: KarmadaProgress | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock } = this.#context
    const { metadata, status } = tracked.quota
    if (status?.observedGeneration === undefined && status?.outstanding === undefined) return
    const conditions = withProgress(status.conditions ?? NO_CONDITIONS, progress, timestamp(clock.now()))
    if (status.observedGeneration === tracked.generation && conditions === (status.conditions ?? NO_CONDITIONS)) return
    const { namespace = '', name = '', uid } = metadata
    const body = { metadata: { uid }, status: { observedGeneration: tracked.generation, conditions } }
    await client.patch(karmadaQuota, { namespace, name }, { type: 'merge', body }, { subresource: 'status', signal })
  }
}

const NO_CONDITIONS: readonly Condition[] = []

type KarmadaProgress = Progress<
  ReasonIn<typeof KARMADA_QUOTA_CONDITIONS, 'Reconciling'> | ReasonIn<typeof KARMADA_QUOTA_CONDITIONS, 'Stalled'>
>

function invalid({ problems }: TrackedKarmadaQuota): KarmadaProgress | undefined {
  return problems.length === 0 ? undefined : { type: STALLED, reason: 'Invalid', message: problems.join('; ') }
}
