import type {
  QuantityTexts,
  ResourceQuota,
  ResourceQuotaStatus,
} from '../../../../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { type GroupResource, qualified } from '../../../../machinery/status.ts'
import { ifReadable, type Quantity, QuantityError } from '../../../../quantity/quantity.ts'
import {
  add,
  equals,
  formatResourceList,
  parseResourceList,
  quantityOf,
  type ResourceList,
} from '../../../../quantity/resource-list.ts'
import { countUsage } from '../../../../charges/count-usage.ts'
import { type Evaluator, type Measuring, ScopeError } from '../../../../charges/evaluator.ts'
import type { EvaluatorTable } from '../../../../charges/evaluators/table.ts'
import { countingRule } from '../quota-rule.ts'
import type { SharedCount } from './shared-count.ts'

/** The objects of one resource in the quota's namespace; undefined where no such resource is served. */
export type ObjectsOf = (of: GroupResource) => Iterable<KubeObject> | undefined

export interface QuotaRecountInput extends Measuring {
  readonly quota: ResourceQuota
  /** The costs of objects. */
  readonly evaluators: EvaluatorTable
  readonly objectsOf: ObjectsOf
  /** Resources, as `pods` or `deployments.apps`, whose objects cannot be listed now, and why: what they use stays as it is. */
  readonly evaluatorErrors?: ReadonlyMap<string, string>
  /** The counts that other quotas of the namespace had made in the same turn. */
  readonly shared?: SharedCount
}

export interface Recount {
  readonly status: { readonly hard: QuantityTexts; readonly used: QuantityTexts }
  /** The amounts of `status.used`. */
  readonly used: ResourceList
  /** Must the status be written? Amounts that are only spelled differently do not count. */
  readonly changed: boolean
  /** The reasons why objects could not be counted; the status holds all that could. */
  readonly errors: readonly string[]
}

/**
 * Counts a quota anew, as upstream's `syncResourceQuota` does: its spec's limits and their usage by objects. A limit
 * that nothing can count keeps the usage it had, or has none.
 */
export function recount(input: QuotaRecountInput): Recount {
  const { quota, evaluators, objectsOf, now, lookup, evaluatorErrors, shared } = input
  const hard = parseResourceList(quota.spec?.hard ?? {})
  const before = parseResourceList(quota.status?.used ?? {})
  const rule = countingRule(quota, evaluators)
  let counted: ResourceList = {}
  const errors: string[] = []
  const uncounted: Evaluator[] = []
  for (const evaluator of evaluators.countingTowards(rule.names)) {
    const failure = evaluatorErrors?.get(qualified(evaluator))
    const objects = failure === undefined ? objectsOf(evaluator) : undefined
    if (failure !== undefined) {
      errors.push(failure)
      uncounted.push(evaluator)
    }
    if (objects === undefined) continue
    try {
      // Pods and claims both count towards an extended resource.
      const measuring = { now, lookup }
      const usage =
        shared === undefined
          ? countUsage(rule, evaluator, objects, measuring)
          : shared.usage(rule, evaluator, objects, measuring)
      counted = add(counted, usage)
    } catch (error) {
      if (!(error instanceof ScopeError) && !(error instanceof QuantityError)) throw error
      errors.push(error.message)
      uncounted.push(evaluator)
    }
  }
  const used: Record<string, Quantity> = {}
  for (const name of rule.names) {
    const isCounted = !uncounted.some((evaluator) => evaluator.counts(name))
    const amount = (isCounted ? quantityOf(counted, name) : undefined) ?? quantityOf(before, name)
    if (amount !== undefined) used[name] = amount
  }
  return {
    status: { hard: { ...quota.spec?.hard }, used: formatResourceList(used) },
    used,
    changed: isChanged(quota.status, hard, before, used),
    errors,
  }
}

/** The resources whose objects a quota counts by its spec: what a controller has to watch for it. */
export function countedResources(quota: ResourceQuota, evaluators: EvaluatorTable): readonly GroupResource[] {
  const counting = evaluators.countingTowards(Object.keys(quota.spec?.hard ?? {}))
  return counting.map(({ group, resource }) => ({ group, resource }))
}

/**
 * Reports whether an update of an object may change the usage of a quota, so that quotas that count its kind must be
 * counted again. It also finds changes that upstream leaves to the next full resync, such as removed ports of a
 * Service.
 */
export function changesUsage(evaluator: Evaluator, old: KubeObject, object: KubeObject, measuring: Measuring): boolean {
  return ifReadable(() => {
    if (!equals(evaluator.usage(old, measuring), evaluator.usage(object, measuring))) return true
    return (evaluator.scopeFacts?.(old) ?? '') !== (evaluator.scopeFacts?.(object) ?? '')
  }, true)
}

/**
 * Reports whether the quota must be counted before others (the controller's priority queue). Its limits are not in
 * force yet, or a limit in force has no usage although a served resource counts towards it.
 * @public for Kubernetes' vectors. Controllers here count each quota as soon as it changes, so that none is urgent.
 */
export function isUrgent(
  quota: ResourceQuota,
  evaluators: EvaluatorTable,
  isServed: (of: GroupResource) => boolean,
): boolean {
  const enforced = parseResourceList(quota.status?.hard ?? {})
  if (!equals(parseResourceList(quota.spec?.hard ?? {}), enforced)) return true
  const uncounted = Object.keys(enforced).filter((name) => quota.status?.used?.[name] === undefined)
  return evaluators.countingTowards(uncounted).some((evaluator) => isServed(evaluator))
}

function isChanged(
  status: ResourceQuotaStatus | undefined,
  hard: ResourceList,
  before: ResourceList,
  used: ResourceList,
): boolean {
  if (status?.hard === undefined || status.used === undefined) return true
  return !equals(hard, parseResourceList(status.hard)) || !equals(before, used)
}
