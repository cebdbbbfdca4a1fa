import type { LedgerViews } from './kind-view.ts'
import type { LedgerState } from './ledger-state.ts'

/** Begins the text of a ledger that is closed because the spec of its quota was widened; the generation that widened it follows. */
const WIDENED = 'widened-'

/** Is the ledger closed because the spec of its quota was widened, and not because it replaces a lost one? */
export const isForWidening = (settling: string): boolean => settling.startsWith(WIDENED)

/**
 * Was the ledger counted by a spec before the last that widened the quota, and is it not closed for that? Requests that were allowed by the
 * earlier spec have no reservations for what they cost now. Nobody may decide on such a ledger, nor bring it up to a later generation.
 */
export function mustClose({ parts, settling }: LedgerState, { widenedAt = 0 }: LedgerViews): boolean {
  return settling !== textOf(widenedAt) && parts.values().some(({ generation }) => generation < widenedAt)
}

/** Returns the ledger closed, where it must be: until every request that was allowed by an earlier spec has been stored or has run out of time. */
export function closedForWidening(state: LedgerState, views: LedgerViews): LedgerState {
  return mustClose(state, views) ? { ...state, settling: textOf(views.widenedAt ?? 0) } : state
}

const textOf = (widenedAt: number): string => `${WIDENED}${widenedAt}`
