import { compareVersions, isOlder } from '../../../machinery/resource-version.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { ResourceList } from '../../../quantity/resource-list.ts'
import type { KindView, LedgerViews } from './kind-view.ts'
import { type LedgerState, type OutstandingName, type Part, type Reservation, UNKNOWN_BASE } from './ledger-state.ts'
import { openLowering } from './lowering.ts'
import { lapsed, observed, restored, struck } from './namespace-share.ts'
import { isToBegin, mustClose } from './widening.ts'

/**
 * Reports whether a reservation is over although nobody saw its object. Its time must have run out before the views
 * were brought up to date.
 */
export type IsOver = (reservation: Pick<Reservation, 'id'>) => boolean

const NOT_OVER: IsOver = () => false

/**
 * Takes what a replica has seen into the ledger. That is the observed sum of each kind, the observed part of each
 * outstanding name, and the end of each observed reservation.
 *
 * These parts stay as they are: parts that were counted later or by a later generation, and parts that only the leader
 * begins. Reservations end there too if the later count contains what ended them. A ledger that must be closed first
 * does not change. A generation that counts nothing ends all reservations and leaves parts with the amount 0.
 */
export function fold(state: LedgerState, views: LedgerViews, isOver: IsOver = NOT_OVER): LedgerState {
  if (!canFold(state, views)) return state
  const { generation } = views
  const parts = new Map<string, Part>()
  const freshnessOfKinds = new Map<string, Freshness>()
  for (const [kind, view] of views.kinds) {
    if (isToBegin(state, views, kind)) continue
    const part = state.parts.get(kind)
    const freshness = freshnessOf(part, view, views)
    freshnessOfKinds.set(kind, freshness)
    parts.set(kind, freshness === 'current' || part === undefined ? partOf(view, views, part) : part)
  }
  // Parts of kinds that a new generation does not count are left out, those that this one has yet to hear of are not.
  for (const [kind, part] of state.parts)
    if (!views.kinds.has(kind) && part.generation >= generation) parts.set(kind, part)
  // A later generation that counts finds parts of an earlier one, and closes the ledger for all that was allowed before.
  const isIdle = views.kinds.size === 0 && views.unnumbered === undefined
  if (isIdle)
    for (const [kind, part] of state.parts) if (!parts.has(kind)) parts.set(kind, withNothing(part, generation))
  const isApart = [...freshnessOfKinds.values()].includes('apart')
  // No view shows the objects that were allowed on an advance: only time ends it.
  const advances = new Map(state.advances.entries().filter(([, advance]) => isApart || !isOver(advance)))
  const names = new Map<string, OutstandingName>()
  let { lapses, waits } = state
  for (const [key, name] of state.names) {
    const view = views.kinds.get(name.kind)
    const freshness = freshnessOfKinds.get(name.kind)
    if (view === undefined || freshness === undefined) {
      // Only the leader ends those of limits without generations.
      const isKept =
        views.unnumbered !== undefined || (parts.has(name.kind) && parts.get(name.kind) === state.parts.get(name.kind))
      // Nothing shows their objects there: only time ends them.
      const left = isIdle ? name.reservations.filter((one) => !isOver(one)) : name.reservations
      if (isKept && left.length > 0) names.set(key, withReservations(name, left, name.contained))
      continue
    }
    const reservations =
      freshness === 'apart'
        ? name.reservations
        : name.reservations.filter((reservation) => {
            if (isObserved(view, name, reservation)) {
              lapses = observed(lapses, name.namespace)
              waits = restored(waits, name.namespace)
            } else if (isOver(reservation)) {
              lapses = lapsed(lapses, name.namespace)
              waits = struck(waits, name.namespace)
            } else return true
            return false
          })
    if (reservations.length === 0) continue
    names.set(key, withReservations(name, reservations, freshness === 'current' ? costIn(view, name) : name.contained))
  }
  const lowering = openLowering({ lowering: state.lowering, parts })
  return keepSame(state, { ...state, parts, names, advances, lapses, waits, lowering })
}

/**
 * How new a view is compared with the part of its kind:
 * - `current`: at least as new as the part.
 * - `behind`: older; the part contains all that the view shows.
 * - `apart`: neither. One has seen later objects, the other later namespaces.
 */
type Freshness = 'current' | 'behind' | 'apart'

function freshnessOf(part: Part | undefined, view: KindView, { generation, selection }: LedgerViews): Freshness {
  if (part === undefined) return 'current'
  const isNewer = generation >= part.generation && isUpTo(selection, part.selection)
  if (isNewer && isUpTo(view.revision, part.revision)) return 'current'
  return isUpTo(part.revision, view.newest) ? 'behind' : 'apart'
}

/**
 * Reports whether a ledger can take in these views. A ledger of a later generation cannot, nor one that must be closed
 * first.
 */
export const canFold = (state: LedgerState, views: LedgerViews): boolean =>
  !isOutdated(state, views) && !mustClose(state, views)

/** Was the ledger written by a replica that knows a later generation of the quota? */
export function isOutdated({ parts }: LedgerState, { generation }: LedgerViews): boolean {
  return parts.values().some((part) => part.generation > generation)
}

/**
 * Reports whether the views are at least as new as every part of the ledger, and all parts have the generation of the
 * views.
 */
export function isCurrent({ parts }: LedgerState, views: LedgerViews): boolean {
  return (
    views.kinds
      .entries()
      .every(([kind, view]) => parts.has(kind) && freshnessOf(parts.get(kind), view, views) === 'current') &&
    parts.values().every(({ generation }) => generation === views.generation)
  )
}

/**
 * Reports whether no view is `apart` from its part. Then the ledger that is folded with the views holds all that ledger
 * and views have seen.
 */
export function isComparable({ parts }: LedgerState, views: LedgerViews): boolean {
  return views.kinds.entries().every(([kind, view]) => freshnessOf(parts.get(kind), view, views) !== 'apart')
}

/** Reports whether requests can be decided on the ledger: every kind is counted by the generation of the views. */
export function isDecidable({ parts }: LedgerState, { generation, kinds }: LedgerViews): boolean {
  return kinds.keys().every((kind) => parts.has(kind)) && parts.values().every((part) => part.generation === generation)
}

/** Reports whether a version is equal to the other one or newer. '' is older than any version. */
function isUpTo(version: string, other: string): boolean {
  return version === other || other === '' || (compareVersions(version, other) ?? -1) >= 0
}

const withNothing = (part: Part, generation: number): Part => ({ ...part, generation, observed: Quantity.zero })

/** Versions that say the same are not written anew: what did not change is not written. */
function partOf(view: KindView, { generation, selection }: LedgerViews, old: Part | undefined): Part {
  return old?.revision === view.newest &&
    old.generation === generation &&
    old.selection === selection &&
    old.observed.equals(view.total)
    ? old
    : { generation, selection, revision: view.newest, observed: view.total }
}

/**
 * Reports whether a view shows that a request was stored or cannot be stored any more. Any sight of its object ends a
 * create. An update ends when its object has changed or is gone. Another object of the same name does not end a create.
 */
export function isObserved(
  view: KindView,
  { namespace, name }: Pick<OutstandingName, 'namespace' | 'name'>,
  { uid, base }: Pick<Reservation, 'uid' | 'base'>,
): boolean {
  const sight = view.lastSight(namespace, name, uid)
  if (sight?.isGone === true) return true
  if (base === UNKNOWN_BASE) return false
  if (base === '') return sight !== undefined
  if (sight !== undefined) return isOlder(base, sight.version)
  // The name passed to another object later than the object had this version.
  const other = view.get(namespace, name)
  return other !== undefined && other.uid !== uid && isOlder(base, other.version)
}

/**
 * Reports whether ledger and views show the end of a request that the ledger does not name. `state` is folded with the
 * same views.
 */
export function hasEnded(
  state: LedgerState,
  views: LedgerViews,
  request: Pick<OutstandingName, 'kind' | 'namespace' | 'name'> & Pick<Reservation, 'uid' | 'base'>,
): boolean {
  const view = views.kinds.get(request.kind)
  const part = state.parts.get(request.kind)
  if (view === undefined || part === undefined || !canFold(state, views)) return false
  return freshnessOf(part, view, views) !== 'apart' && isObserved(view, request, request)
}

export function costIn(
  view: KindView | undefined,
  { namespace, name }: Pick<OutstandingName, 'namespace' | 'name'>,
): Quantity {
  return view?.get(namespace, name)?.cost ?? Quantity.zero
}

function withReservations(
  name: OutstandingName,
  reservations: readonly Reservation[],
  contained: Quantity,
): OutstandingName {
  return reservations.length === name.reservations.length && contained.equals(name.contained)
    ? name
    : { ...name, reservations, contained }
}

function keepSame(before: LedgerState, after: LedgerState): LedgerState {
  return isSameMap(before.parts, after.parts) &&
    isSameMap(before.names, after.names) &&
    isSameMap(before.advances, after.advances) &&
    before.lapses === after.lapses &&
    before.waits === after.waits &&
    before.lowering === after.lowering
    ? before
    : after
}

/**
 * Reports whether a ledger differs only in the versions at which its parts were counted. Such a ledger is not worth a
 * write, because another quota may count each write of a ledger.
 */
export function isOnlyNewer(before: LedgerState, after: LedgerState): boolean {
  const { parts, ...rest } = before
  const { parts: newer, ...others } = after
  return (
    isSameMap(rest.names, others.names) &&
    isSameMap(rest.advances, others.advances) &&
    rest.lapses === others.lapses &&
    rest.waits === others.waits &&
    rest.lowering === others.lowering &&
    rest.settling === others.settling &&
    parts.size === newer.size &&
    parts.entries().every(([kind, part]) => isSamePart(part, newer.get(kind)))
  )
}

const isSamePart = (a: Part, b: Part | undefined): boolean =>
  b !== undefined && a.generation === b.generation && a.observed.equals(b.observed)

function isSameMap<T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>): boolean {
  return a.size === b.size && a.entries().every(([key, value]) => b.get(key) === value)
}

/**
 * Returns the totals by the views and the reservations alone, without the observed sums of the ledger. A total that is
 * larger than the ledger's counts instead of it. `amountOf` names the amount that a kind counts towards.
 */
export function ownTotals(
  { names, advances }: LedgerState,
  { kinds }: LedgerViews,
  amountOf: (kind: string) => string,
): ResourceList {
  const totals: Record<string, Quantity> = {}
  const count = (kind: string, amount: Quantity): void => {
    const name = amountOf(kind)
    totals[name] = totals[name]?.add(amount) ?? amount
  }
  for (const [kind, view] of kinds) count(kind, view.total)
  for (const name of names.values()) {
    const cost = costIn(kinds.get(name.kind), name)
    let excess = Quantity.zero
    for (const reservation of name.reservations) {
      const more = reservation.cost.sub(cost)
      if (more.cmp(excess) > 0) excess = more
    }
    count(name.kind, excess)
  }
  for (const { kind, amount } of advances.values()) count(kind, amount)
  return totals
}
