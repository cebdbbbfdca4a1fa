import type { KubeObject } from '../../../machinery/object.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { quantityOf } from '../../../quantity/resource-list.ts'
import { type CompiledKarmadaQuota, costsOf } from './costs.ts'

/** The cost of a write of a binding for one limit of a quota. */
interface BindingCharge {
  readonly limit: string
  readonly cost: Quantity
  readonly oldCost: Quantity
}

/**
 * Returns the charges of a write for a quota, one for each limit. A write that makes clusters run more is charged for
 * the increase, even if the binding was charged before. The quota may be lower now. The earlier charge may have come
 * with a status, which cannot be refused. Throws QuantityError if a request of a binding cannot be read.
 */
export function bindingCharges(
  quota: CompiledKarmadaQuota,
  object: KubeObject,
  oldObject: KubeObject | undefined,
): readonly BindingCharge[] {
  const costs = Object.entries(costsOf(quota, object))
  if (oldObject === undefined) return costs.map(([limit, cost]) => ({ limit, cost, oldCost: Quantity.zero }))
  const oldCosts = costsOf(quota, oldObject)
  const [runs, ran] = [costsOf(quota, object, 'running'), costsOf(quota, oldObject, 'running')]
  return costs.map(([limit, cost]) => {
    const before = quantityOf(ran, limit) ?? Quantity.zero
    const isMore = (quantityOf(runs, limit) ?? Quantity.zero).cmp(before) > 0
    return { limit, cost, oldCost: isMore ? before : (quantityOf(oldCosts, limit) ?? Quantity.zero) }
  })
}
