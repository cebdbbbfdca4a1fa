import { conditionOf } from '../../../api/condition.ts'
import { progressConditions, RECONCILING } from '../../../api/progress.ts'
import {
  ALLOCATED,
  BOUND,
  DISASSOCIATED,
  ENDED,
  EXHAUSTED,
  FAILED,
  IN_USE,
  NO_EXHAUSTIONS,
  READY,
  UNUSED,
} from '../api/pool-names.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import type { ClaimWaiting, ResourcePoolClaim } from '../api/claim.ts'
import { type ResourceList, resourceNames } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { withEnd } from './claim-end-outcome.ts'
import type { ClaimState } from './claim/state.ts'
import { asksForRelease, belongsTo } from './claim/phase.ts'
import {
  amountRefused,
  CAUSES_EXHAUSTIONS,
  CLAIM_HAS_ENDED,
  CLAIM_IS_DELETED,
  CLAIM_UNUSED,
  CLAIM_USED,
  CLAIMABLE,
  DISASSOCIATED_NOTE,
  gainedNote,
  hasFrom,
  ledgerFull,
  NO_POOL_NAMED,
  noQuota,
  POOL_NOT_AVAILABLE,
  poolHeldByUse,
  poolNotFound,
  resourceMissing,
  resourcesIn,
  waitingMessage,
} from './queue/messages.ts'
import type { ClaimCondition, ClaimDecision, ClaimEvent, ClaimOutcome } from './queue/pool-outcome.ts'
import { readyCondition } from './pool-status.ts'
import type { QueueVerdict } from './queue/queue.ts'
import { bounded } from './amount/shorten-text.ts'
import { neverFitsProgress } from './waiting/never-fits.ts'
import { type LineWaiting, waitingWithoutPool } from './waiting/waiting.ts'

/** The decision about a claim. */
export interface ClaimVerdict {
  readonly verdict?: QueueVerdict | undefined
  /** Its `status.waiting` while it waits. */
  readonly waiting?: LineWaiting | undefined
  /** Undefined while it is not known whether what it has is used. */
  readonly inUse: boolean | undefined
}

/** Returns the outcome of one claim. `now`: milliseconds since the epoch. */
export function claimOutcome(pool: ResourcePool, one: ClaimState, verdict: ClaimVerdict, now: number): ClaimOutcome {
  const isFrozen = one.phase.kind === 'holds' && one.phase.isFrozen === true
  return withEnd(decided(pool, one, verdict, now), now, isFrozen)
}

function decided(
  pool: ResourcePool,
  { claim, phase, request }: ClaimState,
  { verdict, waiting, inUse }: ClaimVerdict,
  now: number,
): ClaimOutcome {
  switch (phase.kind) {
    case 'decided':
      return phase.decision.verdict === 'held-by-use'
        ? heldOutcome(pool, claim, phase.decision)
        : withoutPool(pool, claim, phase.decision, now)
    case 'holds':
      return inPool(pool, claim, allocated(claim, request), { inUse, released: false }, now)
    case 'asks':
    case 'resizes': {
      const released = phase.kind === 'asks' && phase.released
      return verdict === undefined || verdict.verdict === 'allocated'
        ? inPool(pool, claim, allocated(claim, request), { inUse, released }, now)
        : inPool(pool, claim, verdict, { waiting, inUse: false, released }, now)
    }
    default:
      return phase satisfies never
  }
}

/** Nothing is left to be done, as with a pod or a Job that has completed: no failure, and nothing that tools should wait for. */
const READY_AND_OVER: ClaimCondition<'Ready'> = { type: READY, status: 'True', reason: ENDED, message: CLAIM_HAS_ENDED }

/**
 * Returns the outcome of a claim that has no pool, or none that exists (`strayOutcome` in choose-pool.ts). `now`: milliseconds since the epoch.
 */
export function withoutPool(
  pool: ResourcePool | undefined,
  claim: ResourcePoolClaim,
  decision: Extract<ClaimDecision, { readonly verdict: 'refused' | 'left' | 'ended' }>,
  now = -Infinity,
): ClaimOutcome {
  const hadPool = claim.status?.pool !== undefined && (pool === undefined || belongsTo(claim, pool))
  // The garbage collector deletes the claims of a pool that takes them along, by their owner references.
  const isEnding = pool?.metadata.deletionTimestamp !== undefined
  const goesAlong = isEnding && pool.spec.config.deleteBoundResources
  const isGoing = claim.metadata.deletionTimestamp !== undefined
  const refusal = decision.verdict === 'refused' ? refusalMessage(claim, decision, pool) : undefined
  const message = isGoing ? CLAIM_IS_DELETED : refusal
  const isOver = decision.verdict === 'ended' && !isGoing
  const poolName = pool?.metadata.name ?? claim.spec.pool
  const hard = (): ResourceList => amountsOf(pool?.spec.quota.hard)
  const waiting =
    decision.verdict === 'refused' && message !== undefined && !isGoing
      ? waitingWithoutPool(claim, decision.reason, { pool: poolName, isEnding, message, hard })
      : undefined
  return {
    claim,
    decision,
    pool: null,
    conditions: {
      ...(message === undefined ? {} : { Ready: readyCondition(message) }),
      ...(isOver ? { Ready: READY_AND_OVER } : {}),
      Exhausted: null,
      Bound: null,
      Allocated: null,
      ...progressOf(claim, waiting ?? (decision.verdict === 'left' && !isGoing ? LEFT : undefined), now),
    },
    waiting: waiting ?? null,
    owner: goesAlong && !asksForRelease(claim) ? 'kept' : 'removed',
    released: hadPool && asksForRelease(claim),
    events: [
      ...(hadPool ? [{ type: 'Normal', reason: DISASSOCIATED, note: DISASSOCIATED_NOTE } as const] : []),
      ...neverFitsEvents(claim, waiting),
    ],
  }
}

function heldOutcome(pool: ResourcePool, claim: ResourcePoolClaim, decision: ClaimDecision): ClaimOutcome {
  return {
    claim,
    decision,
    pool: identityOf(pool),
    conditions: {
      Ready: readyCondition(poolHeldByUse(pool.metadata.name ?? '')),
      Bound: boundCondition(claim, true),
      Allocated: allocatedCondition(pool, claim, undefined),
      ...progressOf(claim, { reason: 'PoolInUse', message: poolHeldByUse(pool.metadata.name ?? '') }),
    },
    waiting: null,
    owner: 'kept',
    released: false,
    events: [],
  }
}

function inPool(
  pool: ResourcePool,
  claim: ResourcePoolClaim,
  decision: Extract<ClaimDecision, { readonly verdict: 'allocated' | 'waiting' }>,
  { waiting, inUse, released }: Omit<ClaimVerdict, 'verdict'> & { readonly released: boolean },
  now: number,
): ClaimOutcome {
  const isWaiting = decision.verdict === 'waiting'
  const exhausted: ClaimCondition<'Exhausted'> = isWaiting
    ? {
        type: EXHAUSTED,
        status: 'True',
        reason: decision.reason,
        message: keptMessage(claim, decision.reason, waiting) ?? bounded(waitingMessage(decision)),
        ...observed(claim),
      }
    : { type: EXHAUSTED, status: 'False', reason: NO_EXHAUSTIONS, message: CLAIMABLE, ...observed(claim) }
  const bound: ClaimCondition<'Bound'> | undefined = isWaiting
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
      Allocated: allocatedCondition(pool, claim, waiting),
      ...progressOf(claim, waiting, now),
    },
    waiting: waiting ?? null,
    owner: 'set',
    // A waiting claim has nothing to give back.
    released: released || (isWaiting && asksForRelease(claim)),
    ...(claim.spec.pool === '' ? { specPool: pool.metadata.name ?? '' } : {}),
    events: [...eventsOf(pool, claim, exhausted, decision), ...neverFitsEvents(claim, waiting)],
  }
}

/** The events of Capsule, except that a problem is a warning and a success is not. */
function eventsOf(
  pool: ResourcePool,
  claim: ResourcePoolClaim,
  { status, reason, message }: ClaimCondition<'Exhausted'>,
  decision: ClaimDecision,
): readonly ClaimEvent[] {
  const old = conditionOf(claim.status?.conditions, EXHAUSTED)
  if (old?.status === status && old.reason === reason && old.message === message) return []
  const event: ClaimEvent = { type: status === 'False' ? 'Normal' : 'Warning', reason, note: message }
  const waited = decision.verdict === 'allocated' ? decision.waited : undefined
  if (waited === undefined) return [event]
  return [event, { type: 'Normal', reason: ALLOCATED, note: gainedNote(waited, pool.metadata.name ?? '') }]
}

/**
 * Returns an event when it becomes known that the claim can never be served. Then the pool is too small, or no quota
 * may have the amount.
 */
function neverFitsEvents({ status }: ResourcePoolClaim, waiting: ClaimWaiting | undefined): readonly ClaimEvent[] {
  if (waiting?.reason !== 'NeverFits' || status?.waiting?.reason === 'NeverFits') return []
  return [{ type: 'Warning', reason: waiting.reason, note: waiting.message }]
}

/**
 * Returns the earlier message of a claim that waits far behind, if only amounts would change. Otherwise thousands of
 * claims would be written whenever one gets its room.
 */
function keptMessage(
  { status, metadata }: ResourcePoolClaim,
  reason: string,
  waiting: ClaimWaiting | undefined,
): string | undefined {
  if (waiting?.position !== undefined) return undefined
  const old = conditionOf(status?.conditions, EXHAUSTED)
  const isSame = old?.status === 'True' && old.reason === reason && old.observedGeneration === metadata.generation
  return isSame ? old.message : undefined
}

/** Our own: whether the claim has what it asks of the pool that it was assigned to. */
function allocatedCondition(
  pool: ResourcePool,
  claim: ResourcePoolClaim,
  waiting: LineWaiting | undefined,
): ClaimCondition<'Allocated'> {
  return waiting === undefined
    ? {
        type: ALLOCATED,
        status: 'True',
        reason: ALLOCATED,
        message: hasFrom(pool.metadata.name ?? ''),
        ...observed(claim),
      }
    : { type: ALLOCATED, status: 'False', reason: waiting.reason, message: waiting.message, ...observed(claim) }
}

/** A claim whose pool is still to decide. */
const LEFT = { reason: 'PoolDecides', message: 'the pool is still to decide about the claim' } as const

/** A claim that can never be served waits for somebody to change it, or its pool. */
function progressOf(
  claim: ResourcePoolClaim,
  waiting: Pick<ClaimCondition<'Reconciling'>, 'reason' | 'message'> | undefined,
  now = -Infinity,
): Pick<ClaimOutcome['conditions'], 'Reconciling' | 'Stalled'> {
  const { observedGeneration } = observed(claim)
  const none = progressConditions<never>(undefined)
  if (waiting === undefined) return none
  const { reason, message } = waiting
  if (reason === 'NeverFits')
    return progressConditions({ type: neverFitsProgress(claim, now), reason, message }, observedGeneration)
  const { Reconciling } = progressConditions({ type: RECONCILING, reason, message }, observedGeneration)
  return { ...none, Reconciling }
}

function refusalMessage(
  claim: ResourcePoolClaim,
  { reason, resource = '', why = '' }: Extract<ClaimDecision, { readonly verdict: 'refused' }>,
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
    case 'no-quota':
      return noQuota(pool?.metadata.name ?? claim.spec.pool, claim.metadata.namespace ?? '', why)
    case 'ledger-full':
      return ledgerFull(pool?.metadata.name ?? claim.spec.pool, claim.metadata.namespace ?? '')
    case 'amount-refused':
      return amountRefused(resource, String(claim.spec.claim[resource] ?? ''))
    default:
      return reason satisfies never
  }
}

/**
 * Returns the verdict of a claim that has its room, with the resources that it waited for, if any. The status of the
 * claim names them until it is written again. The pool may have been reconciled several times meanwhile.
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

function boundCondition(claim: ResourcePoolClaim, inUse: boolean): ClaimCondition<'Bound'> {
  return inUse
    ? { type: BOUND, status: 'True', reason: IN_USE, message: CLAIM_USED, ...observed(claim) }
    : { type: BOUND, status: 'False', reason: UNUSED, message: CLAIM_UNUSED, ...observed(claim) }
}

const observed = ({ metadata: { generation } }: ResourcePoolClaim): { readonly observedGeneration?: number } =>
  typeof generation === 'number' ? { observedGeneration: generation } : {}

const identityOf = ({
  metadata: { name = '', uid = '' },
}: ResourcePool): { readonly name: string; readonly uid: string } => ({
  name,
  uid,
})
