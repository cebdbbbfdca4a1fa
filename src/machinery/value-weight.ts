import { failure } from './status.ts'
import { isTree } from './json-value.ts'

/**
 * What one body may hold: three bytes make an object or a list, which takes fifty times as much memory once it is decoded and
 * has its defaults. No object that fits into the store comes near it.
 */
export const MOST_WEIGHT = 1_000_000
/** An object or a list counts as so many texts or numbers. */
const OBJECT_WEIGHT = 10
/** The shortest text of an object with its comma: `{},`. */
const LEAST_OBJECT_TEXT = 3

/** Counts what is decoded. `take` throws 413 once it is too much. */
export class WeightBudget {
  #left: number

  constructor(most = MOST_WEIGHT) {
    this.#left = most
  }

  takeObject(): void {
    this.#take(OBJECT_WEIGHT)
  }

  takeScalar(): void {
    this.#take(1)
  }

  #take(weight: number): void {
    this.#left -= weight
    if (this.#left < 0)
      throw failure(
        413,
        'RequestEntityTooLarge',
        `the body holds too many values: at most ${MOST_WEIGHT} are read, of which each object and list counts as ${OBJECT_WEIGHT}`,
      )
  }
}

/**
 * Throws 413 for a value that holds too much to be worked on.
 * @param textLength how long its JSON is, where that is known: a short text cannot hold much
 */
export function refuseHeavy(value: unknown, textLength = Infinity): void {
  if ((textLength / LEAST_OBJECT_TEXT) * OBJECT_WEIGHT > MOST_WEIGHT) weigh(value, new WeightBudget())
}

function weigh(value: unknown, budget: WeightBudget): void {
  if (Array.isArray(value)) {
    budget.takeObject()
    for (const item of value) weigh(item, budget)
  } else if (isTree(value)) {
    budget.takeObject()
    for (const key in value) weigh(value[key], budget)
  } else budget.takeScalar()
}
