import type { LimitRange } from '../../builtin/core-v1.ts'
import { objectOf, objectsOf, specOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { quantityOf } from '../../quantity/resource-list.ts'
import type { Outlook } from './budget-room.ts'
import type { Facts } from './facts.ts'
import { sideOf } from './next-pod.ts'
import type { PastRefusal } from './past-refusal.ts'

/** Does a reason that a refusal names hold today? What the caller may not see may hold yet. */
export const stands = (past: PastRefusal, budgets: readonly Outlook[], facts: Facts): boolean =>
  isFull(past, budgets) || isLacking(past, budgets, facts) || isBound(past, facts)

/**
 * Would a budget that it names have no room today for what it asked for? Admission counts what nobody can see here, such as defaults of a class. A
 * budget that the caller may not see may be full yet.
 */
const isFull = ({ exceeded, isCondition }: PastRefusal, budgets: readonly Outlook[]): boolean =>
  exceeded.some(({ kind, quota, requested }) => {
    const found = budgets.find(({ budget: { ref } }) => ref.kind === kind && ref.name === quota)
    // A condition is of today: a quota that the namespace does not have is of somebody else, such as a ClusterResourceQuota.
    if (found === undefined) return kind !== 'ResourceQuota' || isCondition
    const { hard, used } = found.budget
    return Object.entries(requested).some(([name, amount]) => {
      const limit = quantityOf(hard, name)
      return limit !== undefined && amount.add(quantityOf(used, name) ?? Quantity.zero).cmp(limit) > 0
    })
  })

/** Does a quota demand the values yet, which no LimitRange gives? Webhooks may take away what the template says. */
function isLacking({ missing }: PastRefusal, budgets: readonly Outlook[], { limitRanges }: Facts): boolean {
  const defaults = limitRanges.flatMap((range) => objectsOf(specOf<LimitRange>(range).limits))
  return missing.some(({ resource: name }) => {
    const { side, resource } = sideOf(name)
    const isDemanded = budgets.some(({ budget, counts }) => counts && quantityOf(budget.hard, name) !== undefined)
    const isGiven = defaults.some(
      (item) =>
        item.type === 'Container' &&
        objectOf(side === 'limits' ? item.default : item.defaultRequest)[resource] !== undefined,
    )
    return isDemanded && !isGiven
  })
}

/** Does a LimitRange have one of the bounds yet? Webhooks may change what the template says. */
const isBound = ({ bounds }: PastRefusal, { limitRanges, notSeen }: Facts): boolean =>
  bounds.length > 0 &&
  (notSeen.some(({ resource }) => resource === 'limitranges') ||
    bounds.some(({ field, resource, type, amount }) =>
      limitRanges
        .flatMap((range) => objectsOf(specOf<LimitRange>(range).limits))
        .some((item) => item.type === type && isSame(objectOf(item[field])[resource], amount)),
    ))

const isSame = (value: unknown, amount: Quantity): boolean =>
  value !== undefined && Quantity.fromJson(value).equals(amount)
