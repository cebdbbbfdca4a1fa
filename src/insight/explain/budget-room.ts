import { type Budget, withUsed } from '../../charges/budget.ts'
import { decide } from '../../charges/decide.ts'
import { type Evaluator, ScopeError } from '../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import type { Excess, Refusal } from '../../charges/refusal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { add, mask, quantityOf, type ResourceList } from '../../quantity/resource-list.ts'
import type { Priced } from './costs.ts'
import type { Demand } from './demanded.ts'

/** What a budget says of all that is to be made. */
export interface Outlook {
  readonly budget: Budget
  readonly counts: boolean
  /** What all that is missing costs it. */
  readonly requested: ResourceList
  /** The limits that all of it together exceeds. */
  readonly excesses: readonly Excess[]
  /** How many more objects of the last kind that is wanted fit; undefined where the budget does not limit them. */
  readonly fits: number | undefined
  /** The first demand that does not fit as a whole. */
  readonly refused: Priced | undefined
}

/** Checks one budget against the demands in their order. Earlier demands use the room first. */
export function outlook(budget: Budget, demands: readonly Priced[]): Outlook {
  const last = demands.findLast(({ missing }) => missing > 0) ?? demands.at(-1)
  let requested: ResourceList = {}
  let refused: Priced | undefined
  const fits: number[] = []
  let counts = false
  for (const one of demands) {
    const cost = chargeOf(budget, one)
    if (cost === undefined) continue
    counts = true
    if (one.missing === 0 && one !== last) continue
    const room = countThatFits(withUsed(budget, add(budget.used, requested)), cost)
    requested = add(requested, times(cost, one.missing))
    if (room === undefined) continue
    if (room < one.missing) refused ??= one
    if (one === last) fits.push(room)
    else if (room < one.missing) fits.push(alongWith(one, room, last))
  }
  return {
    budget,
    counts,
    requested,
    excesses: excessesOf(budget, requested),
    fits: leastOf(fits),
    refused,
  }
}

/**
 * Returns how many objects of the last kind fit if `room` objects of an earlier kind fit. Each PersistentVolumeClaim
 * allows one pod, and a refused workload allows none.
 */
export function alongWith({ demand }: Priced, room: number, last: Priced | undefined): number {
  if (last === undefined || demand.resource.resource !== 'persistentvolumeclaims') return 0
  return Math.max(0, demand.existing + room - last.demand.existing)
}

/** Counted quotas other than ResourceQuotas measure an object alike at any time. */
const TIMELESS = { now: 0 }

/** What one object costs a budget; undefined where the budget does not count it. */
export function chargeOf(
  budget: Budget,
  { object, demand, cost }: Pick<Priced, 'object' | 'cost'> & { readonly demand: Pick<Demand, 'resource'> },
): ResourceList | undefined {
  const { evaluators } = budget.rule
  const evaluator = evaluators.of(demand.resource)
  if (evaluator === undefined) return undefined
  const names = budget.rule.countedBy(evaluator)
  if (names.length === 0 || !isCounted(budget, object, evaluator)) return undefined
  return mask(evaluators === QUOTA_EVALUATORS ? cost : evaluator.usage(object, TIMELESS), names)
}

/** Does a budget count an object? Nobody can say where its scopes are nonsense; `refusalsOf` names those. */
export function isCounted({ rule }: Budget, object: KubeObject, evaluator: Evaluator): boolean {
  try {
    return rule.match(object, evaluator).counted
  } catch (error) {
    if (error instanceof ScopeError || error instanceof QuantityError) return false
    throw error
  }
}

/** All refusals of one object but those for lack of room, as admission words them. */
export function refusalsOf(
  budgets: readonly Budget[],
  object: KubeObject,
  resource: GroupResource,
  now: number,
): readonly Refusal[] {
  const { name = '', namespace = '' } = object.metadata
  const decision = decide({
    budgets,
    attributes: { ...resource, subresource: '', operation: 'CREATE', name, namespace, object, dryRun: true },
    now,
  })
  return decision.verdict === 'admitted' ? [] : decision.refusals.filter(({ reason }) => reason !== 'exceeded')
}

export const times = (list: ResourceList, count: number): ResourceList =>
  Object.fromEntries(Object.entries(list).map(([name, amount]) => [name, amount.mul(BigInt(count))]))

/** The limits that a request exceeds. */
export function excessesOf({ hard, used }: Budget, requested: ResourceList): readonly Excess[] {
  return Object.entries(requested)
    .flatMap(([resource, amount]) => {
      const before = quantityOf(used, resource) ?? Quantity.zero
      const limit = quantityOf(hard, resource)
      const isOver = limit !== undefined && amount.sign() > 0 && before.add(amount).cmp(limit) > 0
      return isOver ? [{ resource, requested: amount, used: before, hard: limit }] : []
    })
    .toSorted((a, b) => (a.resource < b.resource ? -1 : 1))
}

/** Quantities are exact to a billionth. */
export const FINEST = -9

/** How many objects of this cost fit into a budget; undefined where it does not limit them. */
export function countThatFits({ hard, used }: Budget, cost: ResourceList): number | undefined {
  const counts = Object.entries(cost).flatMap(([name, amount]) => {
    const limit = quantityOf(hard, name)
    if (limit === undefined || amount.sign() <= 0) return []
    const room = limit.sub(quantityOf(used, name) ?? Quantity.zero).scaledValue(FINEST)
    return [room <= 0n ? 0n : room / amount.scaledValue(FINEST)]
  })
  const [first, ...others] = counts
  return first === undefined ? undefined : Number(others.reduce((least, one) => (one < least ? one : least), first))
}

/** How many more of the next object fit into all budgets; undefined where none limits them. */
export function fitsOf(outlooks: readonly Outlook[]): number | undefined {
  return leastOf(outlooks.flatMap(({ fits }) => fits ?? []))
}

/**
 * Returns how many more pods fit into all budgets beside those that are missing, whatever else their workload lacks, such
 * as a ReplicaSet. A StatefulSet has no more pods than claims. Undefined where no budget limits them.
 */
export const podsThatFit = (outlooks: readonly Outlook[], demands: readonly Priced[]): number | undefined => {
  const last = demands.findLast(({ parts }) => parts !== undefined)
  const needed = demands.filter((one) => one === last || one.demand.resource.resource === 'persistentvolumeclaims')
  return fitsOf(outlooks.map(({ budget }) => outlook(budget, needed)))
}

const leastOf = (counts: readonly number[]): number | undefined =>
  counts.length === 0 ? undefined : Math.min(...counts)
