import { quantityOf, removeZeros, type ResourceList, resourceNames } from '../../../../quantity/resource-list.ts'
import { setOwn } from '../../../../machinery/json-value.ts'
import type { Quantity } from '../../../../quantity/quantity.ts'

/**
 * The `spec.hard` of the pool's ResourceQuota in a namespace: the sum of its claims, without zeros, and the pool's
 * defaults on top. A resource that neither names is not limited.
 */
export function quotaHard(claimed: ResourceList, defaults: ResourceList): ResourceList {
  return onTop(removeZeros(claimed), defaults)
}

/** The claimed amounts with the defaults added, sorted by name; zeros stay. */
export function onTop(claimed: ResourceList, defaults: ResourceList): ResourceList {
  const hard: Record<string, Quantity> = {}
  for (const name of resourceNames({ ...claimed, ...defaults })) {
    const amount = quantityOf(claimed, name)
    const extra = quantityOf(defaults, name)
    setOwn(hard, name, amount === undefined || extra === undefined ? (amount ?? extra) : amount.add(extra))
  }
  return hard
}
