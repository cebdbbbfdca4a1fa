import { FROZEN } from '../api/pool-names.ts'
import type { Steps } from './quota/quota-write-order.ts'
import type { ClaimDecision, ClaimOutcome, PoolOutcome } from './queue/pool-outcome.ts'

/**
 * The namespaces that must be looked at again with whatever happens next, after this was decided and these are the steps of the
 * pool as it is stored with it: where a quota is not as it is to be, room is on its way back, or claims depend on what others
 * get, or a claim has ended and keeps what it has, or its first use is not written yet. All others are at rest: as long as neither the pool but for its ledger, nor the namespace, its claims (but for what was
 * decided to be written to them) and its quota change, any other look comes to the same there, and what is decided elsewhere
 * does not rest on them but for what the ledger says (`within`).
 */
export function unsettledNamespaces(outcome: PoolOutcome, steps: Steps): ReadonlySet<string> {
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
