import type { ConditionIn } from '../../../../api/condition-table.ts'
import type { CLAIM_CONDITIONS, POOL_CONDITIONS } from '../../api/pool-conditions.ts'
import type { ResourcePoolStatus } from '../../api/resource-pool.ts'
import type { ClaimWaiting, ResourcePoolClaim } from '../../api/claim.ts'
import type { ResourceList } from '../../../../quantity/resource-list.ts'
import type { QueueShortage } from './queue.ts'
import type { Shortage } from '../amount/capacity.ts'

/** A pool's status without the times of its conditions, which the writer of the status adds (`poolStatusChange`). */
export type PoolStatusFacts = Omit<ResourcePoolStatus, 'conditions'> & {
  readonly conditions: readonly ConditionIn<typeof POOL_CONDITIONS>[]
}

/** A condition of a claim, of one type. */
export type ClaimCondition<Type extends keyof typeof CLAIM_CONDITIONS> = ConditionIn<typeof CLAIM_CONDITIONS, Type>

/** Why a claim has no pool. */
export type RefusalReason =
  | 'no-pool-named'
  | 'pool-not-found'
  | 'pool-not-available'
  | 'resource-missing'
  | 'amount-refused'
  | 'no-quota'
  | 'ledger-full'

/** The decision of a pool about one claim. */
export type ClaimDecision =
  /** It has its room; `waited` names the resources that it was waiting for until now. */
  | { readonly verdict: 'allocated'; readonly waited?: readonly string[] }
  /** It belongs to the pool and waits for room. */
  | { readonly verdict: 'waiting'; readonly reason: 'PoolExhausted'; readonly shortages: readonly Shortage[] }
  /** It belongs to the pool and waits for older claims. */
  | { readonly verdict: 'waiting'; readonly reason: 'QueueExhausted'; readonly shortages: readonly QueueShortage[] }
  /** It wants another pool, but workloads use what it has of this one. */
  | { readonly verdict: 'held-by-use' }
  /** It may not belong to the pool. */
  | { readonly verdict: 'refused'; readonly reason: RefusalReason; readonly resource?: string; readonly why?: string }
  /** Its time is over, and it has nothing. */
  | { readonly verdict: 'ended' }
  /** It wants another pool, which says the rest. */
  | { readonly verdict: 'left' }

/** The desired state of a claim; a condition that is absent here is not touched, one that is null is removed. */
export interface ClaimOutcome {
  /** As it was given. */
  readonly claim: ResourcePoolClaim
  readonly decision: ClaimDecision
  /** `status.pool`; null: it belongs to none. */
  readonly pool: { readonly name: string; readonly uid: string } | null
  readonly conditions: {
    readonly Ready?: ClaimCondition<'Ready'>
    readonly Exhausted?: ClaimCondition<'Exhausted'> | null
    readonly Bound?: ClaimCondition<'Bound'> | null
    /** Our own: only on claims that a pool was assigned to. */
    readonly Allocated?: ClaimCondition<'Allocated'> | null
    /** Our own: only on claims that end. */
    readonly Expired?: ClaimCondition<'Expired'> | null
    /** Our own: only while the claim waits. */
    readonly Reconciling?: ClaimCondition<'Reconciling'> | null
    /** Our own: only while the claim can never be served. */
    readonly Stalled?: ClaimCondition<'Stalled'> | null
  }
  /** `status.waiting`; null: it waits for nothing. */
  readonly waiting: ClaimWaiting | null
  /** When the claim was used first, where that matters. */
  readonly boundAt?: string
  /** When the claim ends or ended. */
  readonly endsAt?: string
  /** The loose owner reference to the pool: to be there, to be gone, or left alone. */
  readonly owner: 'set' | 'removed' | 'kept'
  /** Is the release annotation done with, so that it is to be removed? */
  readonly released: boolean
  /** The pool to be written to an empty `spec.pool`. */
  readonly specPool?: string
  readonly events: readonly ClaimEvent[]
}

/** An event on a claim, with its pool as related object and the action `Reconciled`, as Capsule sends it. */
export interface ClaimEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly note: string
}

export interface PoolOutcome {
  /** The namespaces that the pool serves, sorted. */
  readonly namespaces: readonly string[]
  readonly status: PoolStatusFacts
  /** One for each claim that wants the pool or belongs to it, in the order in which they are served. */
  readonly claims: readonly ClaimOutcome[]
  /**
   * The final `spec.hard` of the pool's ResourceQuota in each served namespace, after all returned room is free; null
   * if the quota is to be deleted. `nextSteps` says which writes are possible now.
   */
  readonly quotas: ReadonlyMap<string, ResourceList | null>
  /** Should the pool have its finalizer? */
  readonly finalizer: boolean
}
