import type { Quantity } from '../../../../quantity/quantity.ts'
import {
  add,
  isZero,
  quantityOf,
  removeZeros,
  type ResourceList,
  subtract,
} from '../../../../quantity/resource-list.ts'

const NOTHING: ResourceList = {}

/** The amounts that one request is expected to add to the usage of a quota. */
export interface ExpectedCharge {
  amounts: ResourceList
  /** From when on the API server may be expected to charge it, in milliseconds of a clock that never goes back. */
  at: number
}

/**
 * The amounts that allowed requests will add to the usage of one ResourceQuota, as one replica knows them. The usage
 * does not show them yet. The API server does not name the object when it raises the usage, so a rise pays off the
 * oldest expectation. An unmet expectation ends after a while. These amounts decide nothing. They only show for which
 * requests a decision is too early.
 */
export class ExpectedCharges {
  readonly #patience: number
  readonly #open = new Set<ExpectedCharge>()
  /** Of all that are open: each request asks for it, and many are open at once. */
  #sum = NOTHING

  constructor(patience: number) {
    this.#patience = patience
  }

  expect(amounts: ResourceList, at: number): ExpectedCharge {
    const charge = { amounts: removeZeros(amounts), at }
    this.#open.add(charge)
    this.#sum = add(this.#sum, charge.amounts)
    return charge
  }

  /** The request goes no further. */
  withdraw(charge: ExpectedCharge): void {
    if (!this.#open.delete(charge)) return
    this.#sum = less(this.#sum, charge.amounts)
  }

  /** The usage has risen by these amounts. */
  rose(amounts: ResourceList): void {
    let rest = amounts
    for (const charge of this.#open) {
      if (isZero(rest)) return
      const paid = common(charge.amounts, rest)
      rest = this.left(rest, paid)
      charge.amounts = less(charge.amounts, paid)
      this.#sum = less(this.#sum, paid)
      if (Object.keys(charge.amounts).length === 0) this.#open.delete(charge)
    }
  }

  /** The part of a rise that is left for later requests. */
  protected left(risen: ResourceList, paid: ResourceList): ResourceList {
    return subtract(risen, paid)
  }

  /** Returns what is expected at a time. */
  amounts(at: number): ResourceList {
    for (const charge of this.#open) if (charge.at + this.#patience <= at) this.withdraw(charge)
    return this.#sum
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }
}

const less = (amounts: ResourceList, by: ResourceList): ResourceList => removeZeros(subtract(amounts, by))

/** The smaller amounts of the names that both have. */
function common(a: ResourceList, b: ResourceList): ResourceList {
  const found = Object.entries(a).flatMap(([name, left]): [string, Quantity][] => {
    const right = quantityOf(b, name)
    return right === undefined || right.sign() <= 0 ? [] : [[name, left.cmp(right) < 0 ? left : right]]
  })
  return Object.fromEntries(found)
}
