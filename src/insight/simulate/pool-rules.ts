import { isResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { oncePerObject } from '../../machinery/once-per-object.ts'
import { invalid, qualified } from '../../machinery/status.ts'
import { RELEASE_ANNOTATION } from '../../systems/resource-pool/api/pool-names.ts'
import { poolQuotaName } from '../../systems/resource-pool/api/quota-name.ts'
import { resourcePool, type ResourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim, type ResourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { CLAIM_WEBHOOK, POOL_WEBHOOK } from '../../systems/resource-pool/api/webhook-names.ts'
import { claimAmountErrors, poolAmountErrors } from '../../systems/resource-pool/decide/amount/rules.ts'
import {
  admittedClaim,
  type ClaimFacts,
  claimDeletionRefusal,
  claimUpdateRefusal,
  poolNameOf,
} from '../../systems/resource-pool/decide/claim-guards.ts'
import { claimEndErrors } from '../../systems/resource-pool/decide/end/rules.ts'
import { claimLimits, poolLimits } from '../../systems/resource-pool/decide/idle-pool-limits.ts'
import { limitRangeErrors } from '../../systems/resource-pool/decide/limit-range/pool-limit-range.ts'
import { poolUpdateRefusal, withZeroDefaults } from '../../systems/resource-pool/decide/pool-guards.ts'
import { selectorErrors } from '../../systems/resource-pool/decide/quota/pool-problem.ts'
import type { NamespaceFacts } from '../../systems/resource-pool/decide/select-namespaces.ts'
import { textAt } from '../../machinery/read.ts'
import { deniedBy, type SystemRules } from './admission.ts'
import type { AdmissionWarnings } from './admission-warnings.ts'
import { schemaRules } from './custom-kind.ts'
import { RESOURCE_QUOTAS, type World, NAMESPACES } from './world.ts'

export const readPool = oncePerObject((object: KubeObject): ResourcePool => resourcePool.read(object))
export const readClaim = oncePerObject((object: KubeObject): ResourcePoolClaim => resourcePoolClaim.read(object))

export const poolsIn = (world: World): readonly ResourcePool[] => world.all(resourcePool).map(readPool)

/** The facts that a pool uses of a namespace. */
export const factsOf = oncePerObject((object: KubeObject): NamespaceFacts => {
  const { name = '', labels, deletionTimestamp } = object.metadata
  const phase = textAt(object, 'status', 'phase')
  return {
    name,
    ...(labels === undefined ? {} : { labels }),
    ...(phase === '' ? {} : { phase }),
    deleting: deletionTimestamp !== undefined,
  }
})

/** What the webhooks of resource pools do. */
export function poolRules(world: World, warnings: AdmissionWarnings): ReadonlyMap<string, SystemRules> {
  return new Map([
    [qualified(resourcePool), rulesOfPools(warnings)],
    [qualified(resourcePoolClaim), rulesOfClaims(world, warnings)],
  ])
}

function rulesOfPools(warnings: AdmissionWarnings): SystemRules {
  const schema = schemaRules(resourcePool)
  return {
    complete: (given) => {
      const object = schema.withDefaults(given)
      const { spec } = resourcePool.read(object)
      const wanted = withZeroDefaults(spec)
      return wanted === spec ? object : { ...object, spec: wanted }
    },
    check: (object, oldObject) => {
      schema.check(object, oldObject)
      const pool = resourcePool.read(object)
      const old = oldObject === undefined ? undefined : resourcePool.read(oldObject)
      refuseFields(POOL_WEBHOOK, resourcePool, object, [
        ...poolAmountErrors(pool, old),
        ...(jsonEqual(pool.spec.selectors, old?.spec.selectors) ? [] : selectorErrors(pool)),
        ...(jsonEqual(pool.spec.limitRange, old?.spec.limitRange) ? [] : limitRangeErrors(pool)),
      ])
      refuse(POOL_WEBHOOK, old === undefined ? undefined : poolUpdateRefusal(pool, old))
      refuseFields(POOL_WEBHOOK, resourcePool, object, warnings.idleErrors(poolLimits(pool, old)))
    },
  }
}

function rulesOfClaims(world: World, warnings: AdmissionWarnings): SystemRules {
  const schema = schemaRules(resourcePoolClaim)
  return {
    complete: (given, old) => {
      const object = schema.withDefaults(given)
      const claim = resourcePoolClaim.read(object)
      const { namespace: name = '' } = claim.metadata
      const found = world.find(NAMESPACES, '', name)
      const facts = found === undefined ? { name } : factsOf(found)
      return admittedClaim(claim, old === undefined ? 'CREATE' : 'UPDATE', facts, poolsIn(world))
    },
    check: (object, oldObject) => {
      schema.check(object, oldObject)
      const claim = resourcePoolClaim.read(object)
      const old = oldObject === undefined ? undefined : resourcePoolClaim.read(oldObject)
      refuseFields(CLAIM_WEBHOOK, resourcePoolClaim, object, [
        ...claimAmountErrors(claim, old),
        ...claimEndErrors(claim, old, world.now),
      ])
      if (old !== undefined && !isSameWish(claim, old))
        refuse(CLAIM_WEBHOOK, claimUpdateRefusal(claim, old, contextOf(world, old)))
      refuseFields(CLAIM_WEBHOOK, resourcePoolClaim, object, warnings.idleErrors(claimLimits(object, oldObject)))
    },
    checkDeletion: (object) => {
      const claim = resourcePoolClaim.read(object)
      refuse(CLAIM_WEBHOOK, claimDeletionRefusal(claim, contextOf(world, claim)))
    },
  }
}

const isSameWish = (claim: ResourcePoolClaim, old: ResourcePoolClaim): boolean =>
  jsonEqual(claim.spec, old.spec) &&
  claim.metadata.annotations?.[RELEASE_ANNOTATION] === old.metadata.annotations?.[RELEASE_ANNOTATION]

function contextOf(world: World, claim: ResourcePoolClaim): ClaimFacts {
  const { namespace = '' } = claim.metadata
  const name = poolNameOf(claim)
  const pool = world.find(resourcePool, '', name)
  const quota = world.find(RESOURCE_QUOTAS, namespace, poolQuotaName(name))
  return {
    pool: pool === undefined ? undefined : readPool(pool),
    quota: quota !== undefined && isResourceQuota(quota) ? quota : undefined,
    claims: world.list(resourcePoolClaim, namespace).map(readClaim),
  }
}

/** Throws the refusal, if there is one. */
export function refuse(webhook: string, why: string | undefined): void {
  if (why !== undefined) throw deniedBy(webhook, why)
}

/** Throws 422 for wrong fields. */
export function refuseFields(
  webhook: string,
  { group }: { readonly group: string },
  { kind, metadata }: KubeObject,
  errors: readonly FieldError[],
): void {
  if (errors.length > 0) throw deniedBy(webhook, invalid({ group, kind }, metadata.name ?? '', errors))
}
