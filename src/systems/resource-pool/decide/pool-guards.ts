import type { ResourcePool, ResourcePoolSpec } from '../api/resource-pool.ts'
import { setOwn } from '../../../machinery/json-value.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { formatResourceList, quantityOf, type ResourceList, resourceNames } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { roomInRelease } from './ledger/pool-ledger.ts'

/**
 * Returns the spec with a default of 0 for each resource without one, if `config.defaultsZero` asks for it. All amounts
 * are then written canonically, as Capsule does. Returns the same object otherwise.
 */
export function withZeroDefaults(spec: ResourcePoolSpec): ResourcePoolSpec {
  if (!spec.config.defaultsZero) return spec
  const hard = amountsOf(spec.quota.hard)
  const defaults: Record<string, Quantity> = { ...amountsOf(spec.defaults) }
  for (const name of Object.keys(hard))
    if (quantityOf(defaults, name) === undefined) setOwn(defaults, name, Quantity.zero)
  return {
    ...spec,
    ...(Object.keys(defaults).length === 0 ? {} : { defaults: formatResourceList(defaults) }),
    quota: { ...spec.quota, ...(spec.quota.hard === undefined ? {} : { hard: formatResourceList(hard) }) },
  }
}

/**
 * Returns the reason to reject a change of a pool; undefined if there is none. Amounts that are claimed, or given back
 * and still allowed, must stay in the pool. A pool that is already too small may stay so, and may grow.
 */
export function poolUpdateRefusal(pool: ResourcePool, oldPool: ResourcePool): string | undefined {
  const hard = amountsOf(pool.spec.quota.hard)
  const oldHard = amountsOf(oldPool.spec.quota.hard)
  const claimed = amountsOf(oldPool.status?.allocation?.used)
  const inRelease = roomInRelease(oldPool.status?.releasing)
  for (const resource of resourceNames({ ...claimed, ...inRelease })) {
    const bound = amountOf(claimed, resource).add(amountOf(inRelease, resource))
    const before = quantityOf(oldHard, resource)
    const after = quantityOf(hard, resource)
    if (before === undefined || bound.sign() <= 0) continue
    if (after === undefined) return `can not remove resource ${resource} as it is still being allocated. ${WHAT_TO_DO}`
    if (after.cmp(bound) < 0 && after.cmp(before) < 0)
      return `can not reduce ${resource} usage to ${after.toString()} because quantity ${bound.toString()} is claimed . ${WHAT_TO_DO}`
  }
  return undefined
}

const WHAT_TO_DO = 'Remove corresponding claims or keep the resources in the pool'

const amountOf = (list: ResourceList, name: string): Quantity => quantityOf(list, name) ?? Quantity.zero
