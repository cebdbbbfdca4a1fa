import { resourcePool } from '../api/resource-pool.ts'
import { isResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { servesNamespace } from '../decide/select-namespaces.ts'
import type { OwnerReference } from '../../../machinery/object.ts'
import { type AdmissionDecision, allowed, denied } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { harmOf, type KeptMarks, refusalOf } from '../../generated-quota/operate/harmless-change.ts'
import type { PoolCaches } from './pool-caches.ts'

export interface QuotaGuardOptions {
  readonly caches: PoolCaches
  /** The name that the API server knows the operator by; undefined while it is not known. */
  readonly ownName: () => string | undefined
}

/**
 * Decides on changes and deletions of the ResourceQuota of a pool (docs/concepts/resource-pools.md). Tenants may not
 * make them:
 * - The operator may do everything.
 * - The cluster's collectors may delete it, but not change its limits.
 * - Controllers that count may write its status.
 * - All users may delete a quota that its pool does not want, and make changes without effect.
 */
export function guardQuota(request: AdmissionRequest, { caches, ownName }: QuotaGuardOptions): AdmissionDecision {
  const { operation, oldObject } = request
  const own = ownName()
  // An operator that cannot distinguish its own writes lets all through: an unwanted change is reverted at once.
  if (own === undefined || request.userInfo.username === own) return allowed()
  if (oldObject === undefined || !isResourceQuota(oldObject)) return allowed()
  const owner = (oldObject.metadata.ownerReferences ?? []).find(isPool)
  const pool = owner === undefined ? undefined : caches.pools.get('', owner.name)
  if (owner === undefined || pool === undefined || pool.metadata.uid !== owner.uid) return allowed()
  const harm = harmOf(request, oldObject, MARKS)
  if (harm === undefined) return allowed()
  const namespace = caches.namespaces.get('', oldObject.metadata.namespace ?? '')
  if (operation === 'DELETE' && (namespace === undefined || !servesNamespace(pool, namespace))) return allowed()
  return denied(refusalOf(harm, request, `ResourcePool ${owner.name}`, INSTEAD))
}

const INSTEAD = 'change the pool or the claims of the namespace instead'

const isPool = ({ apiVersion, kind }: OwnerReference): boolean =>
  kind === resourcePool.kind && apiVersion.split('/')[0] === resourcePool.group

/** Labels and annotations of these domains, and below them, are allot's and Capsule's. */
const MARKS: KeptMarks = { isKeeper: isPool, ownDomain: /^(?:[^/]+\.)?(?:allot\.dev|projectcapsule\.dev)\// }
