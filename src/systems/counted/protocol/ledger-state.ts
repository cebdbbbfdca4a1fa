import { Quantity } from '../../../quantity/quantity.ts'
import type { ResourceList } from '../../../quantity/resource-list.ts'

/**
 * The state of a ledger: the amount observed of each kind, and the requests that were allowed and are not observed yet.
 * It is a value: functions return a new one, or the same one if nothing changes.
 */
export interface LedgerState {
  /** The observed amounts, by kind (`kindKey`). */
  readonly parts: ReadonlyMap<string, Part>
  /** The names that have reservations, by `nameKey`. */
  readonly names: ReadonlyMap<string, OutstandingName>
  /** The room that replicas hold ahead of requests, by the replica. */
  readonly advances: ReadonlyMap<string, HeldAdvance>
  /**
   * For each namespace, the number of lapsed reservations less the number of observed ones since; no entry for 0. A
   * namespace whose requests are refused after the ledger allowed them gets a smaller share.
   */
  readonly lapses: ReadonlyMap<string, number>
  /** How namespaces wait whose reservations lapsed, by namespace. */
  readonly waits: ReadonlyMap<string, NamespaceWait>
  /**
   * Not empty while the quota is closed, because the ledger replaces a lost one or the spec was widened. The quota
   * opens when every request that was allowed before has been stored or has run out of time. Each closure has a text of
   * its own.
   */
  readonly settling: string
  /** Limits that hold although no replica may have seen the spec with them yet; undefined where there are none. */
  readonly lowering: Lowering | undefined
  /** Parts that a later version added; this one keeps them without understanding them. */
  readonly extensions: readonly string[]
}

/**
 * Lower limits of a quota, written before the update that lowers them is allowed. They hold until the quota is seen in
 * the generation of that update, or until the update cannot be stored any more.
 */
export interface Lowering {
  readonly generation: number
  /** The resourceVersion of the ledger that they were written to: another each time, so that their time begins anew. */
  readonly since: string
  /** The limits of the amounts that are lowered. */
  readonly limits: ResourceList
}

/** How long and how strictly a namespace lets others ahead after its reservations lapsed. */
export interface NamespaceWait {
  /** How many times in a row it waits; at least 1. */
  readonly strikes: number
  /** How many more times the time of a reservation has to pass; 0 where the wait is over and no request was observed since. */
  readonly rounds: number
}

/** How much the objects of one kind cost together, as somebody observed it. */
export interface Part {
  /** The generation of the quota that the costs were measured by. */
  readonly generation: number
  /** The resourceVersion up to which namespaces and their labels had been seen; '' where the quota does not select by them. */
  readonly selection: string
  /** The largest resourceVersion of the kind that `observed` contains anything of. A replica that has seen less leaves this part alone. */
  readonly revision: string
  /** The sum over all objects; possibly negative. */
  readonly observed: Quantity
}

/** A name of which requests were allowed that nobody has observed yet. Only one object of a name exists at a time. */
export interface OutstandingName {
  /** As in `parts`. */
  readonly kind: string
  /** Empty outside namespaces. */
  readonly namespace: string
  readonly name: string
  /** How much of `observed` is this name's, or less where that is not known. */
  readonly contained: Quantity
  /** At least one. */
  readonly reservations: readonly Reservation[]
}

/** A request that was allowed and that the API server may still store. */
export interface Reservation {
  /** Of the object; for a create, of the object to be created. */
  readonly uid: string
  /**
   * The resourceVersion of the object that the request replaces. The API server stores an update only on this version.
   * '' for a create, `UNKNOWN_BASE` if unknown.
   */
  readonly base: string
  /** How much the object costs once the request is stored. */
  readonly cost: Quantity
  /** Names who made the reservation and may release it: the newest of them where several share it. */
  readonly id: string
  /** Do several requests share it? Then nobody can release it. */
  readonly isShared: boolean
}

/**
 * An advance: an amount that one replica has reserved ahead of requests. The replica allows requests on it without a
 * write for each. Its next write names their objects in the ledger. For all other replicas an advance is a usual
 * reservation. It counts as used, and it lapses when no request that was allowed on it can be stored any more
 * (docs/decisions/016).
 */
export interface Advance {
  /** The replica, as no other process is called. */
  readonly owner: string
  /** Another with each write, so that its time begins anew. */
  readonly id: string
  readonly amount: Quantity
}

/** An advance as a ledger holds it. */
export interface HeldAdvance extends Advance {
  /** A kind that the quota counted when the advance was written; as in `parts`. */
  readonly kind: string
}

/** The base of a reservation that does not name it, as Capsule's. Only its end by time, or the object's, ends it. */
export const UNKNOWN_BASE = '?'

/** A ledger without anything. */
export const EMPTY_LEDGER: LedgerState = {
  parts: new Map(),
  names: new Map(),
  advances: new Map(),
  lapses: new Map(),
  waits: new Map(),
  settling: '',
  lowering: undefined,
  extensions: [],
}

/** A kind in one version, as the keys of parts have it: the group is empty for the core group. */
export function kindKey({
  group,
  version,
  kind,
}: {
  readonly group: string
  readonly version: string
  readonly kind: string
}): string {
  return `${group}/${version}/${kind}`
}

/** Names an object in one word; no namespace and no name contains a slash. */
export function nameKey(kind: string, namespace: string, name: string): string {
  return `${namespace}/${name}/${kind}`
}

/** How much a name is charged beyond what `observed` contains of it: the largest of all costs counts. At least 0. */
export function excessOf({ contained, reservations }: OutstandingName): Quantity {
  let excess = Quantity.zero
  for (const { cost } of reservations) {
    const more = cost.sub(contained)
    if (more.cmp(excess) > 0) excess = more
  }
  return excess
}

/** Returns the amount that is charged for a name. */
export function chargeOf(name: OutstandingName): Quantity {
  return name.contained.add(excessOf(name))
}

/** Returns the observed amount; possibly negative. */
export function observedOf({ parts }: LedgerState): Quantity {
  return [...parts.values()].reduce((sum, { observed }) => sum.add(observed), Quantity.zero)
}

/** Returns the reserved amount beyond the observed one, of the kinds that count, with what is held ahead; at least 0. */
export function reservedOf({ names, advances }: LedgerState, counts: (kind: string) => boolean = () => true): Quantity {
  let sum = Quantity.zero
  for (const name of names.values()) if (counts(name.kind)) sum = sum.add(excessOf(name))
  for (const { kind, amount } of advances.values()) if (counts(kind)) sum = sum.add(amount)
  return sum
}

/** Returns the amount that a namespace has reserved beyond the observed one, of the kinds that count; at least 0. */
export function reservedIn({ names }: LedgerState, namespace: string, counts: (kind: string) => boolean): Quantity {
  let sum = Quantity.zero
  for (const name of names.values())
    if (name.namespace === namespace && counts(name.kind)) sum = sum.add(excessOf(name))
  return sum
}

/** Returns the whole charge, observed and reserved; possibly negative. */
export function totalOf(state: LedgerState): Quantity {
  return observedOf(state).add(reservedOf(state))
}

/** How many reservations a namespace has. */
export function outstandingIn({ names }: LedgerState, namespace: string): number {
  let count = 0
  for (const name of names.values()) if (name.namespace === namespace) count += name.reservations.length
  return count
}

/** Returns the whole charge of each amount; `amountOf` names the amount that a kind counts towards. */
export function totalsOf({ parts, names, advances }: LedgerState, amountOf: (kind: string) => string): ResourceList {
  const totals: Record<string, Quantity> = {}
  const count = (kind: string, amount: Quantity): void => {
    const name = amountOf(kind)
    totals[name] = totals[name]?.add(amount) ?? amount
  }
  for (const [kind, { observed }] of parts) count(kind, observed)
  for (const name of names.values()) count(name.kind, excessOf(name))
  for (const { kind, amount } of advances.values()) count(kind, amount)
  return totals
}
