import { Quantity } from '../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../quantity/resource-list.ts'
import type { Budget } from './budget.ts'
import type { Excess } from './refusal.ts'
import { compareText } from '../machinery/text/compare.ts'

/**
 * Adds requested amounts to a usage, and compares the sums with the limits. Only requested names are compared: others
 * may be above their limit already. Returns the usage with them, and the excesses by the names of their resources.
 */
export function fill(
  { hard, used }: Pick<Budget, 'hard' | 'used'>,
  requested: ResourceList,
): { readonly used: ResourceList; readonly excesses: readonly Excess[] } {
  const after: Record<string, Quantity> = { ...used }
  const excesses: Excess[] = []
  for (const [resource, addition] of Object.entries(requested)) {
    const before = quantityOf(used, resource) ?? Quantity.zero
    const sum = before.add(addition)
    after[resource] = sum
    const limit = quantityOf(hard, resource)
    if (limit !== undefined && sum.cmp(limit) > 0)
      excesses.push({ resource, requested: addition, used: before, hard: limit })
  }
  return { used: after, excesses: excesses.length > 1 ? excesses.toSorted(byResource) : excesses }
}

/** Returns the amounts above zero under these names; undefined where there are none. */
export function restricted(list: ResourceList, names: readonly string[]): ResourceList | undefined {
  let result: Record<string, Quantity> | undefined
  for (const name of names) {
    const amount = quantityOf(list, name)
    if (amount === undefined || amount.sign() <= 0) continue
    result ??= {}
    result[name] = amount
  }
  return result
}

const byResource = ({ resource: a }: Excess, { resource: b }: Excess): number => compareText(a, b)
