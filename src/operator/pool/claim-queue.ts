import type { ResourcePool } from '../../api/resource-pool/resource-pool.ts'
import type { ClaimOutcome } from '../../grants/pools/pool-outcome.ts'
import { isConflict } from '../../machinery/status.ts'
import type { WorkQueue } from '../../runtime/work-queue.ts'
import type { ClaimWriter, PendingClaim } from './claim-writer.ts'

export interface ClaimQueueOptions {
  readonly writer: ClaimWriter
  /** Asks for another look at a namespace of a pool. */
  readonly lookAtPool: (pool: string, namespace: string) => void
  /** Asks for another look at a claim that no pool decides about; `namespace/name`. */
  readonly lookAtStray: (key: string) => void
  /** Makes the queue that does the work for a key. */
  readonly queue: (work: (key: string, signal: AbortSignal) => Promise<void>) => WorkQueue
}

/**
 * Writes to claims what was decided about them, beside the pools: thousands of claims must not keep a pool from being looked
 * at again. Only the latest decision about a claim counts.
 */
export class ClaimQueue {
  readonly #options: ClaimQueueOptions
  readonly #queue: WorkQueue
  readonly #pending = new Map<string, PendingClaim>()

  constructor(options: ClaimQueueOptions) {
    this.#options = options
    this.#queue = options.queue((key, signal) => this.#write(key, signal))
  }

  /** Takes the latest decisions about claims; gives how many of these claims are not as they were decided yet. */
  put(outcomes: readonly ClaimOutcome[], pool: ResourcePool | undefined): number {
    const pending = this.#options.writer.pending(outcomes, pool)
    if (this.#pending.size > 0) for (const { claim } of outcomes) this.#pending.delete(keyOf(claim.metadata))
    for (const one of pending) {
      const key = keyOf(one.outcome.claim.metadata)
      this.#pending.set(key, one)
      this.#queue.add(key)
    }
    return pending.length
  }

  stop(): Promise<void> {
    this.#pending.clear()
    return this.#queue.stop()
  }

  async #write(key: string, signal: AbortSignal): Promise<void> {
    const pending = this.#pending.get(key)
    if (pending === undefined) return
    const { writer } = this.#options
    let isOvertaken = false
    try {
      await writer.write(pending, signal)
    } catch (error) {
      // Another write was faster, so what was decided is to be decided anew.
      if (!isConflict(error)) throw error
      isOvertaken = true
    }
    if (this.#pending.get(key) === pending) this.#pending.delete(key)
    // Who has what was decided needs no other look, but a pool may wait until its claims have left.
    if (isOvertaken || pending.outcome.pool === null) this.#lookAgain(key, pending)
  }

  #lookAgain(key: string, { pool, outcome }: PendingClaim): void {
    const { lookAtPool, lookAtStray } = this.#options
    if (pool?.metadata.name !== undefined) lookAtPool(pool.metadata.name, outcome.claim.metadata.namespace ?? '')
    if (outcome.pool === null) lookAtStray(key)
  }
}

const keyOf = ({ namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string }): string =>
  `${namespace}/${name}`
