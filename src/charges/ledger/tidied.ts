import { fold, isCurrent } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import type { LedgerState } from './ledger-state.ts'

const NOTHING: ReadonlySet<string> = new Set()

/**
 * What a ledger comes to with what a replica has seen, and without the reservations of claims whose time is over. `over` and
 * `isSettled` say what was over before the views were brought up to date; only then everything shows that became of it.
 */
export function tidied(state: LedgerState, views: LedgerViews, over = NOTHING, isSettled = false): LedgerState {
  const folded = fold(state, views, (_name, { claim }) => over.has(claim))
  return isSettled && isCurrent(folded, views) ? { ...folded, settling: '' } : folded
}
