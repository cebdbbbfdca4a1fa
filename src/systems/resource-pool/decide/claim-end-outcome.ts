import { conditionOf } from '../../../api/condition.ts'
import { ENDED, ENDS_SOON, EXPIRED, FROZEN, LASTS } from '../api/pool-names.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import { boundAtOf, type ClaimEnd, endOf, mayEnd } from './end/claim.ts'
import type { ClaimCondition, ClaimEvent, ClaimOutcome } from './queue/pool-outcome.ts'
import { timeText } from '../../../machinery/text/time.ts'

/** The outcome of a claim with what is to be said about its end. `now`: milliseconds since the epoch. */
export function withEnd(outcome: ClaimOutcome, now: number, isFrozen: boolean): ClaimOutcome {
  const { claim, conditions, events } = outcome
  if (!mayEnd(claim)) {
    const hadEnd = conditionOf(claim.status?.conditions, EXPIRED) !== undefined
    return hadEnd ? { ...outcome, conditions: { ...conditions, Expired: null } } : outcome
  }
  const boundAt = firstUseOf(outcome, now)
  const end = endAsDecided(outcome, endOf(claim, now, boundAt), isFrozen)
  const expired = expiredCondition(claim, end, isFrozen)
  return {
    ...outcome,
    conditions: { ...conditions, Expired: expired },
    ...(boundAt === undefined ? {} : { boundAt }),
    ...(end.endsAt === undefined ? {} : { endsAt: timeText(end.endsAt) }),
    events: [...events, ...eventsOf(claim, expired)],
  }
}

/** When the claim was used first. One that has lost its amounts begins anew when it gets some again. */
function firstUseOf(outcome: ClaimOutcome, now: number): string | undefined {
  const { claim, decision, conditions } = outcome
  if (claim.spec.ttlAfterBound === undefined) return undefined
  if (decision.verdict === 'ended') return boundAtOf(claim)
  if (!keepsAmounts(outcome)) return undefined
  const isUsed = conditions.Bound?.status === 'True' && Number.isFinite(now)
  return boundAtOf(claim) ?? (isUsed ? timeText(Math.floor(now / 1000) * 1000) : undefined)
}

/**
 * A claim whose first use is found now may be over already. The decision was made before, so it keeps its amounts until
 * the next look.
 */
function endAsDecided(outcome: ClaimOutcome, end: ClaimEnd, isFrozen: boolean): ClaimEnd {
  return end.isOver && !isFrozen && keepsAmounts(outcome) ? { ...end, isSoon: true, isOver: false } : end
}

const keepsAmounts = ({ decision: { verdict } }: ClaimOutcome): boolean =>
  verdict === 'allocated' || verdict === 'held-by-use'

function expiredCondition(claim: ResourcePoolClaim, end: ClaimEnd, isFrozen: boolean): ClaimCondition<'Expired'> {
  const { generation } = claim.metadata
  const observed = typeof generation === 'number' ? { observedGeneration: generation } : {}
  return { type: EXPIRED, ...reasonOf(claim, end, isFrozen), ...observed }
}

/** What differs from reason to reason, of each condition of a union. */
type Stated<One> = One extends ClaimCondition<'Expired'> ? Pick<One, 'status' | 'reason' | 'message'> : never

function reasonOf(
  { spec }: ResourcePoolClaim,
  { endsAt, isSoon, isOver }: ClaimEnd,
  isFrozen: boolean,
): Stated<ClaimCondition<'Expired'>> {
  const at = endsAt === undefined ? '' : ` at ${timeText(endsAt)}`
  if (isOver)
    return isFrozen
      ? {
          status: 'True',
          reason: FROZEN,
          message: `the claim ended${at} while workloads use its amounts; these go back to the pool when workloads need them no more`,
        }
      : { status: 'True', reason: ENDED, message: `the claim ended${at}; its amounts belong to the pool again` }
  if (endsAt === undefined)
    return {
      status: 'False',
      reason: LASTS,
      message: `the claim ends ${spec.ttlAfterBound ?? ''} after workloads first use it`,
    }
  return isSoon
    ? {
        status: 'False',
        reason: ENDS_SOON,
        message: `the claim ends soon,${at}; its amounts go back to the pool then, or when workloads need them no more`,
      }
    : { status: 'False', reason: LASTS, message: `the claim ends${at}` }
}

/** One event before the end, and one when it comes. */
function eventsOf(claim: ResourcePoolClaim, { reason, message }: ClaimCondition<'Expired'>): readonly ClaimEvent[] {
  const old = conditionOf(claim.status?.conditions, EXPIRED)
  if (reason === LASTS || old?.reason === reason) return []
  return [{ type: reason === ENDED ? 'Normal' : 'Warning', reason, note: message }]
}
