import { isOlder } from '../../../machinery/resource-version.ts'
import type { Quantity } from '../../../quantity/quantity.ts'
import type { QuotaCount } from './quota-count.ts'
import { SeenObjects } from './seen-objects.ts'

/** The cost of one object for one quota. */
export interface ObjectCost {
  readonly count: QuotaCount
  /** Zero where it could not be measured. */
  readonly amount: Quantity
  /** Why it could not be measured. */
  readonly problem?: string
  /** Is there nothing in it of what the quota adds up? */
  readonly isEmpty?: boolean
}

/** An object as it is counted. */
export interface Sighting {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly version: string
  /** By the quotas that count it; none for an object that no quota counts. */
  readonly costs: readonly ObjectCost[]
}

/** A list of objects, of which some are counted. */
export interface CountedList {
  /** The objects that were counted when they were listed. */
  readonly sightings: Iterable<Sighting>
  /** The versions of all objects, by namespace and name. */
  readonly versions: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly version: string
}

/** All that is kept of an object. */
export interface CountedObject {
  readonly uid: string
  readonly version: string
  readonly costs: readonly ObjectCost[]
}

/**
 * The objects of one kind that quotas count: name, uid, version and costs of each, and nothing else. It takes what is listed
 * and what is watched in any order, and the newer one stays.
 */
export class CountedObjects {
  readonly #namespaces = new Map<string, Map<string, CountedObject>>()
  readonly #seen: SeenObjects

  /** `remembered`: of so many objects that are gone or cost nothing the last state is remembered at least. */
  constructor(remembered?: number) {
    this.#seen = new SeenObjects(remembered)
  }

  get(namespace: string, name: string): CountedObject | undefined {
    return this.#namespaces.get(namespace)?.get(name)
  }

  /** The last that was seen of an object, counted or not; undefined where that is not known (any more). */
  lastSight(
    namespace: string,
    name: string,
    uid: string,
  ): { readonly version: string; readonly isGone: boolean } | undefined {
    const counted = this.get(namespace, name)
    return counted?.uid === uid ? { version: counted.version, isGone: false } : this.#seen.get(uid)
  }

  /** The counted objects of one namespace, or all of them. */
  *entries(namespace?: string): Generator<readonly [namespace: string, name: string, object: CountedObject]> {
    const all = namespace === undefined ? this.#namespaces.keys() : [namespace]
    for (const one of all)
      for (const [name, object] of this.#namespaces.get(one) ?? []) yield [one, name, object] as const
  }

  /** Takes an object that came or changed. An older state than the known one changes nothing. */
  put(sighting: Sighting): void {
    const { namespace, name, uid, version } = sighting
    const known = this.get(namespace, name)
    const seen = this.#seen.get(uid)
    if (seen !== undefined && (seen.isGone || isOlder(version, seen.version))) return
    // The predecessor of the same name has a younger version only where this one is gone already.
    if (known !== undefined && isOlder(version, known.version)) return
    if (known?.uid === uid && known.version === version) return this.#merge(sighting, known)
    this.#replace(namespace, name, known, { uid, version, costs: sighting.costs })
  }

  /** Takes the end of an object, with the version of its deletion. */
  remove(namespace: string, name: string, uid: string, version: string): void {
    const known = this.get(namespace, name)
    if (known?.uid === uid) this.#replace(namespace, name, known, undefined)
    this.#seen.saw(uid, { version, isGone: true })
  }

  /**
   * Takes a list of one namespace or, without one, of all. A known object that is not in it is gone, unless it is newer than the
   * list. One that is in it in a newer state, in which no quota counted it, costs nothing any more.
   */
  takeList({ sightings, versions, version: listVersion }: CountedList, namespace?: string): void {
    for (const sighting of sightings) this.put(sighting)
    for (const [of, name, known] of this.entries(namespace)) {
      const { uid, version } = known
      const listed = versions.get(of)?.get(name)
      if (listed === undefined) {
        if (isOlder(version, listVersion)) this.remove(of, name, uid, listVersion)
      } else if (isOlder(version, listed)) this.#replace(of, name, known, { uid, version: listed, costs: [] })
    }
  }

  /** Forgets what objects cost counts that were dropped. */
  sweep(): void {
    for (const [namespace, name, object] of this.entries()) {
      const costs = object.costs.filter(({ count }) => !count.isDropped)
      if (costs.length < object.costs.length)
        this.#store(namespace, name, costs.length === 0 ? undefined : { ...object, costs })
    }
  }

  /** The same state, measured for other quotas too, or at another time, on which the cost may depend. */
  #merge({ namespace, name, uid, version, costs }: Sighting, known: CountedObject): void {
    const news = costs.filter((cost) => !known.costs.some((one) => isSameCost(one, cost)))
    if (news.length === 0) return
    const others = known.costs.filter(({ count }) => news.every((one) => one.count !== count))
    this.#replace(namespace, name, known, { uid, version, costs: [...others, ...news] })
  }

  #replace(namespace: string, name: string, old: CountedObject | undefined, now: CountedObject | undefined): void {
    for (const { count, amount, isEmpty = false } of old?.costs ?? []) {
      count.change(namespace, amount.neg())
      count.saw(namespace, -1, isEmpty)
      count.problem(namespace, name, undefined)
    }
    for (const { count, amount, problem, isEmpty = false } of now?.costs ?? []) {
      count.change(namespace, amount)
      count.saw(namespace, 1, isEmpty)
      if (problem !== undefined) count.problem(namespace, name, problem)
    }
    // Another object of this name was here, so that one is gone.
    if (old !== undefined && now !== undefined && old.uid !== now.uid)
      this.#seen.saw(old.uid, { version: now.version, isGone: true })
    if (now === undefined || now.costs.length === 0) {
      if (now !== undefined) this.#seen.saw(now.uid, { version: now.version, isGone: false })
      this.#store(namespace, name, undefined)
      return
    }
    this.#seen.forget(now.uid)
    this.#store(namespace, name, now)
  }

  #store(namespace: string, name: string, object: CountedObject | undefined): void {
    const names = this.#namespaces.get(namespace)
    if (object !== undefined) {
      if (names === undefined) this.#namespaces.set(namespace, new Map([[name, object]]))
      else names.set(name, object)
      return
    }
    names?.delete(name)
    if (names?.size === 0) this.#namespaces.delete(namespace)
  }
}

const isSameCost = (a: ObjectCost, b: ObjectCost): boolean =>
  a.count === b.count && a.problem === b.problem && a.isEmpty === b.isEmpty && a.amount.equals(b.amount)
