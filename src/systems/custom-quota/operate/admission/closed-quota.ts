import { qualified } from '../../../../machinery/status.ts'
import type { AdmissionRequest } from '../../../../runtime/admission/request.ts'
import type { CustomQuotaTracker } from '../tracking/quota-tracker.ts'
import type { TrackedQuota } from '../tracking/tracked-quota.ts'
import { isSameContent } from '../../decide/match-quotas.ts'

export interface ClosedQuotaOptions {
  readonly tracker: Pick<CustomQuotaTracker, 'unserved' | 'unresolved' | 'namespaces' | 'kinds'> & {
    readonly finder: Pick<CustomQuotaTracker['finder'], 'crd'>
  }
  /** Namespaces that nothing is refused in. */
  readonly exempt: ReadonlySet<string>
}

/**
 * Returns a quota that names the kind of the object and cannot count the request. Undefined where there is none. There are three reasons:
 * - The API server does not serve the version that the quota reads.
 * - The API server is being asked for the kind.
 * - The request came in another version than the quota reads, by rules from before the quota was ready. Once it is, the API server asks
 *   about such a request in the version that the quota reads, too.
 */
export function closedQuota(request: AdmissionRequest, options: ClosedQuotaOptions): TrackedQuota | undefined {
  const { operation, subResource, object, oldObject } = request
  if ((operation !== 'CREATE' && operation !== 'UPDATE') || object === undefined) return undefined
  const closed =
    find(options.tracker.unserved.quotasOf(request.resource), request, options) ??
    find(unresolved(request, options), request, options) ??
    find(unready(request, options), request, options)
  if (closed === undefined) return undefined
  return subResource === '' && operation === 'UPDATE' && isSameContent(object, oldObject) ? undefined : closed
}

function find(
  quotas: Iterable<TrackedQuota>,
  { namespace }: AdmissionRequest,
  { tracker, exempt }: ClosedQuotaOptions,
): TrackedQuota | undefined {
  for (const tracked of quotas) {
    if (namespace !== '' && (exempt.has(namespace) || (!tracked.isGlobal && tracked.namespace !== namespace))) continue
    const isUnknown = namespace !== '' && tracker.namespaces.get('', namespace) === undefined
    if (isUnknown || tracked.selection.has(namespace)) return tracked
  }
  return undefined
}

function* unresolved(request: AdmissionRequest, { tracker }: ClosedQuotaOptions): Generator<TrackedQuota> {
  const { group, kind } = written(request, tracker)
  for (const tracked of tracker.unresolved)
    if (tracked.kinds.some((one) => one.group === group && (kind === undefined || one.kind === kind))) yield tracked
}

function* unready({ resource, namespace }: AdmissionRequest, { tracker: { kinds } }: ClosedQuotaOptions) {
  for (const kind of kinds.inOtherVersions(resource))
    for (const tracked of kinds.quotasOf(kind, kind.resource.namespaced ? namespace : ''))
      if (!tracked.isReady) yield tracked
}

/** The kinds of Kubernetes that have a Scale, by resource. */
const SCALED: ReadonlyMap<string, string> = new Map([
  ['deployments.apps', 'Deployment'],
  ['replicasets.apps', 'ReplicaSet'],
  ['replicationcontrollers', 'ReplicationController'],
  ['statefulsets.apps', 'StatefulSet'],
])

/** The kind that a request writes; undefined where only its group is known. A Scale is of another kind than the object that it scales. */
function written(
  { kind, resource, subResource }: AdmissionRequest,
  { finder }: ClosedQuotaOptions['tracker'],
): { readonly group: string; readonly kind: string | undefined } {
  if (subResource !== 'scale') return kind
  const name = qualified(resource)
  return { group: resource.group, kind: SCALED.get(name) ?? finder.crd(name)?.kind }
}
