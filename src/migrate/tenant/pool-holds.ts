import { EXHAUSTED, READY } from '../../systems/resource-pool/api/pool-names.ts'
import { poolQuotaName } from '../../systems/resource-pool/api/quota-name.ts'
import type { ResourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import type { ResourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { max, parseResourceList, quantityOf } from '../../quantity/resource-list.ts'
import type { PoolPlan, TenantPlan } from './plan.ts'
import { poolDifferences } from './pool-differences.ts'
import { itemQuotaName, type TenantQuotas } from './quotas.ts'

/** The state of a cluster, as far as the last step asks about it. */
export interface Standing {
  readonly pools: readonly ResourcePool[]
  readonly claims: readonly ResourcePoolClaim[]
  readonly quotas: readonly ResourceQuota[]
}

/** Why the quotas of a Tenant may not go yet, a sentence each; none where the pools hold everything. */
export const reasonsToWait = ({ tenant, pools }: TenantPlan, standing: Standing): readonly string[] =>
  pools.flatMap((pool) => [...poolReasons(pool, standing), ...namespaceReasons(tenant, pool, standing)])

function poolReasons(plan: PoolPlan, { pools }: Standing): readonly string[] {
  const { pool } = plan
  const found = pools.find(({ metadata }) => metadata.name === pool)
  if (found === undefined) return [`there is no ResourcePool ${pool}`]
  const ready = found.status?.conditions.find(({ type }) => type === READY)
  const differences = poolDifferences(plan, pools)
  if (ready?.status === 'True') return differences
  return [...differences, `the ResourcePool ${pool} is not ready${ready === undefined ? '' : `: ${ready.message}`}`]
}

function namespaceReasons(
  { name, namespaces }: TenantQuotas,
  { pool, index, resources }: PoolPlan,
  { claims, quotas }: Standing,
): readonly string[] {
  return namespaces.flatMap((namespace) => {
    const find = (quota: string): ResourceQuota | undefined =>
      quotas.find(({ metadata }) => metadata.namespace === namespace && metadata.name === quota)
    const waiting = claims
      .filter(({ metadata, spec }) => metadata.namespace === namespace && spec.pool === pool)
      .filter((claim) => !hasItsAmounts(claim))
      .map(({ metadata }) => `the claim ${namespace}/${metadata.name ?? ''} has not got its amounts`)
    const quota = find(poolQuotaName(pool))
    if (quota?.status === undefined) return [...waiting, `${namespace} has no ResourceQuota ${poolQuotaName(pool)} yet`]
    const enforced = parseResourceList(quota.status.hard ?? {})
    const used = max(
      parseResourceList(quota.status.used ?? {}),
      parseResourceList(find(itemQuotaName(name, index))?.status?.used ?? {}),
    )
    const short = resources.flatMap((resource) => {
      const limit = quantityOf(enforced, resource)
      const use = quantityOf(used, resource) ?? Quantity.zero
      if (limit === undefined)
        return [`the ResourceQuota ${poolQuotaName(pool)} in ${namespace} does not limit ${resource} yet`]
      if (use.cmp(limit) <= 0) return []
      return [
        `the ResourceQuota ${poolQuotaName(pool)} in ${namespace} has ${resource}=${limit.canonical()}, and ${use.canonical()} is used`,
      ]
    })
    return [...waiting, ...short]
  })
}

/** Has the claim its pool, and its amounts from it? */
const hasItsAmounts = ({ spec, status }: ResourcePoolClaim): boolean =>
  status?.pool?.name === spec.pool &&
  status.conditions.some(({ type, status: is }) => type === EXHAUSTED && is === 'False')
