import { CostExceeded } from './error.ts'

/**
 * The budget that one evaluation has spent. `cost` counts as the API server's tracker does, so that the same rule stops at the
 * same place. `work` bounds what that tracker does not see: members that are compared or copied inside one call.
 */
export class Run {
  cost = 0
  readonly #limit: number
  readonly #workLimit: number
  #work = 0

  constructor(limit: number, workLimit = WORK_FACTOR * limit) {
    this.#limit = limit
    this.#workLimit = Math.min(workLimit, WORK_FACTOR * limit)
  }

  /** Throws `CostExceeded` beyond the limit. */
  spend(cost: number): void {
    this.cost += cost
    if (this.cost > this.#limit) throw new CostExceeded()
  }

  get worked(): number {
    return this.#work
  }

  /** The work that is left. */
  get workLeft(): number {
    return Math.max(0, this.#workLimit - this.#work)
  }

  /** To be called before the work is done. Throws `CostExceeded`. */
  work(amount: number): void {
    this.#work += Math.ceil(amount)
    if (this.#work > this.#workLimit) throw new CostExceeded()
  }

  /** Adds work that another budget has allowed, and that is done. */
  count(worked: number): void {
    this.#work += worked
  }
}

// A unit of work is some 50 ns, and what is worth a unit of cost takes a few of them.
const WORK_FACTOR = 5

/** The units of `cel/runtime`: 1 for an identifier or selection, these for the rest (cel-go `common/cost.go`). */
export const LIST_COST = 10
export const MAP_COST = 30
export const MESSAGE_COST = 40
export const TRAVERSAL_FACTOR = 0.1
export const PATTERN_FACTOR = 0.25
/** The cost of one question to an authorizer in Kubernetes. */
export const AUTHORIZATION_COST = 350_000
