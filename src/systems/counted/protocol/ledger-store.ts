import type { LedgerViews } from './kind-view.ts'
import type { LedgerStatus } from './ledger-status.ts'

/** A ledger as it is stored. */
export interface StoredLedger {
  /** Another with each write, and for another ledger of the same name: its uid and resourceVersion, for example. */
  readonly version: string
  readonly status: LedgerStatus | undefined
  /** Did somebody else write it than a replica? Then it must not be decided on, and has to be made again. */
  readonly isForeign?: boolean
}

/** Where one ledger is stored: all the I/O that deciding on it needs. */
export interface LedgerStore {
  /** The ledger as this replica last wrote, read or saw it; undefined where there is none. */
  read(): StoredLedger | undefined
  /** The ledger as it is stored now; `read` gives it, or a newer one, from then on. Rejects where the server does not answer. */
  readLive(): Promise<StoredLedger | undefined>
  /**
   * Stores the status where the ledger still has this version, and gives it as it is then; `read` gives it from then on. Gives
   * `conflict` where somebody else, or another part of this process, has written since or the ledger is gone. Rejects where it is not known whether it was written.
   */
  write(version: string, status: LedgerStatus): Promise<StoredLedger | 'conflict'>
}

/** The views of the replica on one quota. */
export interface LedgerViewSource {
  /** Returns the views as they are now; undefined while not every kind of the quota has been listed. */
  current(): LedgerViews | undefined
  /**
   * Resolves once `current` contains what was stored before the call: objects of all kinds, namespaces and the quota itself.
   * `exactly`: nothing may be missing, because a ledger is opened by it, or reservations lapse. Otherwise something may be, for
   * speed: a request may then be refused for what has just gone. Rejects where that cannot be found out.
   */
  catchUp(exactly: boolean): Promise<void>
}
