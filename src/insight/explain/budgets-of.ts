import { type Budget, withUsed } from '../../charges/budget.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { quotaBudget } from '../../systems/resource-quota/decide/quota-budget.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { add, type ResourceList, subtractWithNonNegativeResult } from '../../quantity/resource-list.ts'
import { countsInNamespace, customQuotaBudget, isEnforcedIn, sharedEffort } from '../budgets/custom-quota.ts'
import { karmadaQuotaBudget } from '../budgets/karmada-quota.ts'
import { chargeOf } from './budget-room.ts'
import type { Priced } from './costs.ts'
import type { Facts } from './facts.ts'

/** A budget, with the object that it is made from. */
export interface SourcedBudget {
  readonly budget: Budget
  readonly source: KubeObject
}

/**
 * The budgets of the namespace that refuse what does not fit. What a demand takes the place of counts as free. Throws QuantityError.
 */
export function budgetsOf(facts: Facts, demands: readonly Priced[]): readonly SourcedBudget[] {
  const { namespace, namespaceLabels } = facts
  const custom = facts.customQuotas.filter(
    (quota) => isEnforcedIn(quota, namespace) && countsInNamespace(quota, namespace, namespaceLabels),
  )
  const effort = sharedEffort()
  const all = [
    ...facts.quotas.map((source) => ({ source, budget: quotaBudget(source, QUOTA_EVALUATORS) })),
    ...custom.map((source) => ({ source, budget: customQuotaBudget(source, effort) })),
    ...facts.karmadaQuotas.map((source) => ({ source, budget: karmadaQuotaBudget(source) })),
  ]
  return all.map(({ source, budget }) => ({ source, budget: withoutReplaced(budget, demands) }))
}

function withoutReplaced(budget: Budget, demands: readonly Priced[]): Budget {
  const replaced = demands.filter(({ demand: { replaces } }) => replaces !== undefined)
  if (replaced.length === 0) return budget
  const freed = replaced
    .map((one) => chargeOf(budget, { ...one, object: one.demand.replaces ?? one.object }) ?? {})
    .reduce<ResourceList>(add, {})
  return withUsed(budget, subtractWithNonNegativeResult(budget.used, freed))
}

/** A budget as sentences name it: a ResourceQuota is a quota, any other goes by its kind. */
export const titleOf = ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
  `${kind === 'ResourceQuota' ? 'quota' : kind} ${name}`
