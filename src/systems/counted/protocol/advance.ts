import { Quantity } from '../../../quantity/quantity.ts'
import { hasEnded } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import { ADVANCES, isAdvance, type LedgerState, nameKey, type OutstandingName } from './ledger-state.ts'
import { type ChargeRequest, prepareRequest } from './reserve.ts'

/**
 * An advance: an amount that one replica has reserved in a ledger ahead of requests. The replica allows requests on it
 * without a write for each. Its next write names their objects in the ledger. For all other replicas an advance is a
 * usual reservation. It counts as used, and it lapses when no request that was allowed on it can be stored any more
 * (docs/decisions/016).
 */
export interface Advance {
  /** The replica, as no other process is called. */
  readonly owner: string
  /** Another with each write, so that its time begins anew. */
  readonly claim: string
  readonly amount: Quantity
}

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
  const own = keyOf(state, owner)
  if (own === undefined) return state
  const names = new Map(state.names)
  names.delete(own)
  return { ...state, names }
}

/** The ledger with an advance in place of the replica's last one; one of nothing is none. */
export function withAdvance(state: LedgerState, { owner, claim, amount }: Advance): LedgerState {
  const rest = withoutAdvance(state, owner)
  // Replicas of earlier versions understand a reservation of a kind that the quota counts.
  const kind = state.parts.keys().next().value
  if (amount.sign() <= 0 || kind === undefined) return rest
  const reservation = { uid: claim, base: '', cost: amount, claim, isShared: false }
  const name: OutstandingName = {
    kind,
    namespace: ADVANCES,
    name: owner,
    contained: Quantity.zero,
    reservations: [reservation],
  }
  return { ...rest, names: new Map(rest.names).set(nameKey(kind, ADVANCES, owner), name) }
}

/** Does the ledger hold this very advance of a replica? */
export function holdsAdvance(state: LedgerState, { owner, claim }: Pick<Advance, 'owner' | 'claim'>): boolean {
  const key = keyOf(state, owner)
  return key !== undefined && state.names.get(key)?.reservations.some((one) => one.claim === claim) === true
}

/** How much the advances in a ledger hold. */
export function advancedIn({ names }: LedgerState): Quantity {
  let sum = Quantity.zero
  for (const name of names.values()) if (isAdvance(name)) for (const { cost } of name.reservations) sum = sum.add(cost)
  return sum
}

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

function keyOf({ names, parts }: LedgerState, owner: string): string | undefined {
  // Hardly ever is it of another kind: then parts have come or gone since it was written.
  const usual = nameKey(parts.keys().next().value ?? '', ADVANCES, owner)
  if (names.has(usual)) return usual
  for (const [key, name] of names) if (name.namespace === ADVANCES && name.name === owner) return key
  return undefined
}

const widthOf = ({ least, most }: Span): Quantity => most.sub(least)
const smaller = (a: Quantity, b: Quantity): Quantity => (a.cmp(b) <= 0 ? a : b)
const larger = (a: Quantity, b: Quantity): Quantity => (a.cmp(b) < 0 ? b : a)
