import type { KubeObject } from '../machinery/object.ts'
import { Quantity, QuantityError } from '../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../quantity/resource-list.ts'
import { type Evaluator, type Measuring, ScopeError } from './evaluator.ts'
import type { QuotaState } from './resource-quota/quota-budget.ts'
import { matchingScopes } from './evaluators/scopes.ts'

/** An object that is stored in place of another of the same name; one of them is missing when it is made or goes. */
export interface Replacement {
  readonly evaluator: Evaluator
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** The usage of one quota after a replacement. */
export interface Shift {
  readonly quota: string
  readonly used: ResourceList
}

/**
 * What a replacement makes of the usage of those quotas whose usage it changes, up or down, scopes that the object enters
 * or leaves included: a quota that was counted right before is counted right after it. Undefined when that cannot be
 * said, because a quota or an object cannot be evaluated: then only counting anew helps.
 *
 * What the clock alone changes is not seen here, see `Evaluator.expiry`; nor what other objects do, see `entangled`.
 */
export function shiftUsage(
  quotas: readonly QuotaState[],
  { evaluator, object, oldObject }: Replacement,
  measuring: Measuring,
): readonly Shift[] | undefined {
  try {
    const shifts: Shift[] = []
    let added: ResourceList | undefined
    let removed: ResourceList | undefined
    for (const quota of quotas) {
      const names = quota.limits.countedBy(evaluator)
      if (names.length === 0) continue
      const enters = object !== undefined && isIn(quota, evaluator, object)
      const leaves = oldObject !== undefined && isIn(quota, evaluator, oldObject)
      if (enters) added ??= evaluator.usage(object, measuring)
      if (leaves) removed ??= evaluator.usage(oldObject, measuring)
      const used = shifted(quota.used, names, enters ? added : undefined, leaves ? removed : undefined)
      if (used !== undefined) shifts.push({ quota: quota.name, used })
    }
    return shifts
  } catch (error) {
    if (error instanceof ScopeError || error instanceof QuantityError) return undefined
    throw error
  }
}

function isIn(quota: QuotaState, evaluator: Evaluator, object: KubeObject): boolean {
  const { scopes } = quota
  return scopes.length === 0 || matchingScopes(evaluator, scopes, object).length === scopes.length
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
