import type { ResourceListJson } from '../../../api/definition/collection.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import type { BudgetRef } from '../../../charges/budget.ts'

/** The percentages of a limit at which writers are warned. */
export const DEFAULT_WARN_AT: readonly number[] = [80, 95]

/** The usage of a quota before and after a request that is allowed. */
export interface UsageChange {
  readonly ref: BudgetRef
  readonly before: Quantity
  readonly after: Quantity
  readonly limit: Quantity
  /** Of a quota with several limits, the one that this is about. */
  readonly resource?: string
}

const NANO = -9

/**
 * The warning of a request that brings a quota to one of the percentages or past it; undefined where it passes none. Only
 * the highest is named. `warnAt`: whole percentages, in any order.
 */
export function usageWarning(
  { ref, before, after, limit, resource }: UsageChange,
  warnAt: readonly number[] = DEFAULT_WARN_AT,
): string | undefined {
  const passed = warnAt.filter((percentage) => reaches(after, limit, percentage) && !reaches(before, limit, percentage))
  if (passed.length === 0) return undefined
  const place = ref.namespace === '' ? ref.name : `${ref.namespace}/${ref.name}`
  return `${ref.kind} ${place} has reached ${wholePercentageOf(after, limit)} % of its limit${resource === undefined ? '' : ` of ${resource}`}: used ${after.toString()} of ${limit.toString()}`
}

/** A quota with several limits, and its status as it is known: others may have used more since. */
export interface ShownUsage {
  readonly ref: BudgetRef
  readonly hard: ResourceList
  readonly used: ResourceListJson | undefined
}

/** The warnings of a request that costs some of the limits of a quota more. */
export function limitWarnings(
  { ref, hard, used }: ShownUsage,
  rises: readonly { readonly limit: string; readonly cost: Quantity; readonly oldCost: Quantity }[],
  warnAt: readonly number[],
): readonly string[] {
  return rises.flatMap(({ limit: resource, cost, oldCost }) => {
    const limit = quantityOf(hard, resource)
    const shown = used?.[resource]
    if (limit === undefined || shown === undefined) return []
    const before = Quantity.fromJson(shown)
    return usageWarning({ ref, before, after: before.add(cost.sub(oldCost)), limit, resource }, warnAt) ?? []
  })
}

function reaches(used: Quantity, limit: Quantity, percentage: number): boolean {
  return used.mul(100n).cmp(limit.mul(BigInt(percentage))) >= 0
}

/** Rounded down, so that 100 is said of a full quota only. Exact for every quantity: none is finer than nano. */
export function wholePercentageOf(used: Quantity, limit: Quantity): bigint {
  const whole = limit.scaledValue(NANO)
  return whole === 0n ? 0n : (used.scaledValue(NANO) * 100n) / whole
}
