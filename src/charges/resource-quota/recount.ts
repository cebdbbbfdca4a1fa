import type { QuantityTexts, ResourceQuota, ResourceQuotaStatus } from '../../api/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import {
  add,
  equals,
  formatResourceList,
  parseResourceList,
  quantityOf,
  type ResourceList,
} from '../../quantity/resource-list.ts'
import { type Evaluator, type Measuring, ScopeError } from '../evaluator.ts'
import { EVALUATORS, evaluatorFor } from '../evaluators/evaluator-table.ts'
import { countedResource } from '../evaluators/object-count.ts'
import { type CountingRule, countingRule } from './quota-budget.ts'
import { matchingScopes } from '../evaluators/scopes.ts'

/** The objects of one resource in the quota's namespace; undefined where no such resource is served. */
export type ObjectsOf = (of: GroupResource) => Iterable<KubeObject> | undefined

export interface RecountInput extends Measuring {
  readonly quota: ResourceQuota
  readonly objectsOf: ObjectsOf
  /** Resources, as `pods` or `deployments.apps`, whose objects cannot be listed now, and why: what they use stays as it is. */
  readonly evaluatorErrors?: ReadonlyMap<string, string>
}

export interface Recount {
  readonly status: { readonly hard: QuantityTexts; readonly used: QuantityTexts }
  /** Must the status be written? Amounts that are only spelled differently do not count. */
  readonly changed: boolean
  /** What could not be counted; the status holds all that could. */
  readonly errors: readonly string[]
}

/**
 * Counts a quota anew (reference section 4, "Sync of one quota"): its spec's limits and what objects use of them. A limit
 * that nothing can count keeps the usage it had, or has none.
 */
export function recount({ quota, objectsOf, now, lookup, evaluatorErrors }: RecountInput): Recount {
  const hard = parseResourceList(quota.spec?.hard ?? {})
  const before = parseResourceList(quota.status?.used ?? {})
  const rule = countingRule(quota)
  let counted: ResourceList = {}
  const errors: string[] = []
  const uncounted: Evaluator[] = []
  for (const evaluator of evaluatorsOf(rule.limits.all)) {
    const failure = evaluatorErrors?.get(qualified(evaluator))
    const objects = failure === undefined ? objectsOf(evaluator) : undefined
    if (failure !== undefined) {
      errors.push(failure)
      uncounted.push(evaluator)
    }
    if (objects === undefined) continue
    try {
      // Pods and claims both count towards an extended resource.
      counted = add(counted, total(rule, evaluator, objects, { now, lookup }))
    } catch (error) {
      if (!(error instanceof ScopeError) && !(error instanceof QuantityError)) throw error
      errors.push(error.message)
      uncounted.push(evaluator)
    }
  }
  const used: Record<string, Quantity> = {}
  for (const name of rule.limits.all) {
    const isCounted = !uncounted.some((evaluator) => evaluator.counts(name))
    const amount = (isCounted ? quantityOf(counted, name) : undefined) ?? quantityOf(before, name)
    if (amount !== undefined) used[name] = amount
  }
  return {
    status: { hard: { ...quota.spec?.hard }, used: formatResourceList(used) },
    changed: isChanged(quota.status, hard, before, used),
    errors,
  }
}

/**
 * The part of what an object uses that a quota counts: nothing unless all scopes match, and only under the quota's names.
 * A quota's usage is the sum of this over the objects of its namespace. Throws ScopeError and QuantityError.
 */
export function usageFor(
  rule: CountingRule,
  evaluator: Evaluator,
  object: KubeObject,
  measuring: Measuring,
): ResourceList {
  const names = rule.limits.countedBy(evaluator)
  if (names.length === 0) return {}
  if (matchingScopes(evaluator, rule.scopes, object).length < rule.scopes.length) return {}
  const usage = evaluator.usage(object, measuring)
  const part: Record<string, Quantity> = {}
  for (const name of names) {
    const amount = quantityOf(usage, name)
    if (amount !== undefined) part[name] = amount
  }
  return part
}

/** The evaluators that count towards some of these names. A `count/…` name stands for its resource, were it not served. */
export function evaluatorsOf(names: readonly string[]): readonly Evaluator[] {
  const found = new Map<string, Evaluator>()
  for (const [id, evaluator] of EVALUATORS) if (names.some((name) => evaluator.counts(name))) found.set(id, evaluator)
  for (const name of names) {
    const resource = countedResource(name)
    const evaluator = resource === undefined ? undefined : evaluatorFor(resource)
    if (evaluator !== undefined && evaluator.counts(name)) found.set(qualified(evaluator), evaluator)
  }
  return [...found.values()]
}

/** The resources whose objects a quota counts by its spec: what a controller has to watch for it. */
export function countedResources(quota: ResourceQuota): readonly GroupResource[] {
  return evaluatorsOf(Object.keys(quota.spec?.hard ?? {})).map(({ group, resource }) => ({ group, resource }))
}

/** Must a deleted or changed object of this resource make the quota be counted again? Asked of what the status enforces. */
export function isCountedBy(quota: ResourceQuota, of: GroupResource): boolean {
  const evaluator = evaluatorFor(of)
  return evaluator !== undefined && Object.keys(quota.status?.hard ?? {}).some((name) => evaluator.counts(name))
}

/**
 * May an update of an object change some quota's usage, so that those that count its kind must be counted again? Also finds
 * what upstream leaves to the next full resync: ports that a service gives up.
 */
export function changesUsage(of: GroupResource, old: KubeObject, object: KubeObject, measuring: Measuring): boolean {
  const evaluator = evaluatorFor(of)
  if (evaluator === undefined) return false
  try {
    if (!equals(evaluator.usage(old, measuring), evaluator.usage(object, measuring))) return true
    return (evaluator.scopeFacts?.(old) ?? '') !== (evaluator.scopeFacts?.(object) ?? '')
  } catch (error) {
    if (error instanceof QuantityError) return true
    throw error
  }
}

/**
 * Is the quota to be counted before others: its limits are not in force yet, or one in force has no usage although a served
 * resource counts towards it? (The controller's priority queue.)
 */
export function isUrgent(quota: ResourceQuota, isServed: (of: GroupResource) => boolean): boolean {
  const enforced = parseResourceList(quota.status?.hard ?? {})
  if (!equals(parseResourceList(quota.spec?.hard ?? {}), enforced)) return true
  const uncounted = Object.keys(enforced).filter((name) => quota.status?.used?.[name] === undefined)
  return evaluatorsOf(uncounted).some((evaluator) => isServed(evaluator))
}

/**
 * The quota to decide on: one whose status has no limits yet is given the status that a recount finds, so that it is
 * enforced from its first moment (Kubernetes lets everything through until its controller has been there).
 */
export function effectiveQuota(input: RecountInput): ResourceQuota {
  const { quota } = input
  return quota.status?.hard === undefined ? { ...quota, status: recount(input).status } : quota
}

/** Every counted name is present, were it with 0, which then takes the format of the first amount that is added. */
function total(
  rule: CountingRule,
  evaluator: Evaluator,
  objects: Iterable<KubeObject>,
  measuring: Measuring,
): ResourceList {
  const sum: Record<string, Quantity> = {}
  for (const name of rule.limits.countedBy(evaluator)) sum[name] = Quantity.zero
  for (const object of objects) {
    for (const [name, amount] of Object.entries(usageFor(rule, evaluator, object, measuring))) {
      sum[name] = (sum[name] ?? Quantity.zero).add(amount)
    }
  }
  return sum
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
