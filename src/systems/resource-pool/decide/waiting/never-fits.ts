import { type Condition, conditionOf } from '../../../../api/condition.ts'
import { type Progress, RECONCILING, STALLED } from '../../../../api/progress.ts'
import type { ResourcePoolClaim } from '../../api/claim.ts'
import { momentOf } from '../../../../machinery/text/time.ts'

/** A claim that can never be served stalls only after this: its pool may change in the same release, a moment later. */
const PATIENCE_MS = 5_000

/** When a claim stalls whose status says that it can never be served, in milliseconds since the epoch; undefined if it has stalled, or says nothing of the kind. */
export function stallsAt(claim: ResourcePoolClaim): number | undefined {
  const since = momentOf(sayingOf(claim, RECONCILING)?.lastTransitionTime)
  return since === undefined ? undefined : since + PATIENCE_MS
}

/** How a claim stands at `now` that can never be served: it waits at first, and then somebody has to change something. */
export function neverFitsProgress(claim: ResourcePoolClaim, now: number): Progress['type'] {
  const isOver = sayingOf(claim, STALLED) !== undefined || now >= (stallsAt(claim) ?? Infinity)
  return isOver ? STALLED : RECONCILING
}

/** The condition of this type, where it says of this very generation that it can never be served. */
function sayingOf({ status, metadata }: ResourcePoolClaim, type: Progress['type']): Condition | undefined {
  const condition = conditionOf(status?.conditions, type)
  const isSaid =
    condition?.status === 'True' &&
    condition.reason === 'NeverFits' &&
    condition.observedGeneration === metadata.generation
  return isSaid ? condition : undefined
}
