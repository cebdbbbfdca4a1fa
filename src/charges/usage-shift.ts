import type { KubeObject } from '../machinery/object.ts'
import type { GroupResource } from '../machinery/status.ts'
import { Quantity, QuantityError } from '../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../quantity/resource-list.ts'
import type { Budget, BudgetRef } from './budget.ts'
import { type Evaluator, type Evaluators, type Measuring, ScopeError } from './evaluator.ts'

/** An object that is stored in place of another of the same name; one of them is missing when it is made or goes. */
export interface Replacement {
  readonly of: GroupResource
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** The usage of one budget after a replacement. */
export interface Shift {
  readonly budget: BudgetRef
  readonly used: ResourceList
}

/**
 * Returns the changed usages after an object replaced another. Usage can go up or down, and the object can enter or
 * leave scopes. A budget that was counted right before is counted right after. Returns undefined if a budget or an
 * object cannot be evaluated; then only a new count helps.
 *
 * Changes by time alone are not seen here (`Evaluator.expiry`), and neither are changes by other objects (`entangled`).
 */
export function shiftUsage(
  budgets: readonly Budget[],
  replacement: Replacement,
  measuring: Measuring,
): readonly Shift[] | undefined {
  try {
    const shifts: Shift[] = []
    const measured = new Map<Evaluators, Measured | undefined>()
    for (const budget of budgets) {
      const { evaluators } = budget.rule
      if (!measured.has(evaluators)) measured.set(evaluators, measuredBy(evaluators.of(replacement.of)))
      const by = measured.get(evaluators)
      const used = by === undefined ? undefined : usedAfter(budget, by, replacement, measuring)
      if (used !== undefined) shifts.push({ budget: budget.ref, used })
    }
    return shifts
  } catch (error) {
    if (error instanceof ScopeError || error instanceof QuantityError) return undefined
    throw error
  }
}

/** The costs of the two objects by one evaluator, measured when the first budget asks. */
interface Measured {
  readonly evaluator: Evaluator
  added: ResourceList | undefined
  removed: ResourceList | undefined
}

const measuredBy = (evaluator: Evaluator | undefined): Measured | undefined =>
  evaluator === undefined ? undefined : { evaluator, added: undefined, removed: undefined }

/** Undefined where nothing changes. */
function usedAfter(
  { rule, used }: Budget,
  measured: Measured,
  { object, oldObject }: Replacement,
  measuring: Measuring,
): ResourceList | undefined {
  const { evaluator } = measured
  const names = rule.countedBy(evaluator)
  if (names.length === 0) return undefined
  const enters = object !== undefined && rule.match(object, evaluator).counted
  const leaves = oldObject !== undefined && rule.match(oldObject, evaluator).counted
  if (enters) measured.added ??= evaluator.usage(object, measuring)
  if (leaves) measured.removed ??= evaluator.usage(oldObject, measuring)
  return shifted(used, names, enters ? measured.added : undefined, leaves ? measured.removed : undefined)
}

/** Undefined where nothing changes. A name without known usage stays unknown, and none falls below zero. */
function shifted(
  used: ResourceList,
  names: readonly string[],
  added: ResourceList | undefined,
  removed: ResourceList | undefined,
): ResourceList | undefined {
  let result: Record<string, Quantity> | undefined
  for (const name of names) {
    const before = quantityOf(used, name)
    const plus = added === undefined ? undefined : quantityOf(added, name)
    const minus = removed === undefined ? undefined : quantityOf(removed, name)
    if (before === undefined || (plus === undefined && minus === undefined)) continue
    if (plus !== undefined && minus !== undefined && plus.equals(minus)) continue
    const more = plus === undefined ? before : before.add(plus)
    const after = minus === undefined ? more : more.sub(minus)
    result ??= { ...used }
    result[name] = after.sign() < 0 ? Quantity.zero : after
  }
  return result
}
