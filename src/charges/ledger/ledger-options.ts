import type { Quantity } from '../../quantity/quantity.ts'
import type { BudgetRef } from '../budget.ts'
import type { LedgerReaders } from './ledger-status.ts'
import type { LedgerStore, LedgerViewSource } from './ledger-store.ts'

/** The surroundings that deciding on one ledger needs. */
export interface LedgerOptions {
  readonly ref: BudgetRef
  readonly store: LedgerStore
  readonly views: LedgerViewSource
  /** The limit of the quota now. */
  readonly limit: () => Quantity
  /** Milliseconds of a clock that never goes back. */
  readonly clock: () => number
  /** Returns the parts of the ledger's status that are for people. */
  readonly readers: () => LedgerReaders
  /**
   * Milliseconds after which a reservation that nobody has observed lapses: the API server's request timeout (its flag
   * --request-timeout) and a margin.
   */
  readonly patience: number
  /** How many reservations a namespace may have; `NAMESPACE_SHARE` unless set. */
  readonly share?: number
}
