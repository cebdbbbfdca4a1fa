import type { QuantityTexts } from '../../kinds/resource-quota/resource-quota.ts'
import { type Budget, withUsed } from '../../charges/budget.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import {
  add,
  formatResourceList,
  parseResourceList,
  type ResourceList,
  subtractWithNonNegativeResult,
} from '../../quantity/resource-list.ts'
import { LIMIT } from '../budgets/custom-quota.ts'
import { alongWith, chargeOf, countThatFits, times } from './budget-room.ts'
import { budgetsOf } from './budgets-of.ts'
import { isRefusedAnyway } from './causes.ts'
import { type Priced, priced } from './costs.ts'
import { demandsOf } from './demand.ts'
import type { Facts, Target } from './facts.ts'
import { costTogether } from './measured.ts'
import { plannedKey } from './planned-limits.ts'

/**
 * The facts once a manifest is applied that nobody has applied yet: the next manifest finds less room. What is refused takes none, and a workload makes
 * as many objects as fit. Throws QuantityError.
 */
export function afterwards(facts: Facts, target: Target, resource: GroupResource): Facts {
  if (target.isStored && target.before === undefined) return facts
  const demands = demandsOf(target, facts, resource).map((demand) => priced(demand, facts))
  const budgets = budgetsOf(facts, demands).map(({ budget }) => budget)
  const made = madeOf(demands, budgets, facts)
  const charged = new Map(budgets.map((budget) => [plannedKey(budget.ref), budget]))
  const raised = (quota: KubeObject, used: QuantityTexts = {}): QuantityTexts => {
    const budget = charged.get(plannedKey({ kind: quota.kind, name: quota.metadata.name ?? '' }))
    if (budget === undefined) return used
    const sums = formatResourceList(usedAfter(budget, parseResourceList(used), made, facts))
    return Object.fromEntries(Object.keys(used).map((name) => [name, sums[name] ?? '0']))
  }
  return {
    ...facts,
    quotas: facts.quotas.map((quota) => ({
      ...quota,
      status: { ...quota.status, used: raised(quota, quota.status?.used) },
    })),
    customQuotas: facts.customQuotas.map((quota) => {
      const { status } = quota
      const before = status?.usage?.used
      if (status === undefined || before === undefined) return quota
      const used = raised(quota, { [LIMIT]: String(before) })[LIMIT]
      return { ...quota, status: { ...status, usage: { ...status.usage, used } } } as typeof quota
    }),
    karmadaQuotas: facts.karmadaQuotas.map((quota) => ({
      ...quota,
      status: { ...quota.status, used: raised(quota, textsOf(quota.status?.used)) },
    })),
  }
}

const textsOf = (amounts: Readonly<Record<string, unknown>> = {}): QuantityTexts =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]))

/** So many objects of a demand come about. */
interface Made {
  readonly of: Priced
  readonly count: number
}

/** Returns the objects that can be created of all demands. Earlier demands use the room first. */
function madeOf(demands: readonly Priced[], budgets: readonly Budget[], facts: Facts): readonly Made[] {
  const last = demands.findLast(({ missing }) => missing > 0)
  const made: Made[] = []
  let most = Infinity
  for (const one of demands) {
    if (one.missing === 0) continue
    const rooms = isRefusedAnyway(one, budgets, facts)
      ? [0]
      : budgets.map((budget) => roomFor(one, budget, made, facts))
    const count = Math.min(one.missing, most, ...rooms)
    // How far a rollout comes that comes to a halt is not worked out.
    const isHalting = one.demand.replacement !== undefined && count < one.missing
    made.push({ of: one, count: isHalting ? 0 : count })
    if (count < one.missing) most = Math.min(most, alongWith(one, count, last))
  }
  return made.map((one) => withoutNeedless(one, made.at(-1)))
}

function roomFor(one: Priced, budget: Budget, made: readonly Made[], facts: Facts): number {
  const cost = chargeOf(budget, one)
  if (cost === undefined) return Infinity
  const requested = made.map(({ of, count }) => times(chargeOf(budget, of) ?? {}, count)).reduce<ResourceList>(add, {})
  const used = subtractWithNonNegativeResult(add(budget.used, requested), freedBy(one, budget, facts))
  return countThatFits(withUsed(budget, used), cost) ?? Infinity
}

/** What the old pods of a rollout leave. */
const freedBy = ({ demand: { replacement, resource } }: Priced, budget: Budget, facts: Facts): ResourceList =>
  replacement === undefined ? {} : costTogether(budget, replacement.old, resource, facts)

/** A StatefulSet makes the claims of one pod that is refused, and of none after that. */
function withoutNeedless({ of, count }: Made, last: Made | undefined): Made {
  if (last === undefined || of.demand.resource.resource !== 'persistentvolumeclaims' || last.of === of)
    return { of, count }
  const needed = last.of.demand.existing + last.count + 1 - of.demand.existing
  return { of, count: Math.max(0, Math.min(count, needed)) }
}

function usedAfter(budget: Budget, used: ResourceList, made: readonly Made[], facts: Facts): ResourceList {
  return made.reduce((sum, { of, count }) => {
    if (count === 0) return sum
    const { replaces } = of.demand
    const freed =
      replaces === undefined ? freedBy(of, budget, facts) : (chargeOf(budget, { ...of, object: replaces }) ?? {})
    return subtractWithNonNegativeResult(add(sum, times(chargeOf(budget, of) ?? {}, count)), freed)
  }, used)
}
