import { POOL_LABEL } from '../api/pool-names.ts'
import { poolLabelValue, poolQuotaName } from '../api/quota-name.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { homeOf, onItsWay } from '../decide/choose-pool.ts'
import type { LimitRange } from '../decide/limit-range/pool-limit-range.ts'
import type { NamespaceFacts } from '../decide/select-namespaces.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import type { PoolCaches } from './pool-caches.ts'

/** The pool that decides about a claim; undefined where none does. */
export function homePool(caches: PoolCaches, claim: ResourcePoolClaim): ResourcePool | undefined {
  const { pool: of } = claim.status ?? {}
  // Almost every claim has its pool, which is found without a look at the others.
  const current = of === undefined || claim.spec.pool === '' ? undefined : caches.pools.get('', of.name)
  if (current !== undefined) return current
  const namespace = caches.namespaces.get('', claim.metadata.namespace ?? '')
  return homeOf(claim, namespace, caches.pools.list())
}

/** The claims that a pool decides about. */
export function claimsOf(caches: PoolCaches, pool: ResourcePool, within: Parts): readonly ResourcePoolClaim[] {
  const { name = '' } = pool.metadata
  const ofPool = (claim: ResourcePoolClaim): readonly ResourcePoolClaim[] => {
    if (claim.spec.pool !== '') return claim.status?.pool?.name === name || claim.spec.pool === name ? [claim] : []
    const home = homePool(caches, claim)
    return claim.status?.pool?.name === name || home?.metadata.name === name ? [onItsWay(claim, pool, home)] : []
  }
  const claims =
    within === undefined
      ? new Set(['', name].flatMap((one) => caches.claims.by('wants', one)).concat(caches.claims.by('has', name)))
      : Array.from(within, (namespace) => caches.claims.list(namespace)).flat()
  return Array.from(claims, ofPool).flat()
}

/** The ResourceQuotas of a pool, by namespace, with the usage of requests in flight. */
export function quotasOf(
  caches: PoolCaches,
  { metadata: { name = '' } }: ResourcePool,
  within: Parts,
): Map<string, ResourceQuota> {
  const label = poolLabelValue(name)
  const quotaName = poolQuotaName(name)
  const quotas =
    within === undefined
      ? caches.quotas.by('pool', label)
      : Array.from(within, (namespace) => caches.quotas.list(namespace)).flat()
  return new Map(
    quotas.flatMap((quota) =>
      // A label alone does not make another quota one of the pool.
      quota.metadata.labels?.[POOL_LABEL] === label && quota.metadata.name === quotaName
        ? [[quota.metadata.namespace ?? '', caches.admitted.within(quota)] as const]
        : [],
    ),
  )
}

/** The LimitRanges of a pool, by namespace. */
export function limitRangesOf(
  caches: PoolCaches,
  { metadata: { name = '' } }: ResourcePool,
  within: Parts,
): Map<string, LimitRange> {
  const label = poolLabelValue(name)
  const rangeName = poolQuotaName(name)
  const ranges =
    within === undefined
      ? caches.limitRanges.by('pool', label)
      : Array.from(within, (namespace) => caches.limitRanges.list(namespace)).flat()
  return new Map(
    ranges.flatMap((range) =>
      range.metadata.labels?.[POOL_LABEL] === label && range.metadata.name === rangeName
        ? [[range.metadata.namespace ?? '', range] as const]
        : [],
    ),
  )
}

/** Returns the facts about namespaces. */
export function namespacesOf(caches: PoolCaches, within: Parts): readonly NamespaceFacts[] {
  if (within === undefined) return caches.namespaces.list()
  return Array.from(within, (name) => caches.namespaces.get('', name)).filter((facts) => facts !== undefined)
}
