import { setOwn } from '../../../../machinery/json-value.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import type { ResourceList } from '../../../../quantity/resource-list.ts'

/** Running amounts by resource name, for sums over many lists. Not shared: its creator fills it and takes the list. */
export class ResourceSum {
  readonly #amounts = new Map<string, Quantity>()

  constructor(start: ResourceList = {}) {
    this.add(start)
  }

  add(list: ResourceList): void {
    for (const [name, quantity] of Object.entries(list)) {
      const before = this.#amounts.get(name)
      this.#amounts.set(name, before === undefined ? quantity : before.add(quantity))
    }
  }

  /** Takes away; a name that was never added counts as 0. */
  subtract(list: ResourceList): void {
    for (const [name, quantity] of Object.entries(list)) {
      this.#amounts.set(name, (this.#amounts.get(name) ?? Quantity.zero).sub(quantity))
    }
  }

  /** The amount of a name, or undefined where there is none. */
  get(name: string): Quantity | undefined {
    return this.#amounts.get(name)
  }

  /** The amounts so far, sorted by name. */
  list(): ResourceList {
    const list: Record<string, Quantity> = {}
    for (const name of [...this.#amounts.keys()].toSorted()) setOwn(list, name, this.#amounts.get(name))
    return list
  }
}
