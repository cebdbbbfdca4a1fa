import { conditionOf } from '../../../api/condition.ts'
import { RECONCILE_ANNOTATION } from '../api/quota-names.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { mergeDiff } from '../../../schema/patch/merge-diff.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import type { ControllerSource, ReconcileResult } from '../../../operator/shell/controller.ts'
import { outageText } from '../../../operator/shell/registered-webhooks.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import type { Hindrance, QuotaReporting, LedgerOutcome, Wait } from '../../counted/adapter.ts'
import type { QuantityLedger } from '../../counted/api/quantity-ledger.ts'
import { LOOK_AGAIN_MS, type QuotaEnforcement, REST_MS } from '../../counted/quota-controller.ts'
import type { LedgerCache } from '../../counted/replica/ledger-cache.ts'
import { concernedKey } from './quota-of-ledger.ts'
import {
  closureFindings,
  countingOutages,
  countingProblems,
  type QuotaFindings,
  reportedStatus,
} from './quota-report.ts'
import { isSetAside, type QuotaBound, TOO_MANY_QUOTAS } from './quota-bound.ts'
import { type EnforcementScope, unenforced } from './unenforced.ts'
import { UnmeasuredEvents } from './unmeasured-objects.ts'
import { kindOf } from './admission/ledgering.ts'
import type { CustomQuotaTracker } from './tracking/quota-tracker.ts'
import type { TrackedQuota } from './tracking/tracked-quota.ts'

/** The controller of custom quotas, as logs, metrics and the marks of its writes have it. */
const CUSTOM_QUOTAS = 'custom-quotas'

export interface CustomQuotaReportingOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'webhooks' | 'recorder'>
  readonly tracker: CustomQuotaTracker
  readonly ledgers: LedgerCache
  /** Undefined where quotas refuse nothing. */
  readonly enforcement: Pick<QuotaEnforcement<TrackedQuota>, 'keeper'> | undefined
  readonly scope: EnforcementScope
  readonly bound: Pick<QuotaBound, 'admits' | 'most'>
}

/** The time between two reports is at least so many times that of making and writing one, up to `MOST_REST_MS`. */
const REST_FACTOR = 20
const MOST_REST_MS = 2_000
/** … and so many milliseconds for each object that the status lists: the API server and its watchers pay for all of them each time. */
const REST_FOR_OBJECT_MS = 5
/** After so long the status says what a quota waits for. */
const PATIENCE_MS = 5_000

/** The message of the condition Ready where the ledger of an earlier quota of the name stays, for example because of a finalizer. */
const LEDGER_TAKEN =
  'the QuantityLedger of this name belongs to another or an earlier quota: it must be gone first, with its finalizers'

const BEING_COUNTED = 'the objects are being counted'
/** The messages of quotas without errors that wait. */
const WAITS: Readonly<Record<Exclude<Wait, Hindrance>, string>> = {
  kinds: 'the kinds of the sources are being looked up',
  count: BEING_COUNTED,
  rules: 'the API server does not ask the webhook about these objects yet',
}

/** Reports in the statuses of custom quotas what was counted, and why they do not refuse or decide. */
export class CustomQuotaReporting implements QuotaReporting<TrackedQuota> {
  readonly name = CUSTOM_QUOTAS
  readonly sources: readonly ControllerSource[]
  readonly #options: CustomQuotaReportingOptions
  readonly #unmeasured: UnmeasuredEvents
  /** The requests for a new count that objects were listed for. */
  readonly #recounted = new WeakMap<TrackedQuota, string>()

  constructor(options: CustomQuotaReportingOptions) {
    const { context, tracker, scope } = options
    this.#options = options
    this.#unmeasured = new UnmeasuredEvents(context.recorder)
    this.sources = [
      {
        // Whether a namespace is left out shows in the status of every quota that counts there.
        follow: (_, enqueue) =>
          scope.configured?.namespaceSelector === undefined
            ? () => undefined
            : tracker.namespaces.onChange((old, current) => {
                if (jsonEqual(old?.labels, current?.labels)) return
                for (const { key } of tracker.all) enqueue({ key })
              }),
      },
      {
        // Every quota says so: the objects that it counts cannot be written meanwhile.
        follow: (_, enqueue) =>
          context.webhooks.onOutage(() => {
            for (const { key } of tracker.all) enqueue({ key })
          }),
      },
    ]
  }

  /** The writes of replicas concern the status only where they change a count. */
  concerned(old: QuantityLedger | undefined, current: QuantityLedger | undefined): string | undefined {
    const { tracker, ledgers } = this.#options
    return concernedKey({ tracker, ledgers }, old, current)
  }

  gone(key: string): Promise<ReconcileResult> {
    this.#unmeasured.forget(key)
    return Promise.resolve({})
  }

  async prepare(tracked: TrackedQuota, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { bound } = this.#options
    if (!bound.admits(tracked.quota)) {
      // No replica counts or asks the quota, until others of its namespace go.
      const message = `the quota counts nothing and refuses nothing: its namespace has ${bound.most} earlier CustomQuotas (--custom-quotas-per-namespace)`
      await this.#report(tracked, { problems: [message], reason: TOO_MANY_QUOTAS }, signal)
      return { requeueAfter: PATIENCE_MS }
    }
    if (!isSetAside(tracked.quota)) return undefined
    // The status is the sign for all replicas to count the quota.
    await this.#report(tracked, { problems: [BEING_COUNTED] }, signal)
    return { requeueAfter: LOOK_AGAIN_MS }
  }

  async stuck(tracked: TrackedQuota, signal: AbortSignal): Promise<void> {
    await this.#report(tracked, { problems: [LEDGER_TAKEN] }, signal)
  }

  hindrance(tracked: TrackedQuota): Hindrance | undefined {
    if (countingProblems(tracked).length > 0) return 'mistake'
    return countingOutages(tracked).length > 0 ? 'outage' : undefined
  }

  async waits(
    tracked: TrackedQuota,
    { wait, forMs }: { readonly wait: Wait; readonly forMs: number },
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const outages = countingOutages(tracked)
    if (wait === 'mistake')
      return await this.#rested(
        tracked,
        { problems: [...countingProblems(tracked), ...outages, ...this.#unanswered()] },
        undefined,
        signal,
      )
    if (forMs < PATIENCE_MS) return { requeueAfter: LOOK_AGAIN_MS }
    const problems = [...(wait === 'outage' ? outages : [WAITS[wait]]), ...this.#unanswered()]
    await this.#report(tracked, { problems }, signal)
    return { requeueAfter: PATIENCE_MS }
  }

  async willBringUp(tracked: TrackedQuota): Promise<void> {
    const { quota, resolution } = tracked
    const request = requestIn(quota)
    this.#recounted.delete(tracked)
    if (request === undefined) return
    await Promise.all((resolution?.targets ?? []).map(({ counted, count }) => counted.list(count.namespace)))
    this.#recounted.set(tracked, request)
  }

  async broughtUp(
    tracked: TrackedQuota,
    { again, error }: LedgerOutcome,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { enforcement, context } = this.#options
    const closure = error === undefined ? enforcement?.keeper.closure(tracked) : undefined
    const { problems, reason }: Pick<QuotaFindings, 'problems' | 'reason'> =
      closure === undefined
        ? { problems: error === undefined ? [] : [error.message] }
        : closureFindings(closure, context.clock.now())
    return await this.#rested(tracked, { problems: [...this.#unanswered(), ...problems], reason }, again, signal)
  }

  /** Meanwhile the API server refuses all that the quota counts, with an internal error. */
  #unanswered(): readonly string[] {
    const { enforcement, context } = this.#options
    const { outage } = context.webhooks
    return enforcement === undefined || outage === undefined ? [] : [outageText(outage)]
  }

  /** Reports what was found. The status of a quota with very many objects takes this process and the API server time, and is written less often. */
  async #rested(
    tracked: TrackedQuota,
    findings: Pick<QuotaFindings, 'problems' | 'reason'>,
    again: number | undefined,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { clock } = this.#options.context
    const began = clock.monotonic()
    const { isReady, listed } = await this.#report(tracked, findings, signal)
    const tookMs = clock.monotonic() - began
    this.#unmeasured.report(tracked)
    const request = requestIn(tracked.quota)
    // Somebody may have asked only since, for the next count.
    const isAnswered = request !== undefined && request === this.#recounted.get(tracked)
    if (isAnswered && isReady) await this.#removeRequest(tracked, signal)
    const restFor = Math.max(REST_MS, Math.min(REST_FACTOR * tookMs, MOST_REST_MS), listed * REST_FOR_OBJECT_MS)
    return { restFor, ...(again === undefined ? {} : { requeueAfter: Math.max(again, restFor) }) }
  }

  /** Writes the status where it says something else than before. Returns whether the quota is ready, and how many objects the status lists. */
  async #report(
    tracked: TrackedQuota,
    findings: Pick<QuotaFindings, 'problems' | 'reason'>,
    signal: AbortSignal,
  ): Promise<{ readonly isReady: boolean; readonly listed: number }> {
    const { context, tracker, scope } = this.#options
    const now = timestamp(context.clock.now())
    const status = await reportedStatus(tracked, { ...findings, unenforced: unenforced(tracked, scope), now })
    const { quota } = tracked
    const diff = mergeDiff(quota.status, status)
    if (diff !== undefined) {
      const { namespace = '', name = '', resourceVersion } = quota.metadata
      await tracker
        .viewOf(tracked)
        .observeWrite({ namespace, name }, CUSTOM_QUOTAS, () =>
          context.client.patch(
            kindOf(tracked),
            { namespace, name },
            { type: 'merge', body: { metadata: { resourceVersion }, status: diff } },
            { subresource: 'status', signal },
          ),
        )
    }
    const isReady = conditionOf(status.conditions, 'Ready')?.status === 'True'
    return { isReady, listed: status.claims?.length ?? 0 }
  }

  async #removeRequest(tracked: TrackedQuota, signal: AbortSignal): Promise<void> {
    const { namespace, name } = tracked.ref
    await this.#options.context.client.patch(
      kindOf(tracked),
      { namespace, name },
      { type: 'merge', body: { metadata: { annotations: { [RECONCILE_ANNOTATION]: null } } } },
      { signal },
    )
  }
}

/** The text by which somebody asked for a new count; undefined where nobody did. */
const requestIn = ({ metadata }: TrackedQuota['quota']): string | undefined =>
  metadata.annotations?.[RECONCILE_ANNOTATION]
