import { Quantity } from '../../../quantity/quantity.ts'
import type { LedgerViews, UnnumberedSpec } from './kind-view.ts'
import type { LedgerState, Part } from './ledger-state.ts'

/**
 * The beginning of `settling` in a ledger that was closed because its spec was widened. The name of the wider spec
 * follows.
 */
const WIDENED = 'widened-'

/** Reports whether a wider spec closed the ledger, and not the loss of an earlier ledger. */
export const isForWidening = (settling: string): boolean => settling.startsWith(WIDENED)

/**
 * Reports whether the ledger was counted by a spec before the last wider one and is not closed for that. Requests that
 * the earlier spec allowed have no reservations for their new costs. So nobody may decide on such a ledger or bring it
 * up to a later generation.
 */
export function mustClose({ parts, settling }: LedgerState, { widenedAt = 0 }: LedgerViews): boolean {
  return settling !== settlingAfter(widenedAt) && parts.values().some(({ generation }) => generation < widenedAt)
}

/** Reports whether only the leader may begin the part of a kind: it may belong to a limit that was just added. */
export const isToBegin = ({ parts }: LedgerState, { unnumbered }: LedgerViews, kind: string): boolean =>
  unnumbered !== undefined && parts.size > 0 && !parts.has(kind)

/**
 * Returns the ledger, closed if it must be. It stays closed until every request that the earlier spec allowed has been
 * stored or has run out of time.
 */
export function closedForWidening(state: LedgerState, views: LedgerViews): LedgerState {
  if (views.unnumbered !== undefined) return withLimits(state, views, views.unnumbered)
  return mustClose(state, views) ? { ...state, settling: settlingAfter(views.widenedAt ?? 0) } : state
}

/**
 * Returns the ledger without the parts of removed limits and with parts for new limits. It is closed if a spec added
 * the new limits. It is also closed if all limits are removed while requests are under way, because the next count
 * cannot tell their reservations.
 */
function withLimits(state: LedgerState, views: LedgerViews, { has, widenedBy }: UnnumberedSpec): LedgerState {
  const begun = [...views.kinds.keys()].filter((kind) => isToBegin(state, views, kind))
  const left = [...state.parts].filter(([kind]) => views.kinds.has(kind) || has(kind))
  const { generation, selection } = views
  const nothing: Part = { generation, selection, revision: '', observed: Quantity.zero }
  const parts = new Map([...left, ...begun.map((kind) => [kind, nothing] as const)])
  const names = new Map(state.names.entries().filter(([, { kind }]) => parts.has(kind)))
  if (begun.length === 0 && left.length === state.parts.size && names.size === state.names.size) return state
  // No other closure of the ledger has the name of this request.
  const [lost] = parts.size > 0 ? [] : state.names.values().flatMap(({ reservations }) => reservations)
  const reason = begun.length > 0 && widenedBy !== '' ? widenedBy : lost?.id
  return { ...state, parts, names, settling: reason === undefined ? state.settling : settlingAfter(reason) }
}

/** The settling text of a ledger that is closed because of this spec. */
const settlingAfter = (spec: number | string): string => `${WIDENED}${spec}`
