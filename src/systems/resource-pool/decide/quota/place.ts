import { MANAGED_BY_CONTROLLER, MANAGED_BY_LABEL, POOL_LABEL } from '../../api/pool-names.ts'
import { poolLabelValue } from '../../api/quota-name.ts'
import type { ResourcePool } from '../../api/resource-pool.ts'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { poolProblem } from './pool-problem.ts'
import { hasScopesOf, hasSelectorOf } from './pool-quota.ts'
import type { Quotas } from './view.ts'

/** An obstacle that keeps a pool from limiting a namespace. */
export interface Obstacle {
  /** Undefined while nothing is known to be wrong: the quota may be on its way. */
  readonly why?: string
  /** Do claims keep what they have? So it is while the quota that the pool made is still there, and limits. */
  readonly keeps: boolean
}

/** Says of a namespace what keeps the pool from limiting it; undefined where it does limit it. */
export type ObstacleOf = (namespace: string) => Obstacle | undefined

/**
 * Reports whether the pool limits the namespace by this quota. Only then do its claims get anything. A quota of the
 * same name that somebody else made may have other scopes, and would not limit what the pool gives.
 */
export function isInPlace(quota: ResourceQuota, pool: ResourcePool): boolean {
  return (
    isMadeBy(quota, pool) &&
    quota.metadata.deletionTimestamp === undefined &&
    hasScopesOf(quota, pool) &&
    hasSelectorOf(quota, pool)
  )
}

/**
 * Returns a function that finds the obstacle of a namespace. `known`: the reasons of earlier failures, by namespace.
 */
export function obstaclesOf(pool: ResourcePool, quotas: Quotas, known: ReadonlyMap<string, string>): ObstacleOf {
  const problem = poolProblem(pool)
  if (problem !== undefined) return () => ({ why: problem, keeps: true })
  const found = new Map<string, Obstacle | undefined>()
  return (namespace) => {
    // Every claim of a namespace asks.
    if (!found.has(namespace)) found.set(namespace, obstacleIn(pool, quotas.get(namespace), known.get(namespace)))
    return found.get(namespace)
  }
}

function obstacleIn(
  pool: ResourcePool,
  quota: ResourceQuota | undefined,
  why: string | undefined,
): Obstacle | undefined {
  if (quota !== undefined && isInPlace(quota, pool)) return undefined
  return why === undefined ? { keeps: true } : { why, keeps: quota !== undefined && isMadeBy(quota, pool) }
}

/** Does the quota say that this pool keeps it? */
function isMadeBy({ metadata: { labels = {}, ownerReferences = [] } }: ResourceQuota, pool: ResourcePool): boolean {
  return (
    labels[POOL_LABEL] === poolLabelValue(pool.metadata.name ?? '') &&
    labels[MANAGED_BY_LABEL] === MANAGED_BY_CONTROLLER &&
    ownerReferences.some(({ uid, controller }) => uid === pool.metadata.uid && controller === true)
  )
}
