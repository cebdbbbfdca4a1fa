import { controllerOf } from '../../../machinery/object.ts'
import { POOL_LABEL } from '../../resource-pool/api/pool-names.ts'
import { resourcePool } from '../../resource-pool/api/resource-pool.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'

/**
 * Returns the keeper of a quota that has the name of a definition's quota, in words; undefined where the operator may write over it or replace
 * it with `wanted`. A pool says so by a label too, since its quota may lose its owner for a moment. The manager that the labels of quota increases name is
 * not asked: the labels of the namespace decide about that.
 */
export function otherKeeper({ metadata }: ResourceQuota, wanted: ResourceQuota): string | undefined {
  const { labels = {} } = metadata
  const owner = controllerOf({ metadata })
  const isOurs = wanted.metadata.ownerReferences?.some(({ uid }) => uid === owner?.uid) === true
  if (owner !== undefined && !isOurs) return `${owner.kind} ${owner.name}`
  const pool = labels[POOL_LABEL]
  return owner === undefined && pool !== undefined ? `ResourcePool ${pool}` : undefined
}

/**
 * Returns the pool that hands its room out through a quota, in words; undefined where it is none of a pool. A label alone does not say so: anybody
 * who makes quotas can write it.
 */
export function poolOf(quota: ResourceQuota): string | undefined {
  const owner = controllerOf(quota)
  const isPool = owner?.kind === resourcePool.kind && owner.apiVersion.split('/')[0] === resourcePool.group
  return isPool ? `ResourcePool ${owner.name}` : undefined
}
