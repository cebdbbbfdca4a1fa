import { Quantity } from '../../quantity/quantity.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import type { GlobalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import type { Facts } from './facts.ts'
import { plannedKey } from './planned-limits.ts'

type AnyCustomQuota = CustomQuota | GlobalCustomQuota
/** An object that a custom quota lists. */
export type ListedClaim = NonNullable<NonNullable<AnyCustomQuota['status']>['claims']>[number]

/**
 * The quotas without the objects that their reader may not list: a quota of the whole cluster lists those of all tenants. What the others take is
 * kept as a sum.
 */
export function shownClaims(
  quotas: readonly AnyCustomQuota[],
  isShown: (claim: ListedClaim) => boolean,
): Pick<Facts, 'customQuotas' | 'unseenUse'> {
  const unseen = new Map<string, Quantity>()
  const customQuotas = quotas.map((quota): AnyCustomQuota => {
    const { claims = [] } = quota.status ?? {}
    const shown = claims.filter(isShown)
    if (quota.status === undefined || shown.length === claims.length) return quota
    const sum = claims
      .filter((one) => !isShown(one))
      .reduce((all, { usage }) => all.add(Quantity.fromJson(usage)), Quantity.zero)
    unseen.set(plannedKey({ kind: quota.kind, name: quota.metadata.name ?? '' }), sum)
    return { ...quota, status: { ...quota.status, claims: shown } }
  })
  return { customQuotas, unseenUse: unseen }
}
