import { withCondition } from '../../../api/condition.ts'
import { type ResourcePool, resourcePool, type ResourcePoolStatus } from '../api/resource-pool.ts'
import { poolFinalizersChange, poolStatusChange } from '../decide/apply-outcome.ts'
import { decidePool, type DecidePoolInput } from '../decide/decide-pool.ts'
import type { PoolOutcome } from '../decide/queue/pool-outcome.ts'
import { readyCondition } from '../decide/pool-status.ts'
import { mergeDiff } from '../../../schema/patch/merge-diff.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { ApiError } from '../../../machinery/status.ts'
import { QuantityError } from '../../../quantity/quantity.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { POOLS } from './pool-controllers.ts'
import type { PoolCaches } from './pool-caches.ts'
import { isPassing, isTooLargeError } from '../../generated-quota/operate/write-error.ts'

/** The parts of the operator that the writer uses. */
export type PoolWriterContext = Pick<OperatorContext, 'client' | 'clock' | 'logger'>

/** Writes to pools what was decided about them. */
export class PoolWriter {
  readonly #context: PoolWriterContext
  readonly #caches: PoolCaches
  /** Why pools cannot be reconciled that the server refuses something for, by name: they say so until it is done. */
  readonly #refusals = new Map<string, string>()

  constructor(context: PoolWriterContext, caches: PoolCaches) {
    this.#context = context
    this.#caches = caches
  }

  /** The pool is gone. */
  forget(name: string): void {
    this.#refusals.delete(name)
  }

  /** Nothing is refused any more. Gives whether the pool says still that something is. */
  succeeded(name: string): boolean {
    return this.#refusals.delete(name)
  }

  /** Writes the status. Where it is too large all the same, only what takes up no more is written: what goes, goes. */
  async writeLedger(
    pool: ResourcePool,
    outcome: PoolOutcome,
    input: DecidePoolInput,
    signal: AbortSignal,
  ): Promise<{ readonly pool: ResourcePool; readonly outcome: PoolOutcome }> {
    try {
      return { pool: await this.#writeOutcome(pool, outcome, signal), outcome }
    } catch (error) {
      if (!isTooLargeError(error)) throw error
      const { message } = error as ApiError
      const frozen = withRefusal(decidePool({ ...input, isFrozen: true }), `the ledger of the pool: ${message}`)
      this.#context.logger.warn({ pool: pool.metadata.name, why: message }, 'the ledger of a pool is too large')
      return { pool: await this.#writeOutcome(pool, frozen, signal), outcome: frozen }
    }
  }

  async writeFinalizers(
    pool: ResourcePool,
    outcome: Pick<PoolOutcome, 'finalizer'>,
    signal: AbortSignal,
  ): Promise<ResourcePool> {
    const finalizers = poolFinalizersChange(pool, outcome)
    if (finalizers === undefined) return pool
    return await this.#write(pool, { metadata: { finalizers } }, '', {}, signal)
  }

  /** Reports on the pool a refusal of the server, or an error in the pool. Failures that pass by themselves are not reported. */
  async writeFailure(name: string, error: unknown, signal: AbortSignal): Promise<void> {
    const refusal = refusalOf(error)
    const pool = this.#caches.pools.get('', name)
    if (refusal === undefined || pool === undefined) return
    this.#refusals.set(name, refusal)
    const old = pool.status?.conditions ?? []
    const conditions = withCondition(old, readyCondition(refusal), timestamp(this.#context.clock.now()))
    if (conditions !== old) await this.#writeStatus(pool, { ...(pool.status ?? BLANK), conditions }, signal)
  }

  async #writeOutcome(pool: ResourcePool, outcome: PoolOutcome, signal: AbortSignal): Promise<ResourcePool> {
    const refusal = this.#refusals.get(pool.metadata.name ?? '')
    const reported = refusal === undefined ? outcome : withRefusal(outcome, refusal)
    const status = poolStatusChange(pool, reported, timestamp(this.#context.clock.now()))
    return status === undefined ? pool : await this.#writeStatus(pool, status, signal)
  }

  async #writeStatus(pool: ResourcePool, status: ResourcePoolStatus, signal: AbortSignal): Promise<ResourcePool> {
    const patch = mergeDiff(asJson(pool.status), asJson(status))
    if (patch === undefined) return pool
    return await this.#write(pool, { status: patch }, 'status', { status }, signal)
  }

  /** With a version a merge patch is compare-and-swap. `changed`: what the pool has then besides other metadata. */
  #write(
    pool: ResourcePool,
    body: JsonObject,
    subresource: string,
    changed: Pick<ResourcePool, 'status'>,
    signal: AbortSignal,
  ): Promise<ResourcePool> {
    const { name = '', resourceVersion } = pool.metadata
    const { metadata: wanted } = body as { readonly metadata?: JsonObject }
    return this.#caches.writePool(name, POOLS, async () => {
      const { managedFields: _, ...metadata } = await this.#context.client.patchMetadata(
        resourcePool,
        { namespace: '', name },
        { type: 'merge', body: { ...body, metadata: { ...wanted, resourceVersion } } },
        { subresource, signal },
      )
      return { ...pool, metadata, ...changed }
    })
  }
}

/** Returns the part of a failure to report: a refusal of the server, or an amount that is invalid. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return error.errors.map(refusalOf).find((text) => text !== undefined)
  if (error instanceof QuantityError) return error.message
  if (!(error instanceof ApiError) || isPassing(error)) return undefined
  return error.message
}

function withRefusal(outcome: PoolOutcome, refusal: string): PoolOutcome {
  const ready = readyCondition(refusal)
  const conditions = outcome.status.conditions.map((condition) => (condition.type === ready.type ? ready : condition))
  return { ...outcome, status: { ...outcome.status, conditions } }
}

/** The status of a pool that was never written. */
const BLANK = { claimCount: 0, namespaceCount: 0 } as const

const asJson = (value: object | undefined): JsonObject => (value ?? {}) as JsonObject
