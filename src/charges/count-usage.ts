import type { KubeObject } from '../machinery/object.ts'
import { Quantity } from '../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../quantity/resource-list.ts'
import type { BudgetRule } from './budget.ts'
import type { Evaluator, Measuring } from './evaluator.ts'

/**
 * Returns the usage of a budget by objects of one resource: the sum of their costs, under the budget's names alone. Every counted
 * name is present, if only with 0, which then takes the format of the first amount that is added. Throws ScopeError and
 * QuantityError.
 */
export function countUsage(
  rule: BudgetRule,
  evaluator: Evaluator,
  objects: Iterable<KubeObject>,
  measuring: Measuring,
): ResourceList {
  const names = rule.countedBy(evaluator)
  const sum: Record<string, Quantity> = {}
  for (const name of names) sum[name] = Quantity.zero
  if (names.length === 0) return sum
  for (const object of objects) {
    if (!rule.match(object, evaluator).counted) continue
    const usage = evaluator.usage(object, measuring)
    for (const name of names) {
      const amount = quantityOf(usage, name)
      if (amount !== undefined) sum[name] = (sum[name] ?? Quantity.zero).add(amount)
    }
  }
  return sum
}
