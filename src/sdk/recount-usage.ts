import { QUOTA_EVALUATORS } from '../charges/evaluators/evaluator-table.ts'
import { type QuotaRecountInput, type Recount, recount as recountQuota } from '../charges/resource-quota/recount.ts'

/** A quota, the objects of its namespace, and the time. */
export type RecountInput = Omit<QuotaRecountInput, 'evaluators'>

/**
 * Counts a quota anew: its spec's limits and what objects use of them. A limit that nothing can count keeps the usage it
 * had, or has none.
 */
export function recount(input: RecountInput): Recount {
  return recountQuota({ ...input, evaluators: QUOTA_EVALUATORS })
}
