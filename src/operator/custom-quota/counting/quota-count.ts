import { Quantity } from '../../../quantity/quantity.ts'

/** Which namespaces a count adds up. */
export interface NamespaceSelection {
  /** `''` stands for objects outside namespaces. */
  has(namespace: string): boolean
}

/**
 * What the objects of one kind cost one quota: a sum for each namespace, and the sum over those that the quota selects. So a
 * namespace that comes or goes changes the count without a look at its objects.
 */
export class QuotaCount {
  /** The only namespace whose objects are counted; undefined: those of all namespaces. */
  readonly namespace: string | undefined
  readonly #sums = new Map<string, Quantity>()
  /** Why objects could not be measured, by `namespace/name`. */
  readonly #problems = new Map<string, string>()
  /** Whoever changes it says so with `reselect`. */
  readonly #selected: NamespaceSelection
  #total = Quantity.zero
  /** The version of a list since which every object is counted; undefined before. */
  countedAt: string | undefined
  isDropped = false
  /** To be called when the count or what is known of it has changed. */
  readonly changed: () => void

  constructor(namespace: string | undefined, selected: NamespaceSelection, changed: () => void) {
    this.namespace = namespace
    this.#selected = selected
    this.changed = changed
  }

  /** What all counted objects cost, exact and possibly negative. */
  get total(): Quantity {
    return this.#total
  }

  /** Why objects could not be measured, in the order of their names. */
  get problems(): readonly string[] {
    return [...this.#problems].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, problem]) => problem)
  }

  selects(namespace: string): boolean {
    return this.#selected.has(namespace)
  }

  change(namespace: string, delta: Quantity): void {
    if (delta.isZero()) return
    const sum = (this.#sums.get(namespace) ?? Quantity.zero).add(delta)
    if (sum.isZero()) this.#sums.delete(namespace)
    else this.#sums.set(namespace, sum)
    if (!this.#selected.has(namespace)) return
    this.#total = this.#total.add(delta)
    this.changed()
  }

  /** Sets or, without a text, removes what is wrong with an object. */
  problem(namespace: string, name: string, text: string | undefined): void {
    const key = `${namespace}/${name}`
    if (this.#problems.get(key) === text) return
    if (text === undefined) this.#problems.delete(key)
    else this.#problems.set(key, text)
    this.changed()
  }

  /** The selection has changed in one namespace: `isSelected` says to what. */
  reselect(namespace: string, isSelected: boolean): void {
    const sum = this.#sums.get(namespace)
    if (sum !== undefined) this.#total = isSelected ? this.#total.add(sum) : this.#total.sub(sum)
    this.changed()
  }
}
