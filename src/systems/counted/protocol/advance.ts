import { Quantity } from '../../../quantity/quantity.ts'
import { hasEnded } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import { type Advance, type LedgerState, nameKey } from './ledger-state.ts'
import { type ChargeRequest, prepareRequest } from './reserve.ts'

/** The costs between which requests move one name. */
interface Span {
  readonly least: Quantity
  readonly most: Quantity
}

/** How much of an advance requests take. A value. */
export interface Spending {
  /** By `nameKey`. */
  readonly spans: ReadonlyMap<string, Span>
  readonly spent: Quantity
}

export const NOTHING_SPENT: Spending = { spans: new Map(), spent: Quantity.zero }

/**
 * Adds a request to the spending. The requests for one name take the difference between the least `oldCost` and the
 * largest `cost` among them. The usage of the name cannot rise by more, because each request is stored only on the
 * state that it replaces.
 */
export function spend({ spans, spent }: Spending, request: ChargeRequest): Spending {
  const { kind, namespace, name, cost, oldCost } = request
  const key = nameKey(kind, namespace, name)
  const before = spans.get(key)
  const after =
    before === undefined
      ? { least: oldCost, most: cost }
      : { least: smaller(before.least, oldCost), most: larger(before.most, cost) }
  const more = before === undefined ? widthOf(after) : widthOf(after).sub(widthOf(before))
  return { spans: new Map(spans).set(key, after), spent: spent.add(more) }
}

/**
 * Returns the ledger without the advance of a replica. That replica decides on this ledger, which must name all that it
 * allowed on the advance.
 */
export function withoutAdvance(state: LedgerState, owner: string): LedgerState {
  if (!state.advances.has(owner)) return state
  const advances = new Map(state.advances)
  advances.delete(owner)
  return { ...state, advances }
}

/** The ledger with an advance in place of the replica's last one; one of nothing is none. */
export function withAdvance(state: LedgerState, advance: Advance): LedgerState {
  const rest = withoutAdvance(state, advance.owner)
  const [kind] = state.parts.keys()
  if (advance.amount.sign() <= 0 || kind === undefined) return rest
  return { ...rest, advances: new Map(rest.advances).set(advance.owner, { ...advance, kind }) }
}

/** Reports whether the ledger holds exactly this advance of a replica. */
export const holdsAdvance = ({ advances }: LedgerState, { owner, id }: Pick<Advance, 'owner' | 'id'>): boolean =>
  advances.get(owner)?.id === id

/** How much the advances in a ledger hold. */
export const advancedIn = ({ advances }: LedgerState): Quantity =>
  advances.values().reduce((sum, { amount }) => sum.add(amount), Quantity.zero)

/**
 * Returns the ledger with reservations of the requests that were allowed on an advance. Requests that have ended by the
 * views are left out. `state` is folded with the same views.
 */
export function withNamed(state: LedgerState, views: LedgerViews, requests: readonly ChargeRequest[]): LedgerState {
  if (requests.length === 0) return state
  const names = new Map(state.names)
  const next = { ...state, names }
  for (const request of requests) {
    if (hasEnded(state, views, request)) continue
    const { key, after } = prepareRequest(next, views, request)
    names.set(key, after)
  }
  return next
}

const widthOf = ({ least, most }: Span): Quantity => most.sub(least)
const smaller = (a: Quantity, b: Quantity): Quantity => (a.cmp(b) <= 0 ? a : b)
const larger = (a: Quantity, b: Quantity): Quantity => (a.cmp(b) < 0 ? b : a)
