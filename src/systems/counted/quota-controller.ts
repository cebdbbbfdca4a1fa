import type { Controller, ControllerSource, ReconcileResult } from '../../operator/shell/controller.ts'
import type { Parts } from '../../operator/shell/dirty-set.ts'
import type { OperatorContext } from '../../operator/system.ts'
import type { QuotaReporting, LedgerOutcome, Wait } from './adapter.ts'
import type { CountedQuota } from './counted-quota.ts'
import type { LedgerPlaces } from './ledger-places.ts'
import { LedgerUnavailable } from './protocol/ledger-errors.ts'
import type { QuotaRules } from './quota-rules.ts'
import type { QuotaTracker } from './quota-tracker.ts'
import type { LedgerKeeper } from './replica/ledger-keeper.ts'

/** The dependencies of quotas that refuse requests. */
export interface QuotaEnforcement<T extends CountedQuota> {
  readonly rules: Pick<QuotaRules<T>, 'isLiveFor' | 'onLive'>
  readonly keeper: Pick<LedgerKeeper<T>, 'bringUp' | 'closure'>
}

export interface QuotaControllerOptions<T extends CountedQuota> {
  readonly context: Pick<OperatorContext, 'clock' | 'logger'>
  readonly tracker: Pick<QuotaTracker<T>, 'get' | 'onChange'>
  readonly reporting: QuotaReporting<T>
  /** Undefined where ledgers stand in their quotas. */
  readonly places: LedgerPlaces<T> | undefined
  /** Undefined where quotas refuse nothing. */
  readonly enforcement: QuotaEnforcement<T> | undefined
  readonly workers: number
}

/** How often it is looked whether a quota can be ready, besides whenever something says so. */
export const LOOK_AGAIN_MS = 1_000
/** Reservations whose time is over are looked at together. */
const LEAST_WAIT_MS = 1_000
/** Changes that come within so many milliseconds are reported together. */
export const REST_MS = 250

/** Keeps the ledgers of quotas in place, opens them when the API server asks the webhook, and has reported what comes of it. */
export class QuotaController<T extends CountedQuota> implements Controller {
  readonly name: string
  readonly workers: number
  readonly sources: readonly ControllerSource[]
  readonly #options: QuotaControllerOptions<T>
  /** Since when quotas wait, on the monotonic clock. */
  readonly #waiting = new Map<string, number>()

  constructor(options: QuotaControllerOptions<T>) {
    const { tracker, reporting, places, enforcement, workers } = options
    this.#options = options
    this.name = reporting.name
    this.workers = workers
    this.sources = [
      { follow: (_, enqueue) => tracker.onChange((key) => enqueue({ key })) },
      {
        follow: (_, enqueue) =>
          places?.view.onChange((old, current) => {
            const key = reporting.concerned?.(old, current)
            if (key !== undefined) enqueue({ key })
          }) ?? (() => undefined),
      },
      {
        follow: (_, enqueue) =>
          enforcement?.rules.onLive(() => {
            for (const key of this.#waiting.keys()) enqueue({ key })
          }) ?? (() => undefined),
      },
      ...(reporting.sources ?? []),
    ]
  }

  async reconcile(key: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { tracker, reporting, places } = this.#options
    const tracked = tracker.get(key)
    if (tracked === undefined || tracked.quota.metadata.deletionTimestamp !== undefined) {
      this.#waiting.delete(key)
      return (await reporting.gone?.(key, tracked, signal)) ?? {}
    }
    const early = await reporting.prepare?.(tracked, signal)
    if (early !== undefined) return early
    const place = places === undefined ? 'there' : await places.keep(tracked, signal)
    if (place === 'stuck') await reporting.stuck?.(tracked, signal)
    if (place !== 'there') return place === 'none' ? {} : { requeueAfter: LOOK_AGAIN_MS }
    const wait = reporting.hindrance?.(tracked) ?? this.#waitsFor(tracked)
    if (wait !== undefined) return await reporting.waits(tracked, { wait, forMs: this.#waits(key, wait) }, signal)
    this.#waiting.delete(key)
    await reporting.willBringUp?.(tracked)
    return await reporting.broughtUp(tracked, await this.#bringUp(tracked), signal)
  }

  /** Returns why a quota is not ready yet; undefined where it is. */
  #waitsFor(tracked: T): Wait | undefined {
    if (tracked.resolution === undefined) return 'kinds'
    if (!tracked.isCounted) return 'count'
    return this.#options.enforcement?.rules.isLiveFor(tracked) === false ? 'rules' : undefined
  }

  /** The milliseconds for which a quota has waited. A quota with a mistake does not wait. */
  #waits(key: string, wait: Wait): number {
    if (wait === 'mistake') {
      this.#waiting.delete(key)
      return 0
    }
    const now = this.#options.context.clock.monotonic()
    const since = this.#waiting.get(key) ?? now
    this.#waiting.set(key, since)
    return now - since
  }

  /** The ledger is written before a status that people read: it never shows room that admission would refuse. */
  async #bringUp(tracked: T): Promise<LedgerOutcome> {
    const { enforcement, places, context } = this.#options
    if (enforcement === undefined) return { again: undefined }
    if (places?.isForeign(tracked) === true)
      context.logger.warn({ quota: tracked.key }, 'somebody else changed the ledger of a quota: it is made again')
    try {
      const next = await enforcement.keeper.bringUp(tracked)
      return { again: next === undefined ? undefined : Math.max(next, LEAST_WAIT_MS) }
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || error.problem === 'unreachable') throw error
      return { again: LEAST_WAIT_MS, error }
    }
  }
}
