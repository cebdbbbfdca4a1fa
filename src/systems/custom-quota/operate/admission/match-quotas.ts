import { isFoundReady } from '../../decide/found-ready.ts'
import { MeasureError } from '../../decide/measure-error.ts'
import { costOf } from '../../decide/object-cost.ts'
import { NamespaceEffort } from '../../decide/quota-bounds.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { jsonEqual, wholeNumber } from '../../../../machinery/json-value.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import type { TrackedQuota } from '../tracking/tracked-quota.ts'
import type { ReviewedObject } from '../../../counted/replica/reviewed-object.ts'

/** A quota that counts the object of a request, and what the request makes the object cost. */
export interface MatchedQuota {
  readonly tracked: TrackedQuota
  readonly cost: Quantity
  /** The cost of the replaced object; 0 where there is none or it is not counted. */
  readonly oldCost: Quantity
  /** Could the quota not measure the replaced object? Then the request may be what opens its namespace again. */
  readonly isMended: boolean
}

/** A quota that cannot measure the object. */
export interface UnmeasurableQuota {
  readonly tracked: TrackedQuota
  readonly error: MeasureError
}

export interface QuotaMatches {
  readonly matched: readonly MatchedQuota[]
  /** Quotas with a mistake in their spec: what they would count is not known. */
  readonly broken: readonly TrackedQuota[]
  readonly unmeasurable: readonly UnmeasurableQuota[]
}

/** The quotas that count an object as a request leaves it, among those that count its kind in its namespace or in all. */
export function matchQuotas(
  quotas: Iterable<TrackedQuota>,
  { namespace, object, oldObject }: ReviewedObject,
): QuotaMatches {
  const matched: MatchedQuota[] = []
  const unmeasurable: UnmeasurableQuota[] = []
  const broken: TrackedQuota[] = []
  const [oldEffort, effort] = [new NamespaceEffort(), new NamespaceEffort()]
  for (const tracked of quotas) {
    if (tracked.compiled === undefined) {
      if (!isSameContent(object, oldObject)) broken.push(tracked)
      continue
    }
    if (!tracked.selection.has(namespace)) continue
    const old = oldObject === undefined ? Quantity.zero : costOrError(tracked, oldObject, oldEffort)
    const cost = costOrError(tracked, object, effort)
    if (cost instanceof MeasureError) {
      // A finalizer must be removable from an object that could not be measured before.
      if (!(old instanceof MeasureError)) unmeasurable.push({ tracked, error: cost })
    } else if (cost !== undefined) {
      const oldCost = old instanceof MeasureError || old === undefined ? Quantity.zero : old
      matched.push({ tracked, cost, oldCost, isMended: old instanceof MeasureError })
    }
  }
  return { matched, unmeasurable, broken }
}

/** Is nothing changed that a quota could count but what every controller may have to change, such as finalizers? */
export function isSameContent({ metadata, ...rest }: KubeObject, old: KubeObject | undefined): boolean {
  if (old === undefined) return false
  const { metadata: oldMetadata, ...oldRest } = old
  return jsonEqual(rest, oldRest) && jsonEqual(metadata.labels ?? {}, oldMetadata.labels ?? {})
}

function costOrError(
  { compiled, isGlobal }: TrackedQuota,
  object: ReviewedObject['object'],
  effort: NamespaceEffort,
): Quantity | MeasureError | undefined {
  if (compiled === undefined) return undefined
  try {
    return costOf(compiled, object, isGlobal ? undefined : effort)
  } catch (error) {
    if (error instanceof MeasureError) return error
    throw error
  }
}

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
  raised: readonly MatchedQuota[],
): { readonly tracked: TrackedQuota; readonly problem: string } | undefined {
  for (const { tracked, isMended } of raised) {
    const unmeasured = isMended ? undefined : tracked.unmeasuredIn(namespace)
    if (unmeasured !== undefined) return { tracked, problem: unmeasured.problem }
  }
  return undefined
}
