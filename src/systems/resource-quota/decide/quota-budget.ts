import { type ResourceQuota, scopeRequirements } from '../../../kinds/resource-quota/resource-quota.ts'
import { parseResourceList } from '../../../quantity/resource-list.ts'
import type { Budget } from '../../../charges/budget.ts'
import type { Evaluators } from '../../../charges/evaluator.ts'
import { QuotaRule } from './quota-rule.ts'

/**
 * A ResourceQuota as the budget that admission decides on, parsed once: what it enforces is `status.hard`. A quota without
 * `status.hard` limits nothing until it has been counted. Throws QuantityError.
 */
export function quotaBudget(quota: ResourceQuota, evaluators: Evaluators): Budget {
  const { name = '', namespace = '' } = quota.metadata
  const hard = parseResourceList(quota.status?.hard ?? {})
  return {
    ref: { group: '', kind: 'ResourceQuota', namespace, name },
    hard,
    used: parseResourceList(quota.status?.used ?? {}),
    rule: new QuotaRule(Object.keys(hard), scopeRequirements(quota.spec), evaluators),
  }
}
