import { Quantity } from '../../../quantity/quantity.ts'
import { canFold } from './fold.ts'
import { FirstSeenTimes } from './first-seen.ts'
import type { LedgerViews } from './kind-view.ts'
import { LedgerAhead } from './ledger-ahead.ts'
import { roomIn } from './ledger-budget.ts'
import { LedgerUnavailable } from './ledger-errors.ts'
import type { LedgerOptions } from './ledger-options.ts'
import type { LedgerState } from './ledger-state.ts'
import { type ReadLedger, readLedger } from './ledger-status.ts'
import type { StoredLedger } from './ledger-store.ts'
import { release } from './reserve.ts'

/** A ledger as it is stored, and the state that its text holds. */
export interface ReadState {
  readonly stored: StoredLedger
  readonly state: LedgerState
}

/** A ledger as this replica decides on it, with its views of one moment. */
export interface SeenLedger extends ReadState {
  readonly views: LedgerViews
  /** Up to which of the requests that were allowed ahead `state` names them. */
  readonly named: number
}

/**
 * The ledger as this replica has it: read, brought up to the views, and written.
 *
 * 1. `read` gives the stored state; a text that was read or written before is not read again.
 * 2. `seen` leaves out what is to be released, and names the requests that were allowed ahead.
 * 3. `write` stores a state that was decided in the same turn, with the next advance.
 *
 * It remembers when it first saw what only time ends (`firstSeen`), and the requests that it allowed ahead (`ahead`).
 */
export class ReplicaLedger {
  readonly firstSeen = new FirstSeenTimes()
  readonly ahead: LedgerAhead | undefined
  readonly #options: LedgerOptions
  #last: ReadState | undefined
  readonly #released = new Set<string>()

  constructor(options: LedgerOptions) {
    this.#options = options
    this.ahead = options.ahead && new LedgerAhead({ ...options.ahead, clock: options.clock })
  }

  /** The ledger as it is stored, as far as this replica knows. */
  read(): ReadState | LedgerUnavailable {
    const { ref, store } = this.#options
    const stored = store.read()
    if (stored === undefined) return new LedgerUnavailable(ref, 'missing', 'the quota has no ledger yet')
    if (stored.isForeign === true)
      return new LedgerUnavailable(ref, 'missing', 'somebody else changed the ledger of the quota: it is made again')
    if (this.#last?.stored.version === stored.version) return { stored, state: this.#last.state }
    const read = this.contentOf(stored)
    if (read.type === 'unwritten') return new LedgerUnavailable(ref, 'missing', 'the ledger of the quota is empty')
    if (read.type === 'unreadable') return new LedgerUnavailable(ref, 'unreadable', read.message)
    return this.#remember(stored, read.state)
  }

  /** Returns the content of a stored ledger. The version that was last read or written is not decoded again. */
  contentOf({ version, status }: StoredLedger): ReadLedger {
    return this.#last?.stored.version === version ? { type: 'ledger', state: this.#last.state } : readLedger(status)
  }

  /** How much was counted and reserved for requests when the ledger was last read or written, without what is only held ahead. */
  get balance(): Quantity | undefined {
    const last = this.#last ?? this.read()
    return last instanceof LedgerUnavailable ? undefined : this.balanceIn(last.stored)
  }

  /**
   * Returns the amount that a stored ledger counts and has reserved for requests. It includes requests that this
   * replica allowed on its advance, but not the rest of the advance.
   */
  balanceIn({ status }: StoredLedger): Quantity {
    const { allocated } = status ?? {}
    const amount = allocated === undefined ? Quantity.zero : Quantity.fromJson(allocated)
    return this.ahead === undefined ? amount : amount.add(this.ahead.balance)
  }

  /**
   * The ledger as this replica decides on it. `state`: what was read, brought up to the views. Nothing is named in a
   * ledger that cannot take in these views: the advance stays until it can.
   */
  seen(stored: StoredLedger, state: LedgerState, views: LedgerViews): SeenLedger {
    const released = this.#withoutReleased(state)
    const { ahead } = this
    return ahead === undefined || !canFold(released, views)
      ? { stored, state: released, views, named: 0 }
      : { stored, views, ...ahead.named(released, views) }
  }

  /**
   * Stores the state of a ledger in place of what was read, with the replica's next advance. To be called in the turn in
   * which the state was decided. Gives the ledger as it is then.
   */
  async write({ stored, state, views, named }: SeenLedger): Promise<StoredLedger | 'conflict' | LedgerUnavailable> {
    const { ahead } = this
    if (ahead === undefined || !canFold(state, views)) return await this.put(stored, state)
    // Another write of this process is in flight, on the same version: at most one of them is stored.
    if (ahead.isWriting) {
      await ahead.idle()
      return 'conflict'
    }
    const next = ahead.begin(state, () => roomIn(state, views, this.#options.limits()), named)
    if (next === undefined) return 'conflict'
    let written: Awaited<ReturnType<ReplicaLedger['put']>> | undefined
    try {
      written = await this.put(stored, next)
      return written
    } finally {
      if (written === 'conflict') ahead.failed()
      else if (written === undefined || written instanceof LedgerUnavailable) ahead.lost()
      else ahead.written()
    }
  }

  /** Stores a state as it is, whatever this replica holds ahead. */
  async put(before: StoredLedger, state: LedgerState): Promise<StoredLedger | 'conflict' | LedgerUnavailable> {
    const { ref, store, statusOf } = this.#options
    const released = [...this.#released]
    const next = this.#withoutReleased(state)
    try {
      const written = await store.write(before.version, statusOf(next, before.status))
      if (written === 'conflict') return 'conflict'
      this.#remember(written, next)
      for (const id of released) this.#released.delete(id)
      return written
    } catch (error) {
      const message = `the ledger cannot be written: ${String(error)}`
      return new LedgerUnavailable(ref, 'unreachable', message, { cause: error })
    }
  }

  /** The ids of reservations for which no object can be stored any more. Views that catch up after this show all objects that were stored for them. */
  over(): ReadonlySet<string> {
    const { clock, patience } = this.#options
    return this.firstSeen.idsUntil(clock() - patience)
  }

  /** Takes reservations out with the next write. */
  release(ids: Iterable<string>): void {
    for (const id of ids) this.#released.add(id)
  }

  /** The state without what is to be released. */
  #withoutReleased(state: LedgerState): LedgerState {
    return this.#released.size === 0 ? state : release(state, this.#released)
  }

  #remember(stored: StoredLedger, state: LedgerState): ReadState {
    this.#last = { stored, state }
    this.firstSeen.note(state, this.#options.clock())
    return this.#last
  }
}
