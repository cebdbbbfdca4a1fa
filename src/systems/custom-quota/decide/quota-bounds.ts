import { CelRuntimeError } from '../../../cel/types/error.ts'
import type { CelProgram } from '../../../cel/program.ts'
import type { CelValue } from '../../../cel/types/value.ts'
import { Allowance } from '../../../machinery/jsonpath/limits.ts'

/** How large the spec of one custom quota may be, so that one tenant's quotas do not slow the requests of others. */
export interface QuotaBounds {
  /** Sources of a quota. */
  readonly sources: number
  /** Entries in the `selectors` of a source, and in `scopeSelectors` and `namespaceSelectors`. */
  readonly selectors: number
  /** Field selectors, CEL selectors and CEL values of all sources together. */
  readonly expressions: number
}

/**
 * Cost, in the API server's units, of the regular expressions of one quota when it is compiled: some 25 ms, and 5,000 states of them together. A
 * short pattern such as `(a{1000})` has many.
 */
export const MAX_COMPILE_COST = 100_000

/** The most labels, requirements on labels and values of them in all selectors of a quota together. */
export const MAX_LABEL_CONDITIONS = 512

export const DEFAULT_BOUNDS: QuotaBounds = { sources: 32, selectors: 16, expressions: 64 }

/** The most bytes of one field selector; its path alone may have 1,024. */
export const MAX_FIELD_SELECTOR_BYTES = 2048
/** Values that the paths of one quota may visit in one object. */
const MAX_PATH_STEPS = 20_000
/** Cost, in the API server's units, of what the CEL expressions of one quota do with one object. */
const MAX_CEL_COST = 20_000
/** The same in units of some 50 ns, for what the API server does not count. */
const MAX_CEL_WORK = 100_000

/** All CustomQuotas of a namespace together may do so many times as much with one object as one of them may. */
const NAMESPACE_FACTOR = 3

/** The work that is still allowed to measure one object for all CustomQuotas of its namespace. */
export class NamespaceEffort {
  #paths = NAMESPACE_FACTOR * MAX_PATH_STEPS
  #cost = NAMESPACE_FACTOR * MAX_CEL_COST
  #work = NAMESPACE_FACTOR * MAX_CEL_WORK

  get left(): { readonly paths: number; readonly cost: number; readonly work: number } {
    return { paths: this.#paths, cost: this.#cost, work: this.#work }
  }

  /** Subtracts the work of one quota. */
  spend(paths: number, cost: number, work: number): void {
    this.#paths -= paths
    this.#cost -= cost
    this.#work -= work
  }
}

/** The work that is still allowed to measure one object for one quota. */
export class Effort {
  readonly paths: Allowance
  readonly #namespace: NamespaceEffort | undefined
  readonly #steps: number
  #cost: number
  #work: number

  /** `namespace`: the work that is left for all CustomQuotas of the namespace; left out for a quota of many namespaces. */
  constructor(namespace?: NamespaceEffort) {
    const left = namespace?.left
    this.#namespace = namespace
    this.#steps = Math.max(0, Math.min(MAX_PATH_STEPS, left?.paths ?? MAX_PATH_STEPS))
    this.paths = new Allowance(this.#steps)
    this.#cost = Math.min(MAX_CEL_COST, left?.cost ?? MAX_CEL_COST)
    this.#work = Math.min(MAX_CEL_WORK, left?.work ?? MAX_CEL_WORK)
  }

  /** The object is measured: what its paths visited is spent. */
  end(): void {
    this.#namespace?.spend(this.#steps - this.paths.left, 0, 0)
  }

  /**
   * Evaluates an expression of the variable `object` and subtracts what that cost.
   * @throws CelRuntimeError
   */
  evaluate(program: CelProgram, object: unknown): CelValue {
    if (this.#cost <= 0 || this.#work <= 0)
      throw new CelRuntimeError('the CEL expressions of the quota cost too much together', true)
    const outcome = program.run({ object }, { maxCost: this.#cost, maxWork: this.#work })
    this.#cost -= outcome.cost
    this.#work -= outcome.work
    this.#namespace?.spend(0, outcome.cost, outcome.work)
    if ('error' in outcome.result) throw outcome.result.error
    return outcome.result.value
  }
}
