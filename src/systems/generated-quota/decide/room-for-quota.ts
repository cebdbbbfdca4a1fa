import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { quantityOf } from '../../../quantity/resource-list.ts'

/** The limits that keep one more ResourceQuota out of a namespace, and the writes that let it in. */
export interface QuotaRoom {
  /** Quotas with a limit that is raised as far as needed, as they are to be written. */
  readonly raises: readonly ResourceQuota[]
  /** Is a raised limit not in force yet? */
  readonly isAwaited: boolean
  /** Quotas that keep another one out and that nobody may raise here, in words. */
  readonly obstacles: readonly string[]
}

/** The names under which a quota limits how many quotas its namespace may have. */
export const QUOTA_COUNT_LIMITS = ['resourcequotas', 'count/resourcequotas'] as const

/**
 * Finds the quotas whose limit on ResourceQuotas keeps another quota out. Returns what to raise in each. Quotas are
 * raised in place, so no limit is ever missing. `keeperOf`: the keeper of a quota that must not be raised.
 */
export function roomForQuota(
  quotas: readonly ResourceQuota[],
  keeperOf: (quota: ResourceQuota) => string | undefined,
): QuotaRoom {
  const raises: ResourceQuota[] = []
  const obstacles: string[] = []
  let isAwaited = false
  for (const quota of quotas) {
    const needed = neededOf(quota)
    if (needed.length === 0) continue
    const { metadata, spec } = quota
    const keeper = keeperOf(quota)
    const wanted = amountsOf(spec?.hard)
    const lacking = needed.filter(([name, amount]) => (quantityOf(wanted, name)?.cmp(amount) ?? -1) < 0)
    if (keeper !== undefined) obstacles.push(`the ResourceQuota ${metadata.name ?? ''} of ${keeper}`)
    else if (lacking.length === 0) isAwaited = true
    else {
      const raised = lacking.map(([name, amount]) => [name, amount.toString()] as const)
      raises.push({ ...quota, spec: { ...spec, hard: { ...spec?.hard, ...Object.fromEntries(raised) } } })
    }
  }
  return { raises, isAwaited, obstacles }
}

/** The limits in force that leave no room for one more quota, with the least that would. */
function neededOf({ status }: ResourceQuota): readonly (readonly [string, Quantity])[] {
  const [hard, used] = [amountsOf(status?.hard), amountsOf(status?.used)]
  return QUOTA_COUNT_LIMITS.flatMap((name) => {
    const limit = quantityOf(hard, name)
    const needed = (quantityOf(used, name) ?? Quantity.zero).add(Quantity.of(1n))
    return limit !== undefined && limit.cmp(needed) < 0 ? [[name, needed] as const] : []
  })
}
