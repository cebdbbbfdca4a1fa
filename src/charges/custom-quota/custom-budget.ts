import { oncePerObject } from '../../machinery/once-per-object.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import type { Quantity } from '../../quantity/quantity.ts'
import type { Budget, BudgetRef, BudgetRule, Match } from '../budget.ts'
import type { Evaluator, Evaluators } from '../evaluator.ts'
import type { CompiledQuota } from './compile-quota.ts'
import { costOf } from './object-cost.ts'

/** The only name among the limits of a custom quota. */
export const AMOUNT = 'amount'

const COUNTED: Match = { counted: true, met: [] }
const NOT_COUNTED: Match = { counted: false, met: [] }
const NAMES: readonly string[] = [AMOUNT]

/**
 * A custom quota as a kind of budget: it has one limit, and what an object costs it, its sources say. Each object is measured
 * once. `match` and `usage` throw MeasureError where an object cannot be measured.
 */
export class CustomQuotaRule implements BudgetRule {
  readonly evaluators: Evaluators
  readonly #costOf: (object: KubeObject) => Quantity | undefined

  constructor(quota: CompiledQuota) {
    const cost = oncePerObject((object: KubeObject) => costOf(quota, object))
    this.#costOf = cost
    this.evaluators = new SourceEvaluators(cost)
  }

  countedBy(): readonly string[] {
    return NAMES
  }

  match(object: KubeObject): Match {
    return this.#costOf(object) === undefined ? NOT_COUNTED : COUNTED
  }
}

/** The sources know their kinds themselves, by kind and version; a resource needs an evaluator only to be named. */
class SourceEvaluators implements Evaluators {
  readonly #costOf: (object: KubeObject) => Quantity | undefined
  #last: Evaluator | undefined

  constructor(cost: (object: KubeObject) => Quantity | undefined) {
    this.#costOf = cost
  }

  of({ group, resource }: GroupResource): Evaluator {
    if (this.#last?.group === group && this.#last.resource === resource) return this.#last
    this.#last = {
      group,
      resource,
      handles: ({ operation }) => operation === 'CREATE' || operation === 'UPDATE',
      counts: (name) => name === AMOUNT,
      usage: (object) => {
        const cost = this.#costOf(object)
        return cost === undefined ? {} : { [AMOUNT]: cost }
      },
    }
    return this.#last
  }
}

/** The budget of a custom quota. `rule` lives as long as the spec; `used` is what is counted and reserved. */
export function customQuotaBudget(ref: BudgetRef, limit: Quantity, used: Quantity, rule: CustomQuotaRule): Budget {
  return { ref, hard: { [AMOUNT]: limit }, used: { [AMOUNT]: used }, rule }
}
