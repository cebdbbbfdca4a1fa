import { randomUUID } from 'node:crypto'
import type { Closure, LedgerAdmission } from '../protocol/ledger-admission.ts'
import type { LedgerStore } from '../protocol/ledger-store.ts'
import { LedgerUnavailable } from '../protocol/ledger-errors.ts'
import { isConflict } from '../../../machinery/status.ts'
import type { Logger } from '../../../runtime/process/logger.ts'
import { WorkQueue } from '../../../runtime/tasks/work-queue.ts'
import { type LedgerCache, targetKey } from './ledger-cache.ts'

/** A quota whose ledger is kept. */
interface Kept {
  /** Whether all objects are counted. */
  readonly isCounted: boolean
}

export interface LedgerKeeperOptions<Q extends Kept> {
  readonly logger: Logger
  readonly tracker: {
    readonly get: (key: string) => Q | undefined
    /** Calls a handler with the keys of quotas that changed. Gives what ends it. */
    readonly onChange: (handler: (key: string) => void) => () => void
  }
  /** Left out where ledgers are parts of their quotas. */
  readonly ledgers?: Pick<LedgerCache, 'view'>
  readonly admissions: {
    readonly of: (quota: Q) => { readonly admission: LedgerAdmission; readonly store: Pick<LedgerStore, 'read'> }
  }
  /** Whether requests may have been allowed on an earlier ledger of the quota. */
  readonly hasAllowed: (quota: Q) => boolean
  /** Called when a lost ledger was made again, with the milliseconds for which the quota stays closed. */
  readonly onLost: (quota: Q, leftMs: number) => void
}

/** How long a replica leaves what it has seen to the leader, and to the requests that take it along. */
const LEAVE_MS = 2_000
/** Reservations whose time is over are looked at together. */
const LEAST_WAIT_MS = 1_000
const MOST_WAIT_MS = 60_000

/**
 * Keeps ledgers up to the counts of this replica. The leader does so before it writes the status of a quota. Every
 * other replica does so if something stays outstanding for longer. So reservations do not pile up while the lead
 * changes.
 */
export class LedgerKeeper<Q extends Kept> {
  readonly #options: LedgerKeeperOptions<Q>
  readonly #queue: WorkQueue
  /** The ledgers to check soon. */
  readonly #left = new Set<string>()
  readonly #unfollow: readonly (() => void)[]

  constructor(options: LedgerKeeperOptions<Q>) {
    const { tracker, ledgers, logger } = options
    this.#options = options
    this.#queue = new WorkQueue({
      workers: 4,
      work: (key) => this.#look(key),
      onError: (key, error) => logger.warn({ quota: key, error }, 'the ledger of a quota could not be kept up'),
    })
    this.#unfollow = [
      tracker.onChange((key) => this.#leave(key)),
      ledgers?.view.onChange((_, current) => {
        if (current !== undefined) this.#leave(targetKey(current))
      }) ?? (() => undefined),
    ]
  }

  stop(): Promise<void> {
    for (const end of this.#unfollow) end()
    return this.#queue.stop()
  }

  /**
   * Brings the ledger of a counted quota up to the counts. It opens a new ledger, closes it for a wider spec, and
   * replaces one that was lost or that somebody else wrote. The API server must already ask about the quota, and only
   * the leader may call this. Returns the milliseconds until the next call, or undefined if nothing is outstanding.
   * Rejects with LedgerUnavailable.
   */
  bringUp(tracked: Q): Promise<number | undefined> {
    return this.#bringUp(tracked, true)
  }

  /** Why the ledger of a quota decides nothing for a while; undefined where it decides. */
  closure(tracked: Q): Closure | undefined {
    return this.#options.admissions.of(tracked).admission.closure
  }

  async #bringUp(tracked: Q, mayClose: boolean): Promise<number | undefined> {
    const { admission, store } = this.#options.admissions.of(tracked)
    try {
      return await this.#reconcile(tracked, mayClose)
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || error.problem !== 'missing') throw error
    }
    const hasAllowed = store.read()?.isForeign === true || this.#options.hasAllowed(tracked)
    await admission.open(hasAllowed ? randomUUID() : '')
    const { closure } = admission
    if (hasAllowed && closure?.isForWidening === false) this.#options.onLost(tracked, closure.leftMs)
    return await this.#reconcile(tracked, mayClose)
  }

  #leave(key: string): void {
    if (this.#left.has(key)) return
    this.#left.add(key)
    this.#queue.addAfter(key, LEAVE_MS)
  }

  async #look(key: string): Promise<void> {
    this.#left.delete(key)
    const { tracker, admissions } = this.#options
    const tracked = tracker.get(key)
    if (tracked?.isCounted !== true) return
    const { admission, store } = admissions.of(tracked)
    // Every replica does this. The one that leads may have taken another key for the shared one.
    const isForeign = store.read()?.isForeign === true
    if (!isForeign && !admission.isOutstanding && admission.isShown) return
    try {
      const next = await (isForeign ? this.#bringUp(tracked, false) : this.#reconcile(tracked, false))
      if (next !== undefined) this.#queue.addAfter(key, Math.max(next, LEAST_WAIT_MS))
    } catch (error) {
      // The leader makes ledgers and reports their problems.
      if (!(error instanceof LedgerUnavailable) && !isConflict(error)) throw error
      this.#queue.addAfter(key, LEAST_WAIT_MS)
    }
  }

  async #reconcile(tracked: Q, mayClose: boolean): Promise<number | undefined> {
    const next = await this.#options.admissions.of(tracked).admission.reconcile(mayClose)
    return next === undefined ? undefined : Math.min(next, MOST_WAIT_MS)
  }
}
