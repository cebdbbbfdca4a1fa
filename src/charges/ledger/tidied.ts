import { fold, isCurrent } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import type { LedgerState } from './ledger-state.ts'

const NOTHING: ReadonlySet<string> = new Set()

/**
 * Returns a ledger with all that a replica has seen, and without the reservations of claims whose time is over. `over` and
 * `isSettled` must be read before the views catch up; only then do the views show the objects that were stored for those claims.
 */
export function tidied(state: LedgerState, views: LedgerViews, over = NOTHING, isSettled = false): LedgerState {
  const folded = fold(state, views, (_name, { claim }) => over.has(claim))
  return isSettled && isCurrent(folded, views) ? { ...folded, settling: '' } : folded
}
