import type { AdmissionRequest } from '../../../../runtime/admission/admission-request.ts'
import type { CustomQuotaTracker } from '../tracking/custom-quota-tracker.ts'
import type { TrackedQuota } from '../tracking/tracked-custom-quota.ts'
import { isSameContent } from './match-quotas.ts'

export interface ClosedQuotaOptions {
  readonly tracker: Pick<CustomQuotaTracker, 'unserved' | 'unresolved' | 'namespaces'>
  /** Namespaces that nothing is refused in. */
  readonly exempt: ReadonlySet<string>
}

/**
 * Returns a quota that names the kind of the object and cannot count it: the API server does not serve the version that the quota reads, or
 * is being asked for the kind. Undefined where there is none.
 */
export function closedQuota(request: AdmissionRequest, options: ClosedQuotaOptions): TrackedQuota | undefined {
  const { operation, subResource, object, oldObject } = request
  if ((operation !== 'CREATE' && operation !== 'UPDATE') || object === undefined) return undefined
  const closed =
    find(options.tracker.unserved.quotasOf(request.resource), request, options) ??
    find(unresolved(request, options), request, options)
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

function* unresolved(
  { kind: { group, kind }, subResource }: AdmissionRequest,
  { tracker }: ClosedQuotaOptions,
): Generator<TrackedQuota> {
  for (const tracked of tracker.unresolved) {
    // The object of a subresource is of another kind.
    const isNamed = subResource !== '' || tracked.kinds.some((one) => one.group === group && one.kind === kind)
    if (isNamed) yield tracked
  }
}
