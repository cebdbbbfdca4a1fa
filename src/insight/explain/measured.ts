import type { Budget } from '../../charges/budget.ts'
import type { Evaluator, Evaluators } from '../../charges/evaluator.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { oncePerObject } from '../../machinery/once-per-object.ts'
import { qualified, type GroupResource } from '../../machinery/status.ts'
import { quantityOf, type ResourceList } from '../../quantity/resource-list.ts'
import { isCounted } from './budget-room.ts'
import type { Facts } from './facts.ts'

/** An evaluator, and what it has measured of the facts. */
interface Measured {
  readonly evaluator: Evaluator
  readonly usage: (object: KubeObject) => ResourceList
}

/**
 * The evaluator of a resource, which measures each object of the facts once: many quotas ask for the same amounts. Undefined for a resource whose
 * objects are never charged.
 */
export const measuredBy = (evaluators: Evaluators, resource: GroupResource, facts: Facts): Measured | undefined =>
  measuredIn(facts)(evaluators)(resource)

const measuredIn = oncePerObject((facts: Facts) =>
  oncePerObject((evaluators: Evaluators) => {
    const known = new Map<string, Measured | undefined>()
    return (resource: GroupResource): Measured | undefined => {
      const id = qualified(resource)
      if (!known.has(id)) known.set(id, measured(evaluators.of(resource), facts))
      return known.get(id)
    }
  }),
)

const measured = (evaluator: Evaluator | undefined, { now }: Facts): Measured | undefined =>
  evaluator && { evaluator, usage: oncePerObject((object: KubeObject) => evaluator.usage(object, { now })) }

/** What objects of the facts cost a budget together: nothing where it does not count them. */
export function costTogether(
  budget: Budget,
  objects: readonly KubeObject[],
  resource: GroupResource,
  facts: Facts,
): ResourceList {
  const by = measuredBy(budget.rule.evaluators, resource, facts)
  const names = by === undefined ? [] : budget.rule.countedBy(by.evaluator)
  if (by === undefined || names.length === 0) return {}
  const costs = objects.filter((object) => isCounted(budget, object, by.evaluator)).map(by.usage)
  const sums = names.flatMap((name) => {
    const [first, ...others] = costs.flatMap((cost) => quantityOf(cost, name) ?? [])
    return first === undefined ? [] : [[name, others.reduce((sum, one) => sum.add(one), first)] as const]
  })
  return Object.fromEntries(sums)
}
