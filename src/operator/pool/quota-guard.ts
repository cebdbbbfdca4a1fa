import { resourcePool } from '../../api/resource-pool/resource-pool.ts'
import { isResourceQuota, type ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import { isCrowded, metadataBytes } from '../../grants/pools/foreign-metadata.ts'
import { servesNamespace } from '../../grants/pools/select-namespaces.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { OwnerReference } from '../../machinery/object.ts'
import { type AdmissionDecision, allowed, denied } from '../../runtime/admission-decision.ts'
import type { AdmissionRequest } from '../../runtime/admission-request.ts'
import { CLUSTER_COLLECTORS, CONTROLLER_MANAGER, NAMESPACE_EMPTIERS } from '../cluster-collectors.ts'
import type { HookCondition } from '../webhook-configuration.ts'
import type { PoolCaches } from './pool-caches.ts'

export interface QuotaGuardOptions {
  readonly caches: PoolCaches
  /** The name that the API server knows the operator by; undefined while it is not known. */
  readonly ownName: () => string | undefined
}

const COLLECTOR_NAMES: ReadonlySet<string> = new Set(CLUSTER_COLLECTORS)

/** Who counts: API servers charge what they admit, the controller takes new limits over and counts anew. */
const COUNTERS = [
  'system:apiserver',
  CONTROLLER_MANAGER,
  'system:serviceaccount:kube-system:resourcequota-controller',
] as const
const COUNTER_NAMES: ReadonlySet<string> = new Set(COUNTERS)

const isNone = (names: readonly string[]): string =>
  `!(request.userInfo.username in [${names.map((name) => `'${name}'`).join(', ')}])`

/** Keeps the webhook of statuses out of every charge: who counts is not asked about. */
export const NOT_COUNTED: HookCondition = { name: 'nobody-who-counts', expression: isNone(COUNTERS) }

/** Lets the cluster's collectors delete, and change owners and finalizers, but not what the quota allows. */
export const NOT_COLLECTED: HookCondition = {
  name: 'nobody-who-collects',
  expression: `${isNone(CLUSTER_COLLECTORS)} || (request.operation == 'UPDATE' && object.spec != oldObject.spec)`,
}

/** Lets a namespace go with what is in it. Who deletes for owners is asked about: anybody may give an object one. */
export const NOT_LEAVING: HookCondition = {
  name: 'nobody-who-empties-namespaces',
  expression: `request.operation != 'DELETE' || ${isNone(NAMESPACE_EMPTIERS)}`,
}

/**
 * Decides who may change or delete the ResourceQuota of a pool (the design: "tenants may not change or delete them"): the
 * operator; the cluster's collectors, but not what it allows; and its status who counts. Anybody may delete one that its pool
 * does not want, and change what means nothing.
 */
export function guardQuota(request: AdmissionRequest, { caches, ownName }: QuotaGuardOptions): AdmissionDecision {
  const { operation, oldObject } = request
  const own = ownName()
  // Who cannot tell its own writes from others' lets all through: what should not be is put back at once.
  if (own === undefined || request.userInfo.username === own) return allowed()
  if (oldObject === undefined || !isResourceQuota(oldObject)) return allowed()
  const owner = (oldObject.metadata.ownerReferences ?? []).find(isPool)
  const pool = owner === undefined ? undefined : caches.pools.get('', owner.name)
  if (owner === undefined || pool === undefined || pool.metadata.uid !== owner.uid) return allowed()
  if (mayDo(request, oldObject)) return allowed()
  const namespace = caches.namespaces.get('', oldObject.metadata.namespace ?? '')
  if (operation === 'DELETE' && (namespace === undefined || !servesNamespace(pool, namespace))) return allowed()
  const what = request.subResource === 'status' ? 'status of the ResourceQuota' : 'ResourceQuota'
  const verb = operation === 'DELETE' ? 'deleted' : 'changed'
  const instead = 'change the pool or the claims of the namespace instead'
  return denied(`the ${what} is kept by the ResourcePool ${owner.name} and cannot be ${verb}; ${instead}`)
}

function mayDo(
  { operation, subResource, object, userInfo: { username } }: AdmissionRequest,
  old: ResourceQuota,
): boolean {
  if (operation === 'DELETE') return COLLECTOR_NAMES.has(username)
  if (operation !== 'UPDATE' || object === undefined || !isResourceQuota(object)) return false
  if (subResource !== 'status')
    return meansTheSame(object, old) || (COLLECTOR_NAMES.has(username) && allowsTheSame(object, old))
  // A write to the status may change labels and owners as well.
  return COUNTER_NAMES.has(username) || (meansTheSame(object, old) && jsonEqual(object.status ?? {}, old.status ?? {}))
}

const allowsTheSame = ({ spec }: ResourceQuota, old: ResourceQuota): boolean => jsonEqual(spec ?? {}, old.spec ?? {})

/** Labels and annotations of these domains, and below them, are allot's and Capsule's. */
const OWN_DOMAIN = /^(?:[^/]+\.)?(?:allot\.dev|projectcapsule\.dev)\//

/** Owners and finalizers may go, those of the pool aside, but none may come: they would keep the quota from going or take it along. */
function meansTheSame(quota: ResourceQuota, old: ResourceQuota): boolean {
  const of = ({ metadata: { labels = {}, annotations = {}, ownerReferences = [] } }: ResourceQuota): unknown => [
    ownAmong(labels),
    ownAmong(annotations),
    ownerReferences.filter(isPool),
  ]
  const { ownerReferences = [], finalizers = [] } = quota.metadata
  const had = old.metadata
  return (
    allowsTheSame(quota, old) &&
    jsonEqual(of(quota), of(old)) &&
    (!isCrowded(quota.metadata) || metadataBytes(quota.metadata) <= metadataBytes(had)) &&
    ownerReferences.every((owner) => had.ownerReferences?.some((other) => jsonEqual(owner, other))) &&
    finalizers.every((finalizer) => had.finalizers?.includes(finalizer))
  )
}

const ownAmong = (entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(entries).filter(([name]) => OWN_DOMAIN.test(name)))

const isPool = ({ apiVersion, kind }: OwnerReference): boolean =>
  kind === resourcePool.kind && apiVersion.split('/')[0] === resourcePool.group
