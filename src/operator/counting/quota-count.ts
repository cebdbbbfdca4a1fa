import { Quantity } from '../../quantity/quantity.ts'

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
  /** A change of it is reported with `reselect`. */
  readonly #selected: NamespaceSelection
  #total = Quantity.zero
  /** The version of a list since which every object is counted; undefined before. */
  countedAt: string | undefined
  isDropped = false
  /** To be called when the count, what is known of it or what keeps it from going on has changed. */
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

  /** Why objects that the quota counts could not be measured, in the order of their namespaces and names. */
  get problems(): readonly string[] {
    return this.unmeasured.flatMap(({ namespace }) =>
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
    const sum = (this.#sums.get(namespace) ?? Quantity.zero).add(delta)
    if (sum.isZero()) this.#sums.delete(namespace)
    else this.#sums.set(namespace, sum)
    if (!this.#selected.has(namespace)) return
    this.#total = this.#total.add(delta)
    this.changed()
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
    const sum = this.#sums.get(namespace)
    if (sum !== undefined) this.#total = isSelected ? this.#total.add(sum) : this.#total.sub(sum)
    this.changed()
  }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)
