import { FROZEN } from '../api/pool-names.ts'
import type { Steps } from './quota/write-order.ts'
import type { ClaimDecision, ClaimOutcome, PoolOutcome } from './queue/pool-outcome.ts'

/**
 * Returns the namespaces to reconcile again after any change of the pool. A namespace is among them in these cases:
 * - Its quota is not yet as it should be, or its room is being released.
 * - One of its claims waits, or has ended and keeps its amounts, or its first use is not written yet.
 *
 * All other namespaces can be skipped (`within`) until they, their claims or their quotas change, or the pool itself
 * beyond its ledger.
 */
export function namespacesToReconcile(outcome: PoolOutcome, steps: Steps): ReadonlySet<string> {
  const waiting = outcome.claims.filter(({ decision }) => decision.verdict === 'waiting' || isBeyondShare(decision))
  const frozen = outcome.claims.filter(({ conditions }) => conditions.Expired?.reason === FROZEN)
  const counting = outcome.claims.filter(isFirstUse)
  return new Set([
    ...counting.map(({ claim }) => claim.metadata.namespace ?? ''),
    ...frozen.map(({ claim }) => claim.metadata.namespace ?? ''),
    ...waiting.map(({ claim }) => claim.metadata.namespace ?? ''),
    ...steps.writes.map(({ namespace }) => namespace),
    ...steps.waits.map(({ namespace }) => namespace),
    ...steps.excessive,
  ])
}

/** When the claim ends is known from now on. */
const isFirstUse = ({ boundAt, claim }: ClaimOutcome): boolean =>
  boundAt !== undefined && boundAt !== claim.status?.boundAt

/** The ledger may have room when claims of others are gone. */
const isBeyondShare = (decision: ClaimDecision): boolean =>
  decision.verdict === 'refused' && decision.reason === 'ledger-full'
