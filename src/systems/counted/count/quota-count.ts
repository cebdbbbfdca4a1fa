import { Quantity } from '../../../quantity/quantity.ts'

/** The namespaces that a count adds up. */
export interface NamespaceSelection {
  /** `''` stands for objects outside namespaces. */
  has(namespace: string): boolean
}

/** Objects of one namespace that could not be measured. */
export interface Unmeasured {
  readonly namespace: string
  /** Of one of them, and why it could not be measured. */
  readonly name: string
  readonly problem: string
  readonly count: number
}

/** How many objects are counted, and in how many of them is nothing of what the quota adds up. */
interface Tally {
  readonly objects: number
  readonly empty: number
}

const NO_OBJECTS: Tally = { objects: 0, empty: 0 }

const sum = (a: Tally, b: Tally, sign: 1 | -1): Tally => ({
  objects: a.objects + sign * b.objects,
  empty: a.empty + sign * b.empty,
})

/**
 * The cost of the objects of one kind for one quota: a sum for each namespace, and the sum over those that the quota selects. So a
 * namespace that comes or goes changes the count without a look at its objects.
 */
export class QuotaCount {
  /** The only namespace whose objects are counted; undefined: those of all namespaces. */
  readonly namespace: string | undefined
  readonly #sums = new Map<string, Quantity>()
  /** Why objects could not be measured, by namespace and name. */
  readonly #problems = new Map<string, Map<string, string>>()
  /** The objects of each namespace. */
  readonly #objects = new Map<string, Tally>()
  /** Those that are selected. */
  #tally: Tally = NO_OBJECTS
  /** A change of it is reported with `reselect`. */
  readonly #selected: NamespaceSelection
  #total = Quantity.zero
  /** The version of a list since which every object is counted; undefined before. */
  countedAt: string | undefined
  isDropped = false
  /** To be called when the count or its problem has changed. */
  readonly changed: () => void

  constructor(namespace: string | undefined, selected: NamespaceSelection, changed: () => void) {
    this.namespace = namespace
    this.#selected = selected
    this.changed = changed
  }

  /** The cost of all counted objects, exact and possibly negative. */
  get total(): Quantity {
    return this.#total
  }

  /** Why objects that the quota counts could not be measured: those of each namespace, in the order of their namespaces and names. */
  get problems(): readonly (readonly string[])[] {
    return this.unmeasured.map(({ namespace }) =>
      [...(this.#problems.get(namespace) ?? [])].toSorted(byName).map(([, text]) => text),
    )
  }

  /** The namespaces with objects that could not be measured, in their order. */
  get unmeasured(): readonly Unmeasured[] {
    return [...this.#problems.keys()].toSorted().flatMap((namespace) => this.unmeasuredIn(namespace) ?? [])
  }

  /** The objects of a namespace that could not be measured; undefined where all could, or the quota does not select it. */
  unmeasuredIn(namespace: string): Unmeasured | undefined {
    const problems = this.#problems.get(namespace)
    const [first] = problems ?? []
    if (problems === undefined || first === undefined || !this.#selected.has(namespace)) return undefined
    const [name, problem] = first
    return { namespace, name, problem, count: problems.size }
  }

  selects(namespace: string): boolean {
    return this.#selected.has(namespace)
  }

  change(namespace: string, delta: Quantity): void {
    if (delta.isZero()) return
    const costs = (this.#sums.get(namespace) ?? Quantity.zero).add(delta)
    if (costs.isZero()) this.#sums.delete(namespace)
    else this.#sums.set(namespace, costs)
    if (!this.#selected.has(namespace)) return
    this.#total = this.#total.add(delta)
    this.changed()
  }

  /** Reports whether the quota counts objects, but finds nothing to add up in any of them. */
  get findsNothing(): boolean {
    return this.#tally.objects > 0 && this.#tally.empty === this.#tally.objects
  }

  /** An object came (1) or went (-1). */
  saw(namespace: string, change: 1 | -1, isEmpty: boolean): void {
    const seen = { objects: change, empty: isEmpty ? change : 0 }
    const there = sum(this.#objects.get(namespace) ?? NO_OBJECTS, seen, 1)
    if (there.objects === 0) this.#objects.delete(namespace)
    else this.#objects.set(namespace, there)
    if (this.#selected.has(namespace)) this.#setTally(sum(this.#tally, seen, 1))
  }

  #setTally(tally: Tally): void {
    const before = this.findsNothing
    this.#tally = tally
    if (this.findsNothing !== before) this.changed()
  }

  /** Sets or, without a text, removes what is wrong with an object. */
  problem(namespace: string, name: string, text: string | undefined): void {
    const problems = this.#problems.get(namespace) ?? new Map<string, string>()
    if (problems.get(name) === text) return
    if (text === undefined) problems.delete(name)
    else problems.set(name, text)
    if (problems.size === 0) this.#problems.delete(namespace)
    else this.#problems.set(namespace, problems)
    if (this.#selected.has(namespace)) this.changed()
  }

  /** The selection has changed in one namespace: `isSelected` says to what. */
  reselect(namespace: string, isSelected: boolean): void {
    const costs = this.#sums.get(namespace)
    if (costs !== undefined) this.#total = isSelected ? this.#total.add(costs) : this.#total.sub(costs)
    this.#tally = sum(this.#tally, this.#objects.get(namespace) ?? NO_OBJECTS, isSelected ? 1 : -1)
    this.changed()
  }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)
