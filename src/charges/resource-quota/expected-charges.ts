import type { Quantity } from '../../quantity/quantity.ts'
import { add, quantityOf, removeZeros, type ResourceList, subtract } from '../../quantity/resource-list.ts'

const NOTHING: ResourceList = {}

/** What one request is expected to add to the usage of a quota. */
export interface ExpectedCharge {
  amounts: ResourceList
  /** From when on the API server may be expected to charge it, in milliseconds of a clock that never goes back. */
  at: number
}

/**
 * What requests on their way will add to the usage of one ResourceQuota, as one replica knows it: it has let them through, and the usage does not
 * show them yet. The API server does not say for which object it raises the usage; therefore a rise pays off what was expected first. An
 * expectation that is not met ends after a while. It decides nothing: it only tells for which requests it is too early to decide.
 */
export class ExpectedCharges {
  readonly #patience: number
  #open: ExpectedCharge[] = []

  constructor(patience: number) {
    this.#patience = patience
  }

  expect(amounts: ResourceList, at: number): ExpectedCharge {
    const expectation = { amounts: removeZeros(amounts), at }
    this.#open.push(expectation)
    return expectation
  }

  /** The request goes no further. */
  withdraw(expectation: ExpectedCharge): void {
    this.#open = this.#open.filter((one) => one !== expectation)
  }

  /** The usage has risen by these amounts. */
  rose(amounts: ResourceList): void {
    let rest = amounts
    for (const one of this.#open) {
      const paid = common(one.amounts, rest)
      one.amounts = removeZeros(subtract(one.amounts, paid))
      rest = subtract(rest, paid)
    }
    this.#open = this.#open.filter(({ amounts: left }) => Object.keys(left).length > 0)
  }

  /** Returns what is expected at a time. */
  amounts(at: number): ResourceList {
    if (this.#open.length === 0) return NOTHING
    if (this.#open.some((one) => one.at + this.#patience <= at))
      this.#open = this.#open.filter((one) => one.at + this.#patience > at)
    return this.#open.reduce((sum, { amounts }) => add(sum, amounts), NOTHING)
  }

  get isEmpty(): boolean {
    return this.#open.length === 0
  }
}

/** The smaller amounts of the names that both have. */
function common(a: ResourceList, b: ResourceList): ResourceList {
  const found = Object.entries(a).flatMap(([name, left]): [string, Quantity][] => {
    const right = quantityOf(b, name)
    return right === undefined || right.sign() <= 0 ? [] : [[name, left.cmp(right) < 0 ? left : right]]
  })
  return Object.fromEntries(found)
}
