import { JsonPathError } from './json-path-error.ts'

/** Values that one evaluation may visit: more than an object of the API can hold, too few to be felt. */
export const MAX_STEPS = 500_000
/** Characters that one evaluation may print; the largest object of the API has 1.5 million. */
export const MAX_OUTPUT = 32 * 1024 * 1024
/** Levels of nested values that are followed or printed. */
export const MAX_DEPTH = 1000
/** Ranges inside of ranges. */
export const MAX_RANGES = 64

/** The work that several evaluations share, such as those of a table's cells. Each of them has its own limit as well. */
export class Allowance {
  #steps: number

  constructor(steps: number) {
    this.#steps = steps
  }

  /** Steps that may still be taken. */
  get left(): number {
    return Math.max(0, this.#steps)
  }

  /** @throws JsonPathError of phase `limit` when nothing is left */
  take(steps: number): void {
    this.#steps -= steps
    if (this.#steps < 0) throw new JsonPathError('limit', 'the paths visit too many values together')
  }
}

export function tooDeep(): JsonPathError {
  return new JsonPathError('limit', `value is nested more than ${MAX_DEPTH} levels deep`)
}

export function tooManySteps(): JsonPathError {
  return new JsonPathError('limit', `template visits more than ${MAX_STEPS} values`)
}

export function tooMuchOutput(): JsonPathError {
  return new JsonPathError('limit', `template prints more than ${MAX_OUTPUT} characters`)
}

export function tooManyRanges(): JsonPathError {
  return new JsonPathError('limit', `ranges are nested more than ${MAX_RANGES} deep`)
}
