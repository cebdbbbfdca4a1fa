import { conditionOf } from '../../../../api/condition.ts'
import { BOUND, EXPIRED } from '../../api/pool-names.ts'
import type { ResourcePoolClaim } from '../../api/claim.ts'
import { parseGoDuration } from '../../../../machinery/go/duration.ts'
import { momentOf } from '../../../../machinery/text/time.ts'

/** Owners are warned so long before the end, or a tenth of the time that the claim lasts, whichever is less. */
const WARNING_MS = 3_600_000
const NANOS_PER_MS = 1_000_000n
/** The last moment that a text of RFC 3339 can name. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59)

/** When a claim ends, in milliseconds since the epoch. */
export interface ClaimEnd {
  /** Undefined while nobody knows: `ttlAfterBound` counts from the first use. */
  readonly endsAt: number | undefined
  /** From when on its owner is warned. */
  readonly warnsAt: number | undefined
  readonly isSoon: boolean
  readonly isOver: boolean
}

/** Does the claim end at all? */
export const mayEnd = (claim: ResourcePoolClaim): boolean =>
  claim.spec.expiresAt !== undefined || claim.spec.ttlAfterBound !== undefined || hasEnded(claim)

/** Did the claim end, as its status says? Then it stays ended, whatever its spec or the clock say. */
export const hasEnded = ({ status }: Pick<ResourcePoolClaim, 'status'>): boolean =>
  conditionOf(status?.conditions, EXPIRED)?.status === 'True'

/** When workloads first used a claim that has `ttlAfterBound`, as its status says: of one that got the field later, its condition. */
export function boundAtOf({
  spec,
  status,
}: {
  readonly spec: ResourcePoolClaim['spec']
  readonly status?: ResourcePoolClaim['status'] | undefined
}): string | undefined {
  if (spec.ttlAfterBound === undefined) return undefined
  const bound = conditionOf(status?.conditions, BOUND)
  return status?.boundAt ?? (bound?.status === 'True' ? bound.lastTransitionTime : undefined)
}

/** When the claim ends, and whether that was before `now`. The earlier of both fields counts. `boundAt`: when workloads first used it. */
export function endOf(claim: ResourcePoolClaim, now: number, boundAt = boundAtOf(claim)): ClaimEnd {
  const { spec, status, metadata } = claim
  if (hasEnded(claim)) return { endsAt: momentOf(status?.endsAt), warnsAt: undefined, isSoon: false, isOver: true }
  const bound = momentOf(boundAt)
  const ttl = durationOf(spec.ttlAfterBound)
  const ends = [
    { from: momentOf(metadata.creationTimestamp), at: momentOf(spec.expiresAt) },
    { from: bound, at: bound === undefined || ttl === undefined ? undefined : Math.min(bound + ttl, LAST_MS) },
  ].flatMap(({ from, at }) => (at === undefined ? [] : [{ at, from: from ?? at }]))
  const [first] = ends.toSorted((a, b) => a.at - b.at)
  if (first === undefined) return { endsAt: undefined, warnsAt: undefined, isSoon: false, isOver: false }
  const { at, from } = first
  const warnsAt = Math.ceil(at - Math.min(WARNING_MS, Math.max(0, (at - from) / 10)))
  return { endsAt: at, warnsAt, isSoon: warnsAt <= now, isOver: at <= now }
}

/** Has the time of a claim come whose status does not say so? */
export const isOverdue = (claim: ResourcePoolClaim, now: number): boolean =>
  mayEnd(claim) && !hasEnded(claim) && endOf(claim, now).isOver

/** The next moment after `now` at which something about the claim changes by itself. */
export function nextMoment(claim: ResourcePoolClaim, now: number): number | undefined {
  if (!mayEnd(claim) || hasEnded(claim)) return undefined
  const { endsAt, warnsAt } = endOf(claim, now)
  return [warnsAt, endsAt].find((at) => at !== undefined && at > now)
}

/** Milliseconds; undefined for a text that is no duration above 0. */
export function durationOf(text: string | undefined): number | undefined {
  const nanos = text === undefined ? 0n : parseGoDuration(text)
  return typeof nanos === 'string' || nanos <= 0n ? undefined : Number(nanos / NANOS_PER_MS)
}
