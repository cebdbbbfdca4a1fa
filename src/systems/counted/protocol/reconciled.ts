import { fold, isCurrent } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import type { LedgerState } from './ledger-state.ts'
import { passed } from './namespace-share.ts'
import { closedForWidening } from './widening.ts'

/**
 * What has ended by time alone. It must be read before the views catch up. Only then do the views show all that was
 * stored by that time.
 */
export interface Ended {
  /** The ids of reservations whose time is over. */
  readonly over: ReadonlySet<string>
  /**
   * Whether the time of a closure is over. A lost ledger or a wider spec closes a ledger until no earlier request can
   * be stored any more.
   */
  readonly isSettled: boolean
  /** Is the time over of the update that lowers limits? */
  readonly isLoweringOver: boolean
  /** The namespaces that have waited for one more round. */
  readonly waited: ReadonlySet<string>
}

const NOTHING: Ended = { over: new Set(), isSettled: false, isLoweringOver: false, waited: new Set() }

/**
 * Returns the ledger with all that the replica has seen, and without what is over. `mayClose`: whether the API server
 * already asks about everything that the quota counts. Only then may a wider spec close the ledger, because the time of
 * the closure starts with it.
 */
export function reconciled(
  state: LedgerState,
  views: LedgerViews,
  ended: Partial<Ended> = NOTHING,
  mayClose = false,
): LedgerState {
  const { over, isSettled, isLoweringOver, waited } = { ...NOTHING, ...ended }
  const closed = mayClose ? closedForWidening(state, views) : state
  const waits = passed(closed.waits, waited)
  const folded = fold(waits === closed.waits ? closed : { ...closed, waits }, views, ({ id }) => over.has(id))
  // A ledger that was closed just now has its time before it.
  const isOpen = isSettled && closed === state && isCurrent(folded, views)
  const settled = isOpen ? { ...folded, settling: '' } : folded
  const isUnstored = isLoweringOver && settled.lowering !== undefined && isCurrent(settled, views)
  return isUnstored ? { ...settled, lowering: undefined } : settled
}
