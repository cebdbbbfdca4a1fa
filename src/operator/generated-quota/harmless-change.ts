import { isResourceQuota, type ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import { crowds } from '../../grants/foreign-metadata.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { OwnerReference } from '../../machinery/object.ts'
import type { AdmissionRequest } from '../../runtime/admission/admission-request.ts'
import { CLUSTER_COLLECTORS, CONTROLLER_MANAGER, isByNone, NAMESPACE_EMPTIERS } from '../cluster-collectors.ts'
import type { HookCondition } from '../webhook-configuration.ts'

const COLLECTOR_NAMES: ReadonlySet<string> = new Set(CLUSTER_COLLECTORS)

/** The users that count: API servers charge the requests they admit, and the controller copies new limits and counts anew. */
const COUNTERS = [
  'system:apiserver',
  CONTROLLER_MANAGER,
  'system:serviceaccount:kube-system:resourcequota-controller',
] as const
const COUNTER_NAMES: ReadonlySet<string> = new Set(COUNTERS)

/** Keeps the webhook of statuses out of every charge: who counts is not asked about. */
export const NOT_COUNTED: HookCondition = { name: 'nobody-who-counts', expression: isByNone(COUNTERS) }

/** Lets the cluster's collectors delete, and change owners and finalizers, but not what the quota allows. */
export const NOT_COLLECTED: HookCondition = {
  name: 'nobody-who-collects',
  expression: `${isByNone(CLUSTER_COLLECTORS)} || (request.operation == 'UPDATE' && object.spec != oldObject.spec)`,
}

/** Lets a namespace go with its objects. Requests that delete for owners are reviewed: anybody may give an object an owner. */
export const NOT_LEAVING: HookCondition = {
  name: 'nobody-who-empties-namespaces',
  expression: `request.operation != 'DELETE' || ${isByNone(NAMESPACE_EMPTIERS)}`,
}

/** The marks of the ResourceQuotas that a system keeps. */
export interface KeptMarks {
  /** Is it the owner that the system gives its quotas? */
  readonly isKeeper: (owner: OwnerReference) => boolean
  /** Labels and annotations with such a prefix mean something to the system. */
  readonly ownDomain: RegExp
}

/**
 * May the user of this request do it to a ResourceQuota that a system keeps? Collectors may, but not to its limits; users that count may,
 * to its status; and all users may make changes without effect.
 */
export function isHarmless(
  { operation, subResource, object, userInfo: { username } }: AdmissionRequest,
  old: ResourceQuota,
  marks: KeptMarks,
): boolean {
  if (operation === 'DELETE') return COLLECTOR_NAMES.has(username)
  if (operation !== 'UPDATE' || object === undefined || !isResourceQuota(object)) return false
  const isSame = meansTheSame(object, old, marks)
  if (subResource !== 'status') return isSame || (COLLECTOR_NAMES.has(username) && allowsTheSame(object, old))
  // A write to the status may change labels and owners as well.
  return COUNTER_NAMES.has(username) || (isSame && jsonEqual(object.status ?? {}, old.status ?? {}))
}

const allowsTheSame = ({ spec }: ResourceQuota, old: ResourceQuota): boolean => jsonEqual(spec ?? {}, old.spec ?? {})

/** Owners and finalizers may go, the keeper aside, but none may come: they would keep the quota from going or take it along. */
function meansTheSame(quota: ResourceQuota, old: ResourceQuota, { isKeeper, ownDomain }: KeptMarks): boolean {
  const ownAmong = (entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => ownDomain.test(name)))
  const of = ({ metadata: { labels = {}, annotations = {}, ownerReferences = [] } }: ResourceQuota): unknown => [
    ownAmong(labels),
    ownAmong(annotations),
    ownerReferences.filter(isKeeper),
  ]
  const { ownerReferences = [], finalizers = [] } = quota.metadata
  const had = old.metadata
  return (
    allowsTheSame(quota, old) &&
    jsonEqual(of(quota), of(old)) &&
    !crowds(quota, old) &&
    ownerReferences.every((owner) => had.ownerReferences?.some((other) => jsonEqual(owner, other))) &&
    finalizers.every((finalizer) => had.finalizers?.includes(finalizer))
  )
}
