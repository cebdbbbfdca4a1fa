import type { KubeObject } from '../../machinery/object.ts'
import { weightOf } from './weight.ts'

interface Kept<T> {
  readonly object: T
  readonly weight: number
}

interface NamespaceList<T> {
  kept: Kept<T>[]
  weight: number
}

/** The objects of a list that fit a bound. Large namespaces are cut before small ones, whatever their names are. */
export class FairList<T extends KubeObject> {
  readonly #most: number
  readonly #compare: (a: T, b: T) => number
  readonly #namespaces = new Map<string, NamespaceList<T>>()
  #weight = 0
  #left = 0

  /** `most`: the bytes that are kept. `compare`: which objects of a namespace stay, the first of them. */
  constructor(most: number, compare: (a: T, b: T) => number = () => 0) {
    this.#most = most
    this.#compare = compare
  }

  get weight(): number {
    return this.#weight
  }

  /** So many objects have been left out. */
  get left(): number {
    return this.#left
  }

  get objects(): readonly T[] {
    return [...this.#namespaces.values()].flatMap(({ kept }) => kept.map(({ object }) => object))
  }

  add(object: T): void {
    const name = object.metadata.namespace ?? ''
    const list = this.#namespaces.get(name) ?? { kept: [], weight: 0 }
    this.#namespaces.set(name, list)
    const weight = weightOf(object)
    list.kept.push({ object, weight })
    list.weight += weight
    this.#weight += weight
    if (this.#weight > this.#most) this.#cut()
  }

  /** Cuts the largest namespaces to the same size. A quarter becomes free, so that it does not cut again at once. */
  #cut(): void {
    const level = levelOf(
      [...this.#namespaces.values()].map(({ weight }) => weight),
      (this.#most * 3) / 4,
    )
    for (const list of this.#namespaces.values()) {
      if (list.weight <= level) continue
      const before = list.kept.length
      this.#weight -= list.weight
      list.weight = 0
      list.kept = list.kept
        .toSorted((a, b) => this.#compare(a.object, b.object))
        .filter(({ weight }) => {
          if (list.weight + weight > level) return false
          list.weight += weight
          return true
        })
      this.#weight += list.weight
      this.#left += before - list.kept.length
    }
  }
}

/** How much each may have at most so that all fit together. */
function levelOf(weights: readonly number[], most: number): number {
  let left = most
  const sorted = weights.toSorted((a, b) => a - b)
  for (const [at, weight] of sorted.entries()) {
    const share = left / (sorted.length - at)
    if (weight > share) return share
    left -= weight
  }
  return most
}
