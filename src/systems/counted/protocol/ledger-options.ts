import type { ResourceList } from '../../../quantity/resource-list.ts'
import type { BudgetRef } from '../../../charges/budget.ts'
import type { LedgerState } from './ledger-state.ts'
import type { AheadOptions } from './ledger-ahead.ts'
import type { LedgerBounds } from './ledger-size.ts'
import type { LedgerStatus } from './ledger-status.ts'
import type { LedgerStore, LedgerViewSource } from './ledger-store.ts'

/** The dependencies of decisions on one ledger. */
export interface LedgerOptions {
  readonly ref: BudgetRef
  readonly store: LedgerStore
  readonly views: LedgerViewSource
  /** The limits of the quota now, by the names of its amounts. */
  readonly limits: () => ResourceList
  /** Returns the name of the amount that a kind of the ledger counts towards; left out: all kinds count towards `LEDGER_AMOUNT`. */
  readonly amountOf?: (kind: string) => string
  /** Milliseconds of a clock that never goes back. */
  readonly clock: () => number
  /** Returns the status that holds a state, in place of the old one. */
  readonly statusOf: (state: LedgerState, old: LedgerStatus | undefined) => LedgerStatus
  /** Reports whether a status shows the amounts of a state. Left out: the status is not checked. */
  readonly shows?: (status: LedgerStatus | undefined, state: LedgerState) => boolean
  /**
   * Milliseconds after which a reservation that nobody has observed lapses: the API server's request timeout (its flag
   * --request-timeout) and a margin.
   */
  readonly patience: number
  /** Called when something is to be taken out of the ledger that no request writes: `reconcile` does. */
  readonly onRelease?: () => void
  /** For so many milliseconds a create that was allowed keeps others of its name waiting (429); left out: they hold room besides it. */
  readonly createMs?: number
  /** How many reservations a namespace may have; `NAMESPACE_SHARE` unless set. */
  readonly share?: number
  /** How many bytes the reservations may take; `LEDGER_BOUNDS` unless set. */
  readonly bounds?: LedgerBounds
  /** Left out: each request is reserved in the ledger before it is allowed, and nothing ahead of requests. Only for ledgers of one amount. */
  readonly ahead?: AheadOptions
}
