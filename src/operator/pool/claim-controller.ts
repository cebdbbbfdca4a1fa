import type { ResourcePool } from '../../api/resource-pool/resource-pool.ts'
import type { ClaimOutcome } from '../../grants/pools/queue/pool-outcome.ts'
import { isConflict } from '../../machinery/status.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { Controller, ReconcileRequest, ReconcileResult } from '../shell/controller.ts'
import type { Parts } from '../shell/dirty-set.ts'
import type { ClaimWriter, PendingClaim } from './claim-writer.ts'
import { CLAIMS } from './pool-controllers.ts'

export interface ClaimControllerOptions {
  readonly writer: ClaimWriter
  readonly clock: Pick<Clock, 'monotonic'>
  /** Asks for the claim to be written: `namespace/name`. */
  readonly enqueue: (request: ReconcileRequest) => void
  /** Asks for another look at a namespace of a pool. */
  readonly lookAtPool: (pool: string, namespace: string) => void
  /** Asks for another look at a claim that no pool decides about; `namespace/name`. */
  readonly lookAtStray: (key: string) => void
}

/** How many claims are written at a time. */
const WORKERS = 16

/** How long a claim waits until its quota is enforced, which then is written together with all else. */
const UNTIL_ENFORCED_MS = 100

interface Pending extends PendingClaim {
  /** Not before this time of the monotonic clock. */
  readonly notBefore: number
}

/**
 * Writes to claims what was decided about them, beside the pools: thousands of claims must not keep a pool from being looked
 * at again. Only the latest decision about a claim counts.
 */
export class ClaimController implements Controller {
  readonly name = CLAIMS
  readonly workers = WORKERS
  readonly sources = []
  readonly #options: ClaimControllerOptions
  readonly #pending = new Map<string, Pending>()

  constructor(options: ClaimControllerOptions) {
    this.#options = options
  }

  /** Takes the latest decisions about claims; gives how many of these claims are not as they were decided yet. */
  put(outcomes: readonly ClaimOutcome[], pool: ResourcePool | undefined): number {
    const { writer, clock, enqueue } = this.#options
    const pending = writer.pending(outcomes, pool)
    const before = pending.map(({ outcome }) => this.#pending.get(keyOf(outcome.claim.metadata)))
    if (this.#pending.size > 0) for (const { claim } of outcomes) this.#pending.delete(keyOf(claim.metadata))
    const now = clock.monotonic()
    for (const [at, one] of pending.entries()) {
      const key = keyOf(one.outcome.claim.metadata)
      const notBefore = isNotEnforced(one.outcome) ? (before[at]?.notBefore ?? now + UNTIL_ENFORCED_MS) : now
      this.#pending.set(key, { ...one, notBefore })
      enqueue({ key })
    }
    return pending.length
  }

  async reconcile(key: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { writer, clock } = this.#options
    const pending = this.#pending.get(key)
    if (pending === undefined) return {}
    const wait = pending.notBefore - clock.monotonic()
    if (wait > 0) return { requeueAfter: Math.ceil(wait) }
    let isOvertaken = false
    try {
      await writer.write(pending, signal)
    } catch (error) {
      // Another write was faster, so what was decided is to be decided anew.
      if (!isConflict(error)) throw error
      isOvertaken = true
    }
    if (this.#pending.get(key) === pending) this.#pending.delete(key)
    // A claim that has what was decided needs no other look, but a pool may wait until its claims have left.
    if (isOvertaken || pending.outcome.pool === null) this.#lookAgain(key, pending)
    return {}
  }

  #lookAgain(key: string, { pool, outcome }: PendingClaim): void {
    const { lookAtPool, lookAtStray } = this.#options
    if (pool?.metadata.name !== undefined) lookAtPool(pool.metadata.name, outcome.claim.metadata.namespace ?? '')
    if (outcome.pool === null) lookAtStray(key)
  }
}

/** Has the claim its room, while it is not known yet whether the quota allows it? */
const isNotEnforced = ({ decision, conditions }: ClaimOutcome): boolean =>
  decision.verdict === 'allocated' && conditions.Bound === undefined

const keyOf = ({ namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string }): string =>
  `${namespace}/${name}`
