import type { Excess } from '../../../charges/refusal.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { quantityOf } from '../../../quantity/resource-list.ts'
import { chargeOf, type Outlook } from '../budget-room.ts'
import { family, livePods } from '../demand.ts'
import { costTogether } from '../measured.ts'
import type { Situation } from './situation.ts'

/**
 * What a budget lacks until a rollout is over, and not for its next step alone: new pods that cost more than old ones take more room with each that
 * is replaced. Only where all old pods cost alike the last step is known. Throws QuantityError.
 */
export function lackingInRollout(
  { budget, excesses }: Outlook,
  { pods, surge, facts }: Pick<Situation, 'facts'> & Partial<Pick<Situation, 'pods' | 'surge'>>,
): readonly Excess[] {
  const maker = pods?.demand.maker
  if (pods === undefined || maker === undefined || surge === undefined || surge.older === 0) return excesses
  const { resource: of } = pods.demand
  const old = family(maker, facts)
    .filter((one) => one !== maker)
    .flatMap((one) => livePods(one, facts))
  const each = old.map((pod) => costTogether(budget, [pod], of, facts))
  const taken = costTogether(budget, [...old, ...livePods(maker, facts)], of, facts)
  const lacks = new Map(excesses.map((one) => [one.resource, one]))
  for (const [resource, cost] of Object.entries(chargeOf(budget, pods) ?? {})) {
    const hard = quantityOf(budget.hard, resource)
    const [first = Quantity.zero, ...others] = each.map((one) => quantityOf(one, resource) ?? Quantity.zero)
    if (hard === undefined || cost.cmp(first) < 0 || others.some((one) => !one.equals(first))) continue
    // The last new pod is made beside an old one where none may be missing.
    const besides = surge.unavailable === 0 ? first : Quantity.zero
    const all = cost.mul(BigInt(surge.replicas)).add(besides)
    const requested = all.sub(quantityOf(taken, resource) ?? Quantity.zero)
    const used = quantityOf(budget.used, resource) ?? Quantity.zero
    const isMore = requested.cmp(lacks.get(resource)?.requested ?? Quantity.zero) > 0
    if (isMore && used.add(requested).cmp(hard) > 0) lacks.set(resource, { resource, requested, used, hard })
  }
  return [...lacks.values()].toSorted((a, b) => (a.resource < b.resource ? -1 : 1))
}
