import type { Budget } from '../../charges/budget.ts'
import type { Excess } from '../../charges/refusal.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { quantityOf, subtractWithNonNegativeResult } from '../../quantity/resource-list.ts'
import { chargeOf, outlook, type Outlook } from './budget-room.ts'
import type { Priced } from './costs.ts'
import { livePods } from './demand.ts'
import type { Facts } from './facts.ts'
import { costTogether } from './measured.ts'
import type { Replacement } from './replacement.ts'
import { without } from './without-pods.ts'

/** Checks one budget against the demands, whose pods may replace old ones. Throws QuantityError. */
export function outlookOf(budget: Budget, demands: readonly Priced[], facts: Facts): Outlook {
  const pods = demands.findLast(({ parts }) => parts !== undefined)
  const replacement = pods?.demand.replacement
  return pods === undefined || replacement === undefined
    ? outlook(budget, demands)
    : outlookOfRollout(budget, demands, pods, replacement, facts)
}

/**
 * Checks one budget against demands whose pods replace old ones, from the first of them to the last. Throws QuantityError.
 */
function outlookOfRollout(
  budget: Budget,
  demands: readonly Priced[],
  pods: Priced,
  replacement: Replacement,
  facts: Facts,
): Outlook {
  const { old, replicas, unavailable } = replacement
  // So many are deleted before the first new one is made.
  const gone = old.slice(0, Math.max(0, old.length - (replicas - unavailable)))
  const first = { ...pods, missing: gone.length === old.length ? pods.missing : Math.min(1, pods.missing) }
  const step = demands.map((one) => (one === pods ? first : one))
  const found = outlook(without(budget, gone, pods, facts), step)
  const lacks = found.excesses.map((one): Excess => {
    const used = quantityOf(budget.used, one.resource) ?? Quantity.zero
    return { ...one, used, requested: one.used.add(one.requested).sub(used) }
  })
  const excesses = lackingInRollout({ budget, excesses: lacks }, pods, replacement, facts)
  const freed = costTogether(budget, gone, pods.demand.resource, facts)
  return {
    ...found,
    budget,
    requested: {
      ...subtractWithNonNegativeResult(found.requested, freed),
      ...Object.fromEntries(excesses.map(({ resource, requested }) => [resource, requested])),
    },
    excesses,
    refused: found.refused === first || (found.refused === undefined && excesses.length > 0) ? pods : found.refused,
  }
}

/**
 * What a budget lacks until a rollout is over, and not for its next step alone: new pods that cost more than old ones take more room with each that
 * is replaced. Only where all old pods cost alike the last step is known. Throws QuantityError.
 */
export function lackingInRollout(
  { budget, excesses }: Pick<Outlook, 'budget' | 'excesses'>,
  pods: Priced,
  { old, replicas, unavailable }: Replacement,
  facts: Facts,
): readonly Excess[] {
  const { resource: of, maker, replacement } = pods.demand
  if (maker === undefined || old.length === 0 || replicas === 0) return excesses
  // Before a rollout begins all its pods are old.
  const made = replacement === undefined ? livePods(maker, facts) : []
  const each = old.map((pod) => costTogether(budget, [pod], of, facts))
  const taken = costTogether(budget, [...old, ...made], of, facts)
  const lacks = new Map(excesses.map((one) => [one.resource, one]))
  for (const [resource, cost] of Object.entries(chargeOf(budget, pods) ?? {})) {
    const hard = quantityOf(budget.hard, resource)
    const [first = Quantity.zero, ...others] = each.map((one) => quantityOf(one, resource) ?? Quantity.zero)
    if (hard === undefined || others.some((one) => !one.equals(first))) continue
    // The last new pod is made beside an old one where none may be missing.
    const besides = unavailable === 0 ? first : Quantity.zero
    const all = cost.mul(BigInt(replicas)).add(besides)
    const requested = all.sub(quantityOf(taken, resource) ?? Quantity.zero)
    const used = quantityOf(budget.used, resource) ?? Quantity.zero
    const isMore = requested.cmp(lacks.get(resource)?.requested ?? Quantity.zero) > 0
    if (isMore && used.add(requested).cmp(hard) > 0) lacks.set(resource, { resource, requested, used, hard })
  }
  return [...lacks.values()].toSorted((a, b) => (a.resource < b.resource ? -1 : 1))
}
