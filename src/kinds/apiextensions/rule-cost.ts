import { type FieldError, forbidden } from '../../machinery/field-error.ts'

/** The most that one expression of a schema may cost, by estimate, for all the values that one object may hold at its place. */
const EXPRESSION_LIMIT = 10_000_000
/** The most that all expressions of a schema may cost together. */
const SCHEMA_LIMIT = 100_000_000
/** Only so many are named of those that made a schema too dear, and only those that cost a hundredth of it. */
const MOST_NAMED = 4
const WORTH_NAMING = SCHEMA_LIMIT / 100
const MOST = 2 ** 64 - 1

/** Adds up what the rules of a schema may cost at the most. The words are those of Kubernetes' CRD validation. */
export class RuleCosts {
  #total = 0
  #dearest: readonly { readonly path: string; readonly cost: number }[] = []

  /** Counts an expression in; gives the complaint when it alone costs too much. `what` is `rule` or `messageExpression`. */
  observe(path: string, cost: number, what: string): readonly FieldError[] {
    this.#total = Math.min(this.#total + cost, MOST)
    if (cost >= WORTH_NAMING)
      this.#dearest = [...this.#dearest, { path, cost }].toSorted((a, b) => b.cost - a.cost).slice(0, MOST_NAMED)
    return cost > EXPRESSION_LIMIT ? [forbidden(path, tooDear(`estimated ${what} cost`, cost, EXPRESSION_LIMIT))] : []
  }

  /** The complaints about the sum; `path` is that of the schema. */
  totalErrors(path: string): readonly FieldError[] {
    if (this.#total <= SCHEMA_LIMIT) return []
    const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const total = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...this.#dearest.map((one) => forbidden(one.path, contributed)),
      forbidden(path, tooDear(total, this.#total, SCHEMA_LIMIT)),
    ]
  }
}

function tooDear(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const times = factor > 100 ? 'more than 100' : factor.toFixed(factor < 1.5 ? 6 : 1)
  return `${what} exceeds budget by factor of ${times}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}
