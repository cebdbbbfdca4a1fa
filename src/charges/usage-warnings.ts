import type { ResourceListJson } from '../api/definition/collection.ts'
import { Quantity } from '../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../quantity/resource-list.ts'
import type { Budget, BudgetRef } from './budget.ts'
import type { Charge } from './decide.ts'

/** The percentages of a limit at which writers are warned. */
export const DEFAULT_WARN_AT: readonly number[] = [80, 95]

/** As many budgets as one answer needs to name. */
const MOST_WARNINGS = 20

/** The usage of a budget before and after a request that is allowed. */
export interface UsageChange {
  readonly ref: BudgetRef
  readonly before: Quantity
  readonly after: Quantity
  readonly limit: Quantity
  /** Of a budget with several limits, the one that this is about. */
  readonly resource?: string
}

const NANO = -9

/**
 * The warning of a request that brings a budget to one of the percentages or past it; undefined where it passes none. Only
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

/** The warning about the fullest of several limits of one budget, of those that the request brings to a percentage. */
function fullestWarning(changes: readonly UsageChange[], warnAt: readonly number[]): string | undefined {
  const texts = changes.flatMap((change) => {
    const text = usageWarning(change, warnAt)
    return text === undefined ? [] : [{ text, percentage: wholePercentageOf(change.after, change.limit) }]
  })
  const [first, ...others] = texts
  return first && others.reduce((most, one) => (one.percentage > most.percentage ? one : most), first).text
}

/** A budget with several limits, and its status as it is known: others may have used more since. */
export interface ShownUsage {
  readonly ref: BudgetRef
  readonly hard: ResourceList
  readonly used: ResourceListJson | undefined
}

/** The warning of a request that costs some of the limits of a budget more. */
export function limitWarning(
  { ref, hard, used }: ShownUsage,
  rises: readonly { readonly limit: string; readonly cost: Quantity; readonly oldCost: Quantity }[],
  warnAt: readonly number[],
): string | undefined {
  const changes = rises.flatMap(({ limit: resource, cost, oldCost }) => {
    const limit = quantityOf(hard, resource)
    const shown = used?.[resource]
    if (limit === undefined || shown === undefined) return []
    const before = Quantity.fromJson(shown)
    return [{ ref, before, after: before.add(cost.sub(oldCost)), limit, resource }]
  })
  return fullestWarning(changes, warnAt)
}

/** The warnings of a request that is charged to these budgets: one for each that it brings to a percentage. */
export function chargeWarnings(
  budgets: readonly Budget[],
  charges: readonly Charge[],
  warnAt: readonly number[],
): readonly string[] {
  const [first, ...others] = warnAt
  if (first === undefined) return []
  const least = Math.min(first, ...others)
  const warnings: string[] = []
  for (const { budget: ref, requested, used } of charges) {
    const hard = budgets.find((budget) => budget.ref === ref)?.hard ?? {}
    let changes: UsageChange[] | undefined
    for (const [resource, addition] of Object.entries(requested)) {
      const limit = quantityOf(hard, resource)
      const after = quantityOf(used, resource)
      // Of most requests no limit comes near its end: nothing more is computed for them.
      if (limit === undefined || after === undefined || !reaches(after, limit, least)) continue
      changes ??= []
      changes.push({ ref, before: after.sub(addition), after, limit, resource })
    }
    const warning = changes && fullestWarning(changes, warnAt)
    if (warning !== undefined) warnings.push(warning)
    if (warnings.length === MOST_WARNINGS) break
  }
  return warnings
}

function reaches(used: Quantity, limit: Quantity, percentage: number): boolean {
  return used.mul(100n).cmp(limit.mul(BigInt(percentage))) >= 0
}

/** Rounded down, so that 100 is said of a full budget only. Exact for every quantity: none is finer than nano. */
export function wholePercentageOf(used: Quantity, limit: Quantity): bigint {
  const whole = limit.scaledValue(NANO)
  return whole === 0n ? 0n : (used.scaledValue(NANO) * 100n) / whole
}
