import { conditionOf, type NewCondition } from '../../api/condition.ts'
import {
  BOUND,
  DISASSOCIATED,
  EXHAUSTED,
  FAILED,
  IN_USE,
  NO_EXHAUSTIONS,
  UNUSED,
} from '../../api/resource-pool/names.ts'
import type { ResourcePool } from '../../api/resource-pool/resource-pool.ts'
import type { ResourcePoolClaim } from '../../api/resource-pool-claim/resource-pool-claim.ts'
import { type ResourceList, resourceNames } from '../../quantity/resource-list.ts'
import type { Case } from './cases.ts'
import { asksForRelease, belongsTo } from './claim-standing.ts'
import {
  amountRefused,
  CAUSES_EXHAUSTIONS,
  CLAIM_UNUSED,
  CLAIM_USED,
  CLAIMABLE,
  DISASSOCIATED_NOTE,
  gainedNote,
  NO_POOL_NAMED,
  POOL_NOT_AVAILABLE,
  poolHeldByUse,
  poolNotFound,
  resourceMissing,
  resourcesIn,
  waitingMessage,
} from './messages.ts'
import type { ClaimDecision, ClaimEvent, ClaimOutcome } from './pool-outcome.ts'
import { readyCondition } from './pool-status.ts'
import type { QueueVerdict } from './queue.ts'

/** Our own reason of the event on a claim that got what it waited for. */
const ALLOCATED = 'Allocated'

/** What one claim comes to. `inUse` is undefined while it is not known whether what it has is used. */
export function claimOutcome(
  pool: ResourcePool,
  { claim, standing, request }: Case,
  verdict: QueueVerdict | undefined,
  inUse: boolean | undefined,
): ClaimOutcome {
  switch (standing.kind) {
    case 'settled':
      return standing.decision.verdict === 'held-by-use'
        ? heldOutcome(pool, claim, standing.decision)
        : withoutPool(pool, claim, standing.decision)
    case 'holds':
      return inPool(pool, claim, allocated(claim, request), inUse, false)
    case 'asks':
    case 'resizes': {
      const released = standing.kind === 'asks' && standing.released
      return verdict === undefined || verdict.verdict === 'allocated'
        ? inPool(pool, claim, allocated(claim, request), inUse, released)
        : inPool(pool, claim, verdict, false, released)
    }
    default:
      return standing satisfies never
  }
}

/** What a claim comes to that has no pool, or none that exists (`strayOutcome` in choose-pool.ts). */
export function withoutPool(
  pool: ResourcePool | undefined,
  claim: ResourcePoolClaim,
  decision: Extract<ClaimDecision, { readonly verdict: 'refused' | 'left' }>,
): ClaimOutcome {
  const hadPool = claim.status?.pool !== undefined && (pool === undefined || belongsTo(claim, pool))
  // The garbage collector deletes the claims of a pool that takes them along, by their owner references.
  const goesAlong = pool?.metadata.deletionTimestamp !== undefined && pool.spec.config.deleteBoundResources
  return {
    claim,
    decision,
    pool: null,
    conditions: {
      ...(decision.verdict === 'refused' ? { Ready: readyCondition(refusalMessage(claim, decision, pool)) } : {}),
      Exhausted: null,
      Bound: null,
    },
    owner: goesAlong && !asksForRelease(claim) ? 'kept' : 'removed',
    released: hadPool && asksForRelease(claim),
    events: hadPool ? [{ type: 'Normal', reason: DISASSOCIATED, note: DISASSOCIATED_NOTE }] : [],
  }
}

function heldOutcome(pool: ResourcePool, claim: ResourcePoolClaim, decision: ClaimDecision): ClaimOutcome {
  return {
    claim,
    decision,
    pool: identityOf(pool),
    conditions: { Ready: readyCondition(poolHeldByUse(pool.metadata.name ?? '')), Bound: boundCondition(claim, true) },
    owner: 'kept',
    released: false,
    events: [],
  }
}

function inPool(
  pool: ResourcePool,
  claim: ResourcePoolClaim,
  decision: Extract<ClaimDecision, { readonly verdict: 'allocated' | 'waiting' }>,
  inUse: boolean | undefined,
  released: boolean,
): ClaimOutcome {
  const isWaiting = decision.verdict === 'waiting'
  const exhausted: NewCondition = isWaiting
    ? {
        type: EXHAUSTED,
        status: 'True',
        reason: decision.reason,
        message: waitingMessage(decision),
        ...observed(claim),
      }
    : { type: EXHAUSTED, status: 'False', reason: NO_EXHAUSTIONS, message: CLAIMABLE, ...observed(claim) }
  const bound: NewCondition | undefined = isWaiting
    ? { type: BOUND, status: 'False', reason: FAILED, message: CAUSES_EXHAUSTIONS, ...observed(claim) }
    : inUse === undefined
      ? undefined
      : boundCondition(claim, inUse)
  return {
    claim,
    decision,
    pool: identityOf(pool),
    conditions: {
      Ready: readyCondition(undefined),
      Exhausted: exhausted,
      ...(bound === undefined ? {} : { Bound: bound }),
    },
    owner: 'set',
    // Who waits has nothing to give back.
    released: released || (isWaiting && asksForRelease(claim)),
    ...(claim.spec.pool === '' ? { specPool: pool.metadata.name ?? '' } : {}),
    events: eventsOf(pool, claim, exhausted, decision),
  }
}

/** As Capsule, whose events of success are warnings (reference section 2.1.1). */
function eventsOf(
  pool: ResourcePool,
  claim: ResourcePoolClaim,
  { status, reason, message }: NewCondition,
  decision: ClaimDecision,
): readonly ClaimEvent[] {
  const old = conditionOf(claim.status?.conditions, EXHAUSTED)
  if (old?.status === status && old.reason === reason && old.message === message) return []
  const told: ClaimEvent = { type: status === 'False' ? 'Warning' : 'Normal', reason, note: message }
  const waited = decision.verdict === 'allocated' ? decision.waited : undefined
  if (waited === undefined) return [told]
  return [told, { type: 'Normal', reason: ALLOCATED, note: gainedNote(waited, pool.metadata.name ?? '') }]
}

function refusalMessage(
  claim: ResourcePoolClaim,
  { reason, resource = '' }: Extract<ClaimDecision, { readonly verdict: 'refused' }>,
  pool: ResourcePool | undefined,
): string {
  switch (reason) {
    case 'no-pool-named':
      return NO_POOL_NAMED
    case 'pool-not-found':
      return poolNotFound(claim.spec.pool)
    case 'pool-not-available':
      return POOL_NOT_AVAILABLE
    case 'resource-missing':
      return resourceMissing(resource, pool?.metadata.name ?? claim.spec.pool)
    case 'amount-refused':
      return amountRefused(resource, String(claim.spec.claim[resource] ?? ''))
    default:
      return reason satisfies never
  }
}

/**
 * It has its room, and what it waited for until now, if it did: as long as the claim itself says so, which it does until it
 * has been told. The pool may have been looked at again meanwhile.
 */
function allocated(
  { status }: ResourcePoolClaim,
  request: ResourceList,
): Extract<ClaimDecision, { readonly verdict: 'allocated' }> {
  const exhausted = conditionOf(status?.conditions, EXHAUSTED)
  if (exhausted?.status !== 'True') return { verdict: 'allocated' }
  const waited = resourcesIn(exhausted.message)
  return { verdict: 'allocated', waited: waited.length > 0 ? waited : resourceNames(request) }
}

function boundCondition(claim: ResourcePoolClaim, inUse: boolean): NewCondition {
  return inUse
    ? { type: BOUND, status: 'True', reason: IN_USE, message: CLAIM_USED, ...observed(claim) }
    : { type: BOUND, status: 'False', reason: UNUSED, message: CLAIM_UNUSED, ...observed(claim) }
}

const observed = ({ metadata: { generation } }: ResourcePoolClaim): { readonly observedGeneration?: number } =>
  generation === undefined ? {} : { observedGeneration: generation }

const identityOf = ({
  metadata: { name = '', uid = '' },
}: ResourcePool): { readonly name: string; readonly uid: string } => ({
  name,
  uid,
})
