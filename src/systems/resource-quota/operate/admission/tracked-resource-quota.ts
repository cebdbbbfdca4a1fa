import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { type ResourceQuota, scopeRequirements } from '../../../../api/resource-quota/resource-quota.ts'
import type { BudgetRef } from '../../../../charges/budget.ts'
import type { Evaluator } from '../../../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../../charges/evaluators/evaluator-table.ts'
import { QuotaRule } from '../../../../charges/resource-quota/quota-rule.ts'
import type { GroupResource } from '../../../../machinery/status.ts'
import { qualified } from '../../../../machinery/status.ts'
import type { ServerResource } from '../../../../kube/client/server-resources.ts'
import { QuantityError } from '../../../../quantity/quantity.ts'
import type { ResourceList } from '../../../../quantity/resource-list.ts'
import type { CountedKind } from '../../../counted/count/counted-kind.ts'
import type { QuotaCount } from '../../../counted/count/quota-count.ts'
import { quotaKey } from '../../../counted/replica/ledger-name.ts'

/** The objects of one resource that a quota counts, by the limits that they count towards. */
export interface CountedResource {
  readonly evaluator: Evaluator
  readonly resource: ServerResource
  readonly counted: CountedKind
  readonly counts: ReadonlyMap<string, QuotaCount>
}

/** A ResourceQuota as this replica knows and counts it. */
export class TrackedResourceQuota {
  /** `ResourceQuota/<namespace>/<name>`. */
  readonly key: string
  readonly ref: BudgetRef
  readonly rule: QuotaRule
  /** One for each resource that counts towards some limit. */
  readonly evaluators: readonly Evaluator[]
  /** As the API server had it a moment ago. */
  quota: ResourceQuota
  hard: ResourceList
  /** The resources that the API server serves; undefined while it is being asked for them. */
  targets: readonly CountedResource[] | undefined
  /** Has a ledger of this quota been seen that requests may have been allowed on? */
  hasHadLedger = false
  /** The resourceVersion of the last state that this replica has seen add a limit; '' where it has seen none. */
  widenedBy = ''

  constructor(quota: ResourceQuota) {
    const { namespace = '', name = '' } = quota.metadata
    this.quota = quota
    this.hard = hardOf(quota)
    this.key = quotaKey({ kind: 'ResourceQuota', metadata: quota.metadata })
    this.ref = { group: '', kind: 'ResourceQuota', namespace, name }
    this.rule = new QuotaRule(Object.keys(this.hard), scopeRequirements(quota.spec), QUOTA_EVALUATORS)
    this.evaluators = QUOTA_EVALUATORS.countingTowards(this.rule.names)
  }

  /** Are all objects counted that the API server serves? */
  get isCounted(): boolean {
    return (
      this.targets !== undefined &&
      this.targets.every(({ counts }) => counts.values().every(({ countedAt }) => countedAt !== undefined))
    )
  }

  /** The counts of a resource; undefined while it is not served. */
  target(of: GroupResource): CountedResource | undefined {
    const id = qualified(of)
    return this.targets?.find(({ evaluator }) => qualified(evaluator) === id)
  }
}

/** The limits of a quota. An amount that is invalid, which only API servers without validation store, limits nothing. */
export function hardOf({ spec }: ResourceQuota): ResourceList {
  try {
    return amountsOf(spec?.hard)
  } catch (error) {
    if (error instanceof QuantityError) return {}
    throw error
  }
}
