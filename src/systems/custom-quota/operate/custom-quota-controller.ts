import { customQuota } from '../api/custom-quota.ts'
import { globalCustomQuota } from '../api/global-custom-quota.ts'
import { conditionOf } from '../../../api/condition.ts'
import { RECONCILE_ANNOTATION } from '../api/quota-names.ts'
import { LedgerUnavailable } from '../../counted/protocol/ledger-errors.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { mergeDiff } from '../../../schema/patch/merge-diff.ts'
import { hasCause, isAlreadyExists, isConflict, isNotFound } from '../../../machinery/status.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import type { Controller, ControllerSource, ReconcileResult } from '../../../operator/shell/controller.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import type { LedgerKeeper } from '../../counted/replica/ledger-keeper.ts'
import type { LedgerCache } from '../../counted/replica/ledger-cache.ts'
import type { RuleKeeper } from './admission/rule-keeper.ts'
import { concernedKey } from './concerned-quota.ts'
import { closureFindings, countingOutages, countingProblems, statusOf } from './quota-report.ts'
import { isSetAside, type QuotaBound, TOO_MANY_QUOTAS } from './quota-bound.ts'
import { type EnforcementScope, unenforced } from './unenforced.ts'
import { UnmeasuredEvents } from './unmeasured-objects.ts'
import { outageText } from '../../../operator/shell/registered-webhooks.ts'
import type { CustomQuotaTracker } from './tracking/custom-quota-tracker.ts'
import type { AnyQuota, TrackedQuota } from './tracking/tracked-custom-quota.ts'

/** The controller of custom quotas, as logs, metrics and the marks of its writes have it. */
const CUSTOM_QUOTAS = 'custom-quotas'

export interface QuotaControllerOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'logger' | 'webhooks' | 'recorder'>
  readonly tracker: CustomQuotaTracker
  readonly ledgers: LedgerCache
  readonly workers: number
  /** Undefined where quotas refuse nothing. */
  readonly enforcement: CustomQuotaEnforcement | undefined
  readonly scope: EnforcementScope
  readonly bound: Pick<QuotaBound, 'admits' | 'most'>
}

/** The dependencies of a quota that refuses requests. */
export interface CustomQuotaEnforcement {
  readonly rules: RuleKeeper
  readonly keeper: Pick<LedgerKeeper<TrackedQuota>, 'settle' | 'closure'>
}

/** Changes that come within so many milliseconds are reported together. */
const REST_MS = 250
/** The time between two reports is at least so many times that of making and writing one, up to `MOST_REST_MS`. */
const REST_FACTOR = 20
const MOST_REST_MS = 2_000
/** … and so many milliseconds for each object that the status lists: the API server and its watchers pay for all of them each time. */
const REST_FOR_OBJECT_MS = 5
/** How often it is looked whether a quota can be ready, besides whenever something says so. */
const LOOK_AGAIN_MS = 1_000
/** Reservations whose time is over are looked at together. */
const LEAST_WAIT_MS = 1_000

/** The message of the condition Ready where the ledger of an earlier quota of the name stays, for example because of a finalizer. */
const LEDGER_TAKEN =
  'the QuantityLedger of this name belongs to another or an earlier quota: it must be gone first, with its finalizers'

const BEING_COUNTED = 'the objects are being counted'

interface Settling {
  /** Why the ledger cannot be decided on. */
  readonly problems: readonly string[]
  readonly reason?: string | undefined
  /** After how many milliseconds it is to be looked at again. */
  readonly again: number | undefined
}

const NOT_SETTLED: Settling = { problems: [], again: undefined }

/** After so long the status says what a quota waits for. */
const PATIENCE_MS = 5_000

/** Keeps the ledgers of custom quotas in place, and reports in their statuses what was counted. */
export class QuotaController implements Controller {
  readonly name = CUSTOM_QUOTAS
  readonly workers: number
  readonly sources: readonly ControllerSource[]
  readonly #options: QuotaControllerOptions
  readonly #unmeasured: UnmeasuredEvents
  /** Since when quotas wait, on the monotonic clock. */
  readonly #waiting = new Map<string, number>()

  constructor(options: QuotaControllerOptions) {
    const { context, tracker, ledgers, workers, enforcement, scope } = options
    this.#options = options
    this.#unmeasured = new UnmeasuredEvents(context.recorder)
    this.workers = workers
    this.sources = [
      { follow: (_, enqueue) => tracker.onChange((key) => enqueue({ key })) },
      {
        follow: (_, enqueue) =>
          ledgers.view.onChange((old, current) => {
            // The writes of replicas concern the status only where they change a count.
            const key = concernedKey({ tracker, ledgers }, old, current)
            if (key !== undefined) enqueue({ key })
          }),
      },
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
        follow: (_, enqueue) =>
          enforcement?.rules.onLive(() => {
            for (const key of this.#waiting.keys()) enqueue({ key })
          }) ?? (() => undefined),
      },
      {
        // Every quota says so: what it counts cannot be written meanwhile.
        follow: (_, enqueue) =>
          context.webhooks.onOutage(() => {
            for (const { key } of tracker.all) enqueue({ key })
          }),
      },
    ]
  }

  async reconcile(key: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { tracker, ledgers, context } = this.#options
    const tracked = tracker.get(key)
    if (tracked === undefined || tracked.quota.metadata.deletionTimestamp !== undefined) {
      this.#waiting.delete(key)
      this.#unmeasured.forget(key)
      return {}
    }
    if (!this.#options.bound.admits(tracked.quota)) return await this.#setAside(tracked, signal)
    if (isSetAside(tracked.quota)) {
      // The status is the sign for all replicas to count the quota.
      await this.#report(tracked, [BEING_COUNTED], signal)
      return { requeueAfter: LOOK_AGAIN_MS }
    }
    if (ledgers.isTaken(tracked.quota) && !(await this.#reclaimLedger(tracked, signal)))
      return { requeueAfter: LOOK_AGAIN_MS }
    if (ledgers.get(tracked.quota) === undefined && !(await this.#createLedger(tracked, signal))) return {}
    await this.#keepMarks(tracked, signal)
    const problems = countingProblems(tracked)
    const outages = countingOutages(tracked)
    const wait = problems.length > 0 ? undefined : outages.length > 0 ? outages : this.#waitsFor(tracked)
    if (wait === undefined) this.#waiting.delete(key)
    else {
      const now = context.clock.monotonic()
      const since = this.#waiting.get(key) ?? now
      this.#waiting.set(key, since)
      if (now - since < PATIENCE_MS) return { requeueAfter: LOOK_AGAIN_MS }
    }
    const isRequested = tracked.quota.metadata.annotations?.[RECONCILE_ANNOTATION] !== undefined
    if (isRequested && wait === undefined) await this.#recount(tracked)
    const settling = problems.length === 0 && wait === undefined ? await this.#settle(tracked) : NOT_SETTLED
    const unanswered = this.#unanswered()
    const found =
      wait === undefined ? [...problems, ...outages, ...unanswered, ...settling.problems] : [...wait, ...unanswered]
    const began = context.clock.monotonic()
    const { isReady, listed } = await this.#report(tracked, found, signal, settling.reason)
    const tookMs = context.clock.monotonic() - began
    if (wait === undefined) this.#unmeasured.report(tracked)
    if (isRequested && isReady) await this.#removeRequest(tracked, signal)
    if (wait !== undefined) return { requeueAfter: PATIENCE_MS }
    // The status of a quota with very many objects takes this process and the API server time, and is written less often.
    const restFor = Math.max(REST_MS, Math.min(REST_FACTOR * tookMs, MOST_REST_MS), listed * REST_FOR_OBJECT_MS)
    return { restFor, ...(settling.again === undefined ? {} : { requeueAfter: Math.max(settling.again, restFor) }) }
  }

  /** Has no replica count or ask the quota, until others of its namespace go. */
  async #setAside(tracked: TrackedQuota, signal: AbortSignal): Promise<ReconcileResult> {
    const { most } = this.#options.bound
    const message = `the quota counts nothing and refuses nothing: its namespace has ${most} earlier CustomQuotas (--custom-quotas-per-namespace)`
    await this.#report(tracked, [message], signal, TOO_MANY_QUOTAS)
    return { requeueAfter: PATIENCE_MS }
  }

  /** The ledger is written before the status that people read: it never shows room that admission would refuse. */
  async #settle(tracked: TrackedQuota): Promise<Settling> {
    const { enforcement, ledgers, context } = this.#options
    if (enforcement === undefined) return NOT_SETTLED
    const { keeper } = enforcement
    const ledger = ledgers.get(tracked.quota)
    if (ledger !== undefined && ledgers.isForeign(ledger))
      context.logger.warn({ quota: tracked.key }, 'somebody else changed the ledger of a quota: it is made again')
    try {
      const next = await keeper.settle(tracked)
      const again = next === undefined ? undefined : Math.max(next, LEAST_WAIT_MS)
      const closure = keeper.closure(tracked)
      return closure === undefined
        ? { problems: [], again }
        : { ...closureFindings(closure, context.clock.now()), again }
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || error.problem === 'unreachable') throw error
      return { problems: [error.message], again: LEAST_WAIT_MS }
    }
  }

  /** Meanwhile the API server refuses all that the quota counts, with an internal error. */
  #unanswered(): readonly string[] {
    const { enforcement, context } = this.#options
    const { outage } = context.webhooks
    return enforcement === undefined || outage === undefined ? [] : [outageText(outage)]
  }

  /** Returns the reason why a quota without errors is not ready yet; undefined where it is ready. */
  #waitsFor(tracked: TrackedQuota): readonly string[] | undefined {
    if (tracked.resolution === undefined) return ['the kinds of the sources are being looked up']
    if (!tracked.isCounted) return [BEING_COUNTED]
    if (this.#options.enforcement?.rules.isLiveFor(tracked) === false)
      return ['the API server does not ask the webhook about these objects yet']
    return undefined
  }

  /**
   * Takes the name of the ledger back from one that says that it is another quota's. One that was written for this quota says so again.
   * Any other is deleted: only once this replica has seen it go does it know all that was reserved there. Says whether the quota has its
   * ledger now.
   */
  async #reclaimLedger(tracked: TrackedQuota, signal: AbortSignal): Promise<boolean> {
    const { ledgers, context } = this.#options
    const { quota, key } = tracked
    const ledger = ledgers.at(quota)
    if (ledger === undefined) return false
    try {
      // This replica may know a newer ledger than quota.
      if (!(await this.#exists(tracked, signal))) return false
      context.logger.warn({ quota: key }, 'the ledger of a quota says that it belongs to another')
      if (ledgers.isSealedFor(quota)) {
        await ledgers.mark(ledger, quota, { signal })
        return true
      }
      if (ledger.metadata.deletionTimestamp === undefined) await ledgers.delete(ledger, { signal })
      else await this.#report(tracked, [LEDGER_TAKEN], signal)
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
    return false
  }

  /** Puts back what somebody else changed of what the ledger says it belongs to. */
  async #keepMarks({ quota, key }: TrackedQuota, signal: AbortSignal): Promise<void> {
    const { ledgers, context } = this.#options
    const ledger = ledgers.get(quota)
    if (ledger === undefined || ledgers.isMarked(ledger, quota)) return
    context.logger.warn({ quota: key }, 'somebody else changed the owner or the label of the ledger of a quota')
    try {
      await ledgers.mark(ledger, quota, { signal })
    } catch (error) {
      // The newer version brings another look.
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  /** Says whether there is a ledger now: none is made in a namespace that ends. */
  async #createLedger(tracked: TrackedQuota, signal: AbortSignal): Promise<boolean> {
    const { quota, key } = tracked
    const { ledgers, context } = this.#options
    try {
      // The watch may show that the ledger of a deleted quota went before it shows that the quota did.
      if (quota.status !== undefined && !(await this.#exists(tracked, signal))) return false
      await ledgers.create(quota, { signal })
      return true
    } catch (error) {
      if (isNotFound(error) || hasCause(error, 'NamespaceTerminating')) return false
      if (!isAlreadyExists(error)) throw error
      if ((await ledgers.readLive(quota, { signal })) !== undefined) return true
      context.logger.warn({ quota: key }, 'another object has the name of the ledger of a quota')
      await this.#report(tracked, [LEDGER_TAKEN], signal)
      throw error
    }
  }

  /** Is it still this very quota that has its name? Rejects as `KubeClient` does, so also where none has. */
  async #exists({ quota, isGlobal }: TrackedQuota, signal: AbortSignal): Promise<boolean> {
    const { namespace = '', name = '', uid } = quota.metadata
    const resource = isGlobal ? globalCustomQuota : customQuota
    const { metadata } = await this.#options.context.client.get<AnyQuota>(resource, { namespace, name }, { signal })
    return metadata.uid === uid
  }

  async #recount({ resolution }: TrackedQuota): Promise<void> {
    await Promise.all((resolution?.targets ?? []).map(({ counted, count }) => counted.list(count.namespace)))
  }

  /** Writes the status where it says something else than before. Returns whether the quota is ready, and how many objects the status lists. */
  async #report(
    tracked: TrackedQuota,
    problems: readonly string[],
    signal: AbortSignal,
    reason?: string,
  ): Promise<{ readonly isReady: boolean; readonly listed: number }> {
    const { context, tracker, scope } = this.#options
    const status = await statusOf(tracked, {
      problems,
      reason,
      unenforced: unenforced(tracked, scope),
      now: timestamp(context.clock.now()),
    })
    const { quota } = tracked
    const diff = mergeDiff(quota.status, status)
    if (diff !== undefined) {
      const { namespace = '', name = '', resourceVersion } = quota.metadata
      const resource = tracked.isGlobal ? globalCustomQuota : customQuota
      const view = tracked.isGlobal ? tracker.globalQuotas : tracker.customQuotas
      await view.observeWrite({ namespace, name }, CUSTOM_QUOTAS, () =>
        context.client.patch(
          resource,
          { namespace, name },
          { type: 'merge', body: { metadata: { resourceVersion }, status: diff } },
          { subresource: 'status', signal },
        ),
      )
    }
    const isReady = conditionOf(status.conditions, 'Ready')?.status === 'True'
    return { isReady, listed: status.claims?.length ?? 0 }
  }

  async #removeRequest({ quota, isGlobal }: TrackedQuota, signal: AbortSignal): Promise<void> {
    const { namespace = '', name = '' } = quota.metadata
    await this.#options.context.client.patch(
      isGlobal ? globalCustomQuota : customQuota,
      { namespace, name },
      { type: 'merge', body: { metadata: { annotations: { [RECONCILE_ANNOTATION]: null } } } },
      { signal },
    )
  }
}
