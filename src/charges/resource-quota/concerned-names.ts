import { QuantityError } from '../../quantity/quantity.ts'
import { type Attributes, type Evaluator, type Measuring, ScopeError } from '../evaluator.ts'
import type { BudgetRule } from '../budget.ts'

/**
 * The names of a quota's limits that a request may be refused for: those of which the object uses something, and those for
 * which it has to give a value and does not. Costs what the object uses, apart from the first request of its kind.
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
