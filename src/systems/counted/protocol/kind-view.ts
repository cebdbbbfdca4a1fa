import type { Quantity } from '../../../quantity/quantity.ts'

/** An object as a replica has counted it. */
export interface CountedCost {
  readonly uid: string
  readonly version: string
  readonly cost: Quantity
}

/** The last that a replica saw of an object, counted or not. */
export interface Sight {
  readonly version: string
  readonly isGone: boolean
}

/**
 * The objects of one kind that a quota counts, as one replica has seen them. Events of a kind come in order. A view
 * never shows an event without all earlier events, except in single namespaces that are ahead of `revision`.
 */
export interface KindView {
  /** The resourceVersion up to which everything is contained; '' before the first list. */
  readonly revision: string
  /** The largest resourceVersion that anything is contained of; `revision`, unless namespaces were listed on their own since. */
  readonly newest: string
  /** The cost of all objects; possibly negative. */
  readonly total: Quantity
  /** The object of a name, undefined where none is counted. */
  get(namespace: string, name: string): CountedCost | undefined
  /** The last that was seen of an object; undefined where that is not known, or not any more. */
  lastSight(namespace: string, name: string, uid: string): Sight | undefined
}

/** The view that one replica has of a quota and of all that it counts, at one moment. */
export interface LedgerViews {
  /** The generation of the quota that all costs were measured by. */
  readonly generation: number
  /** The resourceVersion up to which namespaces and their labels were seen; '' where the quota does not select by them. */
  readonly selection: string
  /** The kinds that the quota counts, by `kindKey`; each of them has been listed. */
  readonly kinds: ReadonlyMap<string, KindView>
  /**
   * The last generation by which an object may cost more than by the one before. A generation that this replica has not
   * seen may be one. Left out if the quota has always counted the same.
   */
  readonly widenedAt?: number
  /** For quotas whose specs have no generations; left out where they have. */
  readonly unnumbered?: UnnumberedSpec
}

/**
 * The spec of a quota without generations. Replicas cannot tell which of two specs is newer, so the leader's spec
 * counts.
 */
export interface UnnumberedSpec {
  /** Does it have the limit that a part counts towards? */
  readonly has: (part: string) => boolean
  /** Names the last spec that this replica has seen add a limit; '' where it has seen none. */
  readonly widenedBy: string
}
