import type { Result } from './value.ts'

/** Turns a member of a JSON list or object into a value, when it is asked for. */
export type Adapt = (raw: unknown) => Result

/** What a list's schema says about its members' identity: `x-kubernetes-list-type`. */
export type ListKind = { readonly type: 'atomic' | 'set' } | { readonly type: 'map'; readonly keys: readonly string[] }

const ATOMIC: ListKind = { type: 'atomic' }

const already: Adapt = (value) => value as Result

/** A list: of values, or of JSON that becomes values one by one. */
export class CelList {
  static readonly empty: CelList = new CelList([])
  readonly items: readonly unknown[]
  readonly adapt: Adapt
  readonly listKind: ListKind
  // Objects and lists that were asked for once, so that what they have found out about themselves is kept.
  #children: Result[] | undefined

  constructor(items: readonly unknown[], adapt: Adapt = already, listKind: ListKind = ATOMIC) {
    this.items = items
    this.adapt = adapt
    this.listKind = listKind
  }

  get size(): number {
    return this.items.length
  }

  /** The member at a place that exists. */
  at(index: number): Result {
    const item = this.items[index]
    if (this.adapt === already || typeof item !== 'object') return this.adapt(item)
    this.#children ??= []
    const known = this.#children[index]
    if (known !== undefined) return known
    const child = this.adapt(item)
    this.#children[index] = child
    return child
  }

  /** All members, as values. */
  values(): readonly Result[] {
    if (this.adapt === already) return this.items as readonly Result[]
    return this.items.map((_, index) => this.at(index))
  }
}
