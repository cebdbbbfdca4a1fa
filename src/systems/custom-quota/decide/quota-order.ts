import type { Quantity } from '../../../quantity/quantity.ts'
import type { BudgetRef } from '../../../charges/budget.ts'

/** A custom quota among others that count the same object. */
export interface RankedQuota {
  readonly budget: BudgetRef
  readonly limit: Quantity
}

/**
 * The order in which the quotas that refuse a request are named: the smallest limit first; among equal limits global quotas
 * first, then by namespace and name.
 */
export function compareQuotas(a: RankedQuota, b: RankedQuota): number {
  return (
    a.limit.cmp(b.limit) ||
    Number(a.budget.namespace !== '') - Number(b.budget.namespace !== '') ||
    compareText(a.budget.namespace, b.budget.namespace) ||
    compareText(a.budget.name, b.budget.name)
  )
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
