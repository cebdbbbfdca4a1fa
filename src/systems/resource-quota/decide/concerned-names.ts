import { QuantityError } from '../../../quantity/quantity.ts'
import { type Attributes, type Evaluator, type Measuring, ScopeError } from '../../../charges/evaluator.ts'
import type { BudgetRule } from '../../../charges/budget.ts'

/**
 * Returns the limits of a quota for which a request may be refused. The object uses something of them, or lacks a value
 * that they require. It takes time in proportion to what the object uses, except for the first request of a kind.
 */
export function concernedNames(
  rule: BudgetRule,
  evaluator: Evaluator,
  attributes: Attributes,
  measuring: Measuring,
): readonly string[] {
  if (attributes.operation === 'DELETE' || !evaluator.handles(attributes)) return []
  const counted = rule.countedBy(evaluator)
  if (counted.length === 0) return []
  const { object } = attributes
  try {
    const known = new Set(counted)
    const used = Object.entries(evaluator.usage(object, measuring)).filter(([, amount]) => amount.sign() !== 0)
    const missing = evaluator.missing?.(counted, object) ?? []
    const names = [...used.map(([name]) => name), ...missing.map(({ resource }) => resource)]
    return [...new Set(names.filter((name) => known.has(name)))]
  } catch (error) {
    if (error instanceof QuantityError || error instanceof ScopeError) return counted
    throw error
  }
}
