import { fold, isCurrent } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import type { LedgerState } from './ledger-state.ts'
import { passed } from './namespace-share.ts'

/** The things that ended by time alone. They must be read before the views catch up; only then do the views show all that was stored by then. */
export interface Ended {
  /** The claims of reservations whose time is over. */
  readonly over: ReadonlySet<string>
  /** Is the time of requests over that a lost ledger allowed? */
  readonly isSettled: boolean
  /** Is the time over of the update that lowers limits? */
  readonly isLoweringOver: boolean
  /** The namespaces that have waited for one more round. */
  readonly waited: ReadonlySet<string>
}

const NOTHING: Ended = { over: new Set(), isSettled: false, isLoweringOver: false, waited: new Set() }

/** Returns a ledger with all that a replica has seen, and without what is over. */
export function tidied(state: LedgerState, views: LedgerViews, ended: Partial<Ended> = NOTHING): LedgerState {
  const { over, isSettled, isLoweringOver, waited } = { ...NOTHING, ...ended }
  const waits = passed(state.waits, waited)
  const folded = fold(waits === state.waits ? state : { ...state, waits }, views, (_name, { claim }) => over.has(claim))
  const settled = isSettled && isCurrent(folded, views) ? { ...folded, settling: '' } : folded
  const isUnstored = isLoweringOver && settled.lowering !== undefined && isCurrent(settled, views)
  return isUnstored ? { ...settled, lowering: undefined } : settled
}
