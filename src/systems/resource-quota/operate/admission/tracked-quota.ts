import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { type ResourceQuota, scopeRequirements } from '../../../../kinds/resource-quota/resource-quota.ts'
import type { Evaluator } from '../../../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../../charges/evaluators/table.ts'
import { QuotaRule } from '../../decide/quota-rule.ts'
import { ifReadable } from '../../../../quantity/quantity.ts'
import type { ResourceList } from '../../../../quantity/resource-list.ts'
import { CountedQuota } from '../../../counted/counted-quota.ts'
import type { NamedKind } from '../../../counted/kind-finder.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'

/** A ResourceQuota as this replica knows and counts it. */
export class TrackedResourceQuota extends CountedQuota<ResourceQuota> {
  readonly rule: QuotaRule
  /** One for each resource that counts towards some limit. */
  readonly evaluators: readonly Evaluator[]
  readonly kinds: readonly NamedKind[]
  hard: ResourceList
  /** The resourceVersion of the last state that this replica has seen add a limit; '' where it has seen none. */
  widenedBy = ''

  constructor(quota: ResourceQuota) {
    super(quota, RESOURCE_QUOTAS)
    this.hard = hardOf(quota)
    this.rule = new QuotaRule(Object.keys(this.hard), scopeRequirements(quota.spec), QUOTA_EVALUATORS)
    this.evaluators = QUOTA_EVALUATORS.countingTowards(this.rule.names)
    this.kinds = this.evaluators.map(({ group, resource }) => ({ group, resource }))
  }
}

/** The limits of a quota. An amount that is invalid, which only API servers without validation store, limits nothing. */
export function hardOf({ spec }: ResourceQuota): ResourceList {
  return ifReadable(() => amountsOf(spec?.hard), {})
}
