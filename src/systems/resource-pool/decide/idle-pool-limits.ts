import { type ResourcePool, resourcePool } from '../api/resource-pool.ts'
import { resourcePoolClaim } from '../api/claim.ts'
import { scopeRequirements } from '../../../kinds/resource-quota/resource-quota.ts'
import { poolProblem } from './quota/pool-problem.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { NamedLimits } from '../../../charges/limit-names/judge-limits.ts'

/** The limits of a reviewed pool that are new to it: earlier ones may stay. */
export function reviewedLimits(object: KubeObject, oldObject: KubeObject | undefined): readonly NamedLimits[] {
  return poolLimits(resourcePool.read(object), oldObject === undefined ? undefined : resourcePool.read(oldObject))
}

/** The limits of a pool that `old` did not have. */
export function poolLimits(pool: ResourcePool, old: ResourcePool | undefined): readonly NamedLimits[] {
  const { hard = {}, ...quota } = pool.spec.quota
  const { hard: oldHard, ...oldQuota } = old?.spec.quota ?? {}
  const isScopedAlike = old !== undefined && jsonEqual(quota, oldQuota)
  // Scopes that do not apply to the resources are a problem of the pool, which its status shows.
  const requirements = poolProblem(pool) === undefined ? scopeRequirements(quota) : []
  const { defaults = {} } = pool.spec
  return [
    { path: 'spec.quota.hard', names: added(hard, isScopedAlike ? oldHard : undefined), requirements },
    {
      path: 'spec.defaults',
      names: added(withoutNames(defaults, hard), isScopedAlike ? old.spec.defaults : undefined),
      requirements,
      // Capsule gives such defaults without a word.
      toleratesScopes: true,
    },
  ]
}

/** The amounts of a claim that are new to it. */
export function claimLimits(object: KubeObject, oldObject: KubeObject | undefined): readonly NamedLimits[] {
  const old = oldObject === undefined ? undefined : resourcePoolClaim.read(oldObject)
  return [{ path: 'spec.claim', names: added(resourcePoolClaim.read(object).spec.claim, old?.spec.claim) }]
}

type Amounts = Readonly<Record<string, unknown>>

const added = (amounts: Amounts, old: Amounts = {}): readonly string[] =>
  Object.keys(amounts).filter((name) => !Object.hasOwn(old, name))

const withoutNames = (amounts: Amounts, others: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => !Object.hasOwn(others, name)))
