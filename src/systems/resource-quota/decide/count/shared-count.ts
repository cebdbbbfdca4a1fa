import { qualified } from '../../../../machinery/status.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { Quantity, QuantityError } from '../../../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../../../quantity/resource-list.ts'
import { type Evaluator, type Measuring, ScopeError } from '../../../../charges/evaluator.ts'
import type { QuotaRule } from '../quota-rule.ts'

type Sum = ReadonlyMap<string, Quantity> | ScopeError | QuantityError

/**
 * Counts the objects of one namespace for several quotas, as `countUsage` does for one: quotas with the same scopes share one pass over
 * the objects of a kind. For one turn, in which nothing changes.
 */
export class SharedCount {
  readonly #sums = new Map<string, Sum>()

  /** Returns the usage under the names of the rule. Throws ScopeError and QuantityError. */
  usage(rule: QuotaRule, evaluator: Evaluator, objects: Iterable<KubeObject>, measuring: Measuring): ResourceList {
    const names = rule.countedBy(evaluator)
    if (names.length === 0) return {}
    const key = `${qualified(evaluator)} ${JSON.stringify(rule.scopes)}`
    const sum = this.#sums.get(key) ?? sumOf(rule, evaluator, objects, measuring)
    this.#sums.set(key, sum)
    if (sum instanceof Error) throw sum
    return Object.fromEntries(names.map((name) => [name, sum.get(name) ?? Quantity.zero]))
  }
}

/** The sum of what the counted objects cost, by every name. */
function sumOf(rule: QuotaRule, evaluator: Evaluator, objects: Iterable<KubeObject>, measuring: Measuring): Sum {
  try {
    const sum = new Map<string, Quantity>()
    for (const object of objects) {
      if (!rule.match(object, evaluator).counted) continue
      const usage = evaluator.usage(object, measuring)
      for (const name of Object.keys(usage)) {
        const amount = quantityOf(usage, name)
        if (amount !== undefined) sum.set(name, (sum.get(name) ?? Quantity.zero).add(amount))
      }
    }
    return sum
  } catch (error) {
    if (error instanceof ScopeError || error instanceof QuantityError) return error
    throw error
  }
}
