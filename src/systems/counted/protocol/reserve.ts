import type { Quantity } from '../../../quantity/quantity.ts'
import { costIn, isCurrent } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import { type LedgerState, nameKey, type OutstandingName, type Reservation } from './ledger-state.ts'

/** A request as one ledger sees it. */
export interface ChargeRequest {
  readonly operation: 'CREATE' | 'UPDATE'
  /** As in the ledger's parts (`kindKey`). */
  readonly kind: string
  /** Empty outside namespaces. */
  readonly namespace: string
  readonly name: string
  /** Of the object; for a create, of the object to be created. */
  readonly uid: string
  /** The resourceVersion of the object that an update replaces; '' for a create. */
  readonly base: string
  /** The cost of the object as the request writes it; 0 where the quota does not count it. Possibly negative. */
  readonly cost: Quantity
  /** The cost of the object that an update replaces; 0 for a create. */
  readonly oldCost: Quantity
  /** The id of its reservations. It names this handling of the request among all of all replicas, and is never that of an earlier one. */
  readonly id: string
}

/** How many requests for the same state of an object have reservations of their own; more share the last. */
const MOST_RESERVATIONS = 4

/**
 * Reports whether the request does not raise the cost of its object. Such a request is always allowed and needs no
 * reservation: it is stored only on the state that it replaces.
 */
export function isFree({ cost, oldCost }: Pick<ChargeRequest, 'cost' | 'oldCost'>): boolean {
  return cost.cmp(oldCost) <= 0
}

/** A request beside what a ledger and the views of one moment say of its name. */
export interface PreparedRequest {
  readonly request: ChargeRequest
  readonly key: string
  /** The name as the ledger has it; undefined where nothing is outstanding. */
  readonly before: OutstandingName | undefined
  /** The name with the reservation of the request. */
  readonly after: OutstandingName
  /** Whether the name belongs to another object in the views. */
  readonly isTaken: boolean
}

/** Looks up a request's name. `state` is folded with the same views, which may change from the next turn on. */
export function prepareRequest(state: LedgerState, views: LedgerViews, request: ChargeRequest): PreparedRequest {
  const { kind, namespace, name, uid } = request
  const key = nameKey(kind, namespace, name)
  const before = state.names.get(key)
  const contained = containedOf(before, state, views, request)
  const reservations = withReservation(before?.reservations ?? [], request)
  const owner = views.kinds.get(kind)?.get(namespace, name)
  const isTaken = owner !== undefined && owner.uid !== uid
  return { request, key, before, after: { kind, namespace, name, contained, reservations }, isTaken }
}

/** Returns the ledger with the reservation of an allowed request. A reservation whose id exists is not added again. */
export function reserve(state: LedgerState, { request, key, after }: PreparedRequest): LedgerState {
  return isFree(request) ? state : { ...state, names: new Map(state.names).set(key, after) }
}

/**
 * Returns the part of the observed sum that belongs to the name. Views that are as new as the ledger show it. Other
 * views may show more than the ledger contains, and an update may start from an old state. Then the least known amount
 * counts.
 */
function containedOf(
  known: OutstandingName | undefined,
  state: LedgerState,
  views: LedgerViews,
  { kind, namespace, name, oldCost }: ChargeRequest,
): Quantity {
  const seen = costIn(views.kinds.get(kind), { namespace, name })
  if (isCurrent(state, views)) return seen
  const least = seen.cmp(oldCost) < 0 ? seen : oldCost
  return known !== undefined && known.contained.cmp(least) < 0 ? known.contained : least
}

function withReservation(
  known: readonly Reservation[],
  { uid, base, cost, id }: ChargeRequest,
): readonly Reservation[] {
  const own = known.findIndex((one) => one.id === id)
  if (own >= 0) return known.map((one, index) => (index === own ? { ...one, cost: larger(one.cost, cost) } : one))
  const same = known.filter((one) => one.uid === uid && one.base === base)
  const last = same[MOST_RESERVATIONS - 1]
  if (last === undefined) return [...known, { uid, base, cost, id, isShared: false }]
  // It has the newest id, so that its time begins anew.
  return known.map((one) => (one === last ? { ...one, cost: larger(one.cost, cost), id, isShared: true } : one))
}

function larger(a: Quantity, b: Quantity): Quantity {
  return a.cmp(b) < 0 ? b : a
}

/** The ledger without the reservations with these ids, whose requests were not allowed in the end. */
export function release(state: LedgerState, ids: ReadonlySet<string>): LedgerState {
  const names = new Map<string, OutstandingName>()
  let isChanged = false
  for (const [key, name] of state.names) {
    const reservations = name.reservations.filter(({ id, isShared }) => isShared || !ids.has(id))
    if (reservations.length === name.reservations.length) names.set(key, name)
    else isChanged = true
    if (reservations.length > 0 && reservations.length < name.reservations.length)
      names.set(key, { ...name, reservations })
  }
  return isChanged ? { ...state, names } : state
}
