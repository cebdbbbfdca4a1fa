import { isFoundReady } from '../../decide/found-ready.ts'
import type { MatchedQuota } from '../../decide/match-quotas.ts'
import { wholeNumber } from '../../../../machinery/json-value.ts'
import type { TrackedQuota } from '../tracking/tracked-quota.ts'

/**
 * Has a leader found the quota ready, and has this replica counted it? By a spec that counts the same: whether the limit changed since
 * makes no difference, and decisions go by the limit as it is.
 */
export function isReady(tracked: TrackedQuota): boolean {
  const { status } = tracked.quota
  const observed = Number(wholeNumber(status?.observedGeneration) ?? -1n)
  return tracked.isCounted && observed >= tracked.countedSince && isFoundReady(status)
}

/**
 * The first of these quotas that is closed in the namespace, because an object there cannot be measured. What it costs is not known, so nothing
 * more may be used there. A request that makes such an object measurable is decided like any other.
 */
export function closedIn(
  namespace: string,
  raised: readonly MatchedQuota<TrackedQuota>[],
): { readonly tracked: TrackedQuota; readonly problem: string } | undefined {
  for (const { tracked, isMended } of raised) {
    const unmeasured = isMended ? undefined : tracked.unmeasuredIn(namespace)
    if (unmeasured !== undefined) return { tracked, problem: unmeasured.problem }
  }
  return undefined
}
