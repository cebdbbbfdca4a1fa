import { Quantity } from '../../../quantity/quantity.ts'
import type { LedgerViews, UnnumberedSpec } from './kind-view.ts'
import type { LedgerState, Part } from './ledger-state.ts'

/** Begins the text of a ledger that is closed because the spec of its quota was widened; the name of the spec that widened it follows. */
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

/** Is it the leader's to begin the part of a kind, because it may be that of a limit that was added? */
export const isToBegin = ({ parts }: LedgerState, { unnumbered }: LedgerViews, kind: string): boolean =>
  unnumbered !== undefined && parts.size > 0 && !parts.has(kind)

/** Returns the ledger closed, where it must be: until every request that was allowed by an earlier spec has been stored or has run out of time. */
export function closedForWidening(state: LedgerState, views: LedgerViews): LedgerState {
  if (views.unnumbered !== undefined) return withLimits(state, views, views.unnumbered)
  return mustClose(state, views) ? { ...state, settling: textOf(views.widenedAt ?? 0) } : state
}

/** The ledger without the parts of limits that went, and with those of limits that came, for which it is closed where a spec added them. */
function withLimits(state: LedgerState, views: LedgerViews, { has, widenedBy }: UnnumberedSpec): LedgerState {
  const begun = [...views.kinds.keys()].filter((kind) => isToBegin(state, views, kind))
  const left = [...state.parts].filter(([kind]) => views.kinds.has(kind) || has(kind))
  if (begun.length === 0 && left.length === state.parts.size) return state
  const { generation, selection } = views
  const nothing: Part = { generation, selection, revision: '', observed: Quantity.zero }
  const parts = new Map([...left, ...begun.map((kind) => [kind, nothing] as const)])
  const isWidened = begun.length > 0 && widenedBy !== ''
  return { ...state, parts, settling: isWidened ? textOf(widenedBy) : state.settling }
}

const textOf = (spec: number | string): string => `${WIDENED}${spec}`
