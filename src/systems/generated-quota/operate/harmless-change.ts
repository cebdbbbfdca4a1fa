import { isResourceQuota, type ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { type Crowding, crowdingOf } from '../decide/foreign-metadata.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { OwnerReference } from '../../../machinery/object.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import {
  CLUSTER_COLLECTORS,
  CONTROLLER_MANAGER,
  isByNone,
  NAMESPACE_EMPTIERS,
} from '../../../operator/cluster/collectors.ts'
import type { HookCondition } from '../../../operator/webhook/configuration.ts'

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

/** The things that a request must not do: change or delete what the system keeps, or what the parts of a sentence say. */
export type Harm = 'kept' | Crowding

/**
 * The reason why the user of this request may not do it to a ResourceQuota that a system keeps. Collectors may, but not to its limits;
 * users that count may, to its status; and all users may make changes without effect.
 */
export function harmOf(
  { operation, subResource, object, userInfo: { username } }: AdmissionRequest,
  old: ResourceQuota,
  marks: KeptMarks,
): Harm | undefined {
  if (operation === 'DELETE') return COLLECTOR_NAMES.has(username) ? undefined : 'kept'
  if (operation !== 'UPDATE' || object === undefined || !isResourceQuota(object)) return 'kept'
  // A write to the status may change labels and owners as well.
  const isStatus = subResource === 'status'
  if (isStatus ? COUNTER_NAMES.has(username) : COLLECTOR_NAMES.has(username) && allowsTheSame(object, old))
    return undefined
  if (!allowsTheSame(object, old) || (isStatus && !jsonEqual(object.status ?? {}, old.status ?? {}))) return 'kept'
  return marksTheSame(object, old, marks) ? (additionOf(object, old) ?? crowdingOf(object, old)) : 'kept'
}

const allowsTheSame = ({ spec }: ResourceQuota, old: ResourceQuota): boolean => jsonEqual(spec ?? {}, old.spec ?? {})

function marksTheSame(quota: ResourceQuota, old: ResourceQuota, { isKeeper, ownDomain }: KeptMarks): boolean {
  const ownAmong = (entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => ownDomain.test(name)))
  const of = ({ metadata: { labels = {}, annotations = {}, ownerReferences = [] } }: ResourceQuota): unknown => [
    ownAmong(labels),
    ownAmong(annotations),
    ownerReferences.filter(isKeeper),
  ]
  return jsonEqual(of(quota), of(old))
}

/** Owners and finalizers may go, but none may come: they would keep the quota from going or take it along. */
function additionOf({ metadata }: ResourceQuota, { metadata: had }: ResourceQuota): Crowding | undefined {
  const { ownerReferences = [], finalizers = [] } = metadata
  const instead = 'leave them out'
  if (!ownerReferences.every((owner) => had.ownerReferences?.some((other) => jsonEqual(owner, other))))
    return { cannot: 'get other owners', instead }
  if (!finalizers.every((finalizer) => had.finalizers?.includes(finalizer)))
    return { cannot: 'get finalizers', instead }
  return undefined
}

/** The sentence of a refusal. `keeper`: the object that keeps the quota; `instead`: what to do where nothing may be done to the quota itself. */
export function refusalOf(harm: Harm, request: AdmissionRequest, keeper: string, instead: string): string {
  if (harm !== 'kept') return `the ResourceQuota is kept by the ${keeper} and cannot ${harm.cannot}; ${harm.instead}`
  const what = request.subResource === 'status' ? 'status of the ResourceQuota' : 'ResourceQuota'
  const verb = request.operation === 'DELETE' ? 'deleted' : 'changed'
  return `the ${what} is kept by the ${keeper} and cannot be ${verb}; ${instead}`
}
