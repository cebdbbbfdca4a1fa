import { FirstSights } from './first-sights.ts'
import { LedgerUnavailable } from './ledger-errors.ts'
import type { LedgerOptions } from './ledger-options.ts'
import type { LedgerState } from './ledger-state.ts'
import { readLedger } from './ledger-status.ts'
import type { StoredLedger } from './ledger-store.ts'
import { release } from './reserve.ts'

/** The memory of a replica about one ledger beside its views: its last state, when it saw reservations, what it has to release. */
export class LedgerMemory {
  readonly sights = new FirstSights()
  readonly #options: Pick<LedgerOptions, 'ref' | 'store' | 'clock' | 'statusOf' | 'patience'>
  #last: { readonly version: string; readonly state: LedgerState } | undefined
  readonly #released = new Set<string>()

  constructor(options: Pick<LedgerOptions, 'ref' | 'store' | 'clock' | 'statusOf' | 'patience'>) {
    this.#options = options
  }

  /** The ledger as this replica has it. */
  read(): { readonly stored: StoredLedger; readonly state: LedgerState } | LedgerUnavailable {
    const { ref, store } = this.#options
    const stored = store.read()
    if (stored === undefined) return new LedgerUnavailable(ref, 'missing', 'the quota has no ledger yet')
    if (stored.isForeign === true)
      return new LedgerUnavailable(ref, 'missing', 'somebody else changed the ledger of the quota: it is made again')
    if (this.#last?.version === stored.version) return { stored, state: this.#last.state }
    const read = readLedger(stored.status)
    if (read.type === 'unwritten') return new LedgerUnavailable(ref, 'missing', 'the ledger of the quota is empty')
    if (read.type === 'unreadable') return new LedgerUnavailable(ref, 'unreadable', read.message)
    this.#remember(stored.version, read.state)
    return { stored, state: read.state }
  }

  /** Stores a state in place of what was read. Gives the ledger as it is then. */
  async write(before: StoredLedger, state: LedgerState): Promise<StoredLedger | 'conflict' | LedgerUnavailable> {
    const { ref, store, statusOf } = this.#options
    const released = [...this.#released]
    const next = this.withoutReleased(state)
    // Another write of this process was faster.
    if (store.read()?.version !== before.version) return 'conflict'
    try {
      const written = await store.write(before.version, statusOf(next, before.status))
      if (written === 'conflict') return 'conflict'
      this.#remember(written.version, next)
      for (const claim of released) this.#released.delete(claim)
      return written
    } catch (error) {
      const message = `the ledger cannot be written: ${String(error)}`
      return new LedgerUnavailable(ref, 'unreachable', message, { cause: error })
    }
  }

  /** The claims for which no object can be stored any more. Views that catch up after this show all objects that were stored for them. */
  over(): ReadonlySet<string> {
    const { clock, patience } = this.#options
    return this.sights.claimsUntil(clock() - patience)
  }

  /** Has claims taken out with the next write. */
  release(claims: Iterable<string>): void {
    for (const claim of claims) this.#released.add(claim)
  }

  /** The state without what is to be released. */
  withoutReleased(state: LedgerState): LedgerState {
    return this.#released.size === 0 ? state : release(state, this.#released)
  }

  #remember(version: string, state: LedgerState): void {
    this.#last = { version, state }
    this.sights.note(state, this.#options.clock())
  }
}
