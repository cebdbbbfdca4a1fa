import type { Budget, BudgetRef } from '../../../charges/budget.ts'
import { decide, type Denied } from '../../../charges/decide.ts'
import type { Attributes, Measuring } from '../../../charges/evaluator.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import type { QuotaRule } from './quota-rule.ts'

/** A quota that may count the object of a request. */
export interface PlannedQuota {
  readonly ref: BudgetRef
  readonly rule: QuotaRule
}

/** How much a request makes its object use of one limit, and how much the replaced object uses that is counted. */
export interface LimitCharge {
  readonly limit: string
  readonly cost: Quantity
  readonly oldCost: Quantity
}

export interface PlannedCharge<Q extends PlannedQuota> {
  readonly quota: Q
  /** Those that rise, in the order of their names. */
  readonly charges: readonly LimitCharge[]
}

export type ChargePlan<Q extends PlannedQuota> =
  /** No usage allows the request: it lacks values that a quota demands, for example. */
  | { readonly type: 'refused'; readonly decision: Denied }
  /** It is allowed if all of this fits; none for most requests. */
  | { readonly type: 'charges'; readonly charges: readonly PlannedCharge<Q>[] }

/**
 * Finds what a request adds to quotas whose usage is kept in ledgers: the decision of `decide`, but for the limits, which the
 * ledgers decide on.
 */
export function planCharges<Q extends PlannedQuota>(
  quotas: readonly Q[],
  attributes: Attributes,
  measuring: Measuring,
): ChargePlan<Q> {
  const decision = decide({ budgets: quotas.map(unlimited), attributes, ...measuring })
  if (decision.verdict === 'denied') return { type: 'refused', decision }
  const charges = decision.charges.flatMap(({ budget, requested }): readonly PlannedCharge<Q>[] => {
    const quota = quotas.find(({ ref }) => ref === budget)
    if (quota === undefined) return []
    const usage = quota.rule.evaluators.of(attributes)?.usage(attributes.object, measuring) ?? {}
    return [
      {
        quota,
        charges: Object.keys(requested)
          .toSorted()
          .map((limit) => chargeOf(limit, usage, requested)),
      },
    ]
  })
  return { type: 'charges', charges }
}

/** A budget that knows its usage and has no limits: only what no usage allows is refused. */
function unlimited({ ref, rule }: PlannedQuota): Budget {
  return { ref, rule, hard: {}, used: Object.fromEntries(rule.names.map((name) => [name, Quantity.zero])) }
}

function chargeOf(limit: string, usage: ResourceList, requested: ResourceList): LimitCharge {
  const cost = quantityOf(usage, limit) ?? Quantity.zero
  return { limit, cost, oldCost: cost.sub(quantityOf(requested, limit) ?? Quantity.zero) }
}
