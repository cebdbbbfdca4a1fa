import { fold, isCurrent } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import type { LedgerState } from './ledger-state.ts'
import { passed } from './namespace-share.ts'
import { closedForWidening } from './widening.ts'

/** The things that ended by time alone. They must be read before the views catch up; only then do the views show all that was stored by then. */
export interface Ended {
  /** The claims of reservations whose time is over. */
  readonly over: ReadonlySet<string>
  /** Is the time over of requests that no reservation says enough about, because the ledger was lost or the quota was widened? */
  readonly isSettled: boolean
  /** Is the time over of the update that lowers limits? */
  readonly isLoweringOver: boolean
  /** The namespaces that have waited for one more round. */
  readonly waited: ReadonlySet<string>
}

const NOTHING: Ended = { over: new Set(), isSettled: false, isLoweringOver: false, waited: new Set() }

/**
 * Returns a ledger with all that a replica has seen, and without what is over. `mayClose`: does the API server ask about all that the quota
 * counts by now? Only then may the ledger be closed for a spec that widened the quota, since its time begins with that.
 */
export function tidied(
  state: LedgerState,
  views: LedgerViews,
  ended: Partial<Ended> = NOTHING,
  mayClose = false,
): LedgerState {
  const { over, isSettled, isLoweringOver, waited } = { ...NOTHING, ...ended }
  const closed = mayClose ? closedForWidening(state, views) : state
  const waits = passed(closed.waits, waited)
  const folded = fold(waits === closed.waits ? closed : { ...closed, waits }, views, (_name, { claim }) =>
    over.has(claim),
  )
  // A ledger that was closed just now has its time before it.
  const isOpen = isSettled && closed === state && isCurrent(folded, views)
  const settled = isOpen ? { ...folded, settling: '' } : folded
  const isUnstored = isLoweringOver && settled.lowering !== undefined && isCurrent(settled, views)
  return isUnstored ? { ...settled, lowering: undefined } : settled
}
