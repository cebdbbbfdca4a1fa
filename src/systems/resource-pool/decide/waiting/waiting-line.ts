import type { PoolWaitingClaim, ResourcePool } from '../../api/resource-pool.ts'
import type { ClaimState } from '../claim/state.ts'
import type { QueueVerdict } from '../queue/queue.ts'
import { LISTED, waitingInLine, type LineWaiting } from './waiting.ts'

/** The claims that wait in a pool, in the order in which they are served. */
export interface WaitingLine {
  readonly count: number
  /** The `status.waiting` of each claim. */
  readonly waiting: ReadonlyMap<ClaimState, LineWaiting>
  /** The first of them, as the pool lists them; those that stand aside come last. */
  readonly first: readonly PoolWaitingClaim[]
  /** The first that never fits, and so keeps others waiting. */
  readonly blockedBy: PoolWaitingClaim | undefined
}

/** Puts the claims that wait in line. Only the first ones know their places: else each change would be written to all. */
export function waitingLine(
  pool: ResourcePool,
  states: readonly ClaimState[],
  verdicts: ReadonlyMap<ClaimState, QueueVerdict>,
): WaitingLine {
  const all = states.filter((one) => verdicts.get(one)?.verdict === 'waiting')
  const line = [...all.filter(({ standsAside }) => standsAside !== true), ...all.filter((one) => one.standsAside)]
  const of = line.filter(({ standsAside }) => standsAside !== true).length
  const waiting = new Map<ClaimState, LineWaiting>()
  const first: PoolWaitingClaim[] = []
  let blockedBy: PoolWaitingClaim | undefined
  for (const [at, one] of line.entries()) {
    const verdict = verdicts.get(one)
    if (verdict?.verdict !== 'waiting') continue
    const status = waitingInLine(one, verdict, at < Math.min(of, LISTED) ? at + 1 : undefined)
    waiting.set(one, status)
    if (at >= LISTED && status.reason !== 'NeverFits') continue
    const { message: _, ...rest } = status
    const listed: PoolWaitingClaim = { namespace: one.namespace, name: one.claim.metadata.name ?? '', ...rest }
    if (at < LISTED) first.push(listed)
    const blocks = status.reason === 'NeverFits' && one.standsAside !== true && pool.spec.config.orderedQueue
    if (blocks) blockedBy ??= listed
  }
  return { count: line.length, waiting, first, blockedBy }
}
