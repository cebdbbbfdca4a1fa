import type { ResourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import type { ClaimOutcome } from '../decide/queue/pool-outcome.ts'
import { isConflict } from '../../../machinery/status.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import type { Controller, ReconcileRequest, ReconcileResult } from '../../../operator/shell/controller.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import { isUnfit } from '../../generated-quota/operate/write-error.ts'
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
  /** The versions of claims that cannot be written until somebody else changes them, by `namespace/name`. */
  readonly #unfit = new Map<string, string | undefined>()

  constructor(options: ClaimControllerOptions) {
    this.#options = options
  }

  /**
   * Takes the latest decisions about claims; gives how many of these claims are not as they were decided yet. A claim that the
   * server takes no write of does not count: its owner must not keep others waiting.
   */
  put(outcomes: readonly ClaimOutcome[], pool: ResourcePool | undefined): number {
    const { writer, clock, enqueue } = this.#options
    const pending = writer.pending(outcomes, pool)
    const before = pending.map(({ outcome }) => this.#pending.get(keyOf(outcome.claim.metadata)))
    if (this.#pending.size > 0) for (const { claim } of outcomes) this.#pending.delete(keyOf(claim.metadata))
    if (this.#unfit.size > 0) for (const { claim } of outcomes) this.#forgetUnfit(claim)
    const now = clock.monotonic()
    for (const [at, one] of pending.entries()) {
      const key = keyOf(one.outcome.claim.metadata)
      const notBefore = isNotEnforced(one.outcome) ? (before[at]?.notBefore ?? now + UNTIL_ENFORCED_MS) : now
      this.#pending.set(key, { ...one, notBefore })
      // One that does not fit is tried again already, at growing intervals.
      if (!this.#unfit.has(key)) enqueue({ key, after: notBefore - now })
    }
    return pending.filter(({ outcome }) => !this.#unfit.has(keyOf(outcome.claim.metadata))).length
  }

  /** Another version of the claim may fit. */
  #forgetUnfit({ metadata }: ResourcePoolClaim): void {
    const key = keyOf(metadata)
    if (this.#unfit.get(key) !== metadata.resourceVersion) this.#unfit.delete(key)
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
      if (isUnfit(error)) this.#becameUnfit(key, pending)
      // Another write was faster, so what was decided is to be decided anew: from the same version it would be decided alike, over and over.
      if (!isConflict(error) || !writer.isOutdated(pending.outcome.claim)) throw error
      isOvertaken = true
    }
    this.#unfit.delete(key)
    if (this.#pending.get(key) === pending) this.#pending.delete(key)
    // A claim that is as it was decided needs no further look. But a pool may wait until its claims have left.
    if (isOvertaken || pending.outcome.pool === null) this.#lookAgain(key, pending)
    return {}
  }

  /** Once for each version a pool that waits for the claim learns that it waits in vain. */
  #becameUnfit(key: string, pending: PendingClaim): void {
    const { resourceVersion } = pending.outcome.claim.metadata
    if (this.#unfit.has(key) && this.#unfit.get(key) === resourceVersion) return
    this.#unfit.set(key, resourceVersion)
    this.#lookAgain(key, pending)
  }

  #lookAgain(key: string, { pool, outcome }: PendingClaim): void {
    const { lookAtPool, lookAtStray } = this.#options
    if (pool?.metadata.name !== undefined) lookAtPool(pool.metadata.name, outcome.claim.metadata.namespace ?? '')
    if (outcome.pool === null) lookAtStray(key)
  }
}

/** Reports whether the claim has its room and it is not known yet whether the quota allows it. */
const isNotEnforced = ({ decision, conditions }: ClaimOutcome): boolean =>
  decision.verdict === 'allocated' && conditions.Bound === undefined

const keyOf = ({ namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string }): string =>
  `${namespace}/${name}`
