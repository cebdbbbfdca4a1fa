import { withCondition } from '../../api/condition.ts'
import { poolQuotaName } from '../../api/resource-pool/quota-name.ts'
import { type ResourcePool, resourcePool, type ResourcePoolStatus } from '../../api/resource-pool/resource-pool.ts'
import type { AmountBook } from '../../grants/pools/amount-book.ts'
import { poolFinalizersChange, poolStatusChange } from '../../grants/pools/apply-outcome.ts'
import { decidePool, type DecidePoolInput, fullNamespaces } from '../../grants/pools/decide-pool.ts'
import { ledgerFull } from '../../grants/pools/messages.ts'
import { nextSteps, type Steps, type StepsInput } from '../../grants/pools/handover.ts'
import type { PoolOutcome } from '../../grants/pools/pool-outcome.ts'
import { readyCondition } from '../../grants/pools/pool-status.ts'
import { isInPlace } from '../../grants/pools/quota-place.ts'
import type { Quotas } from '../../grants/pools/quota-view.ts'
import { restlessOf } from '../../grants/pools/restless.ts'
import { isEnding, servesNamespace } from '../../grants/pools/select-namespaces.ts'
import { mergeDiff } from '../../schema/patch/merge-diff.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { ApiError } from '../../machinery/status.ts'
import { pause } from '../../kube/clock.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import { inParallel } from '../../runtime/in-parallel.ts'
import { timestamp } from '../../runtime/timestamp.ts'
import type { OperatorContext } from '../system.ts'
import type { ClaimQueue } from './claim-queue.ts'
import type { PoolAttention } from './pool-attention.ts'
import type { PoolCaches } from './pool-caches.ts'
import { claimsOf, namespacesOf, quotasOf, type Within } from './pool-view.ts'
import { isEndingNamespace, isPassing, isTooLarge, obstacleIn, QuotaObstacles } from './quota-obstacles.ts'
import type { QuotaWriter, QuotaWritten } from './quota-writer.ts'

export interface PoolControllerOptions {
  readonly context: OperatorContext
  readonly caches: PoolCaches
  readonly claims: ClaimQueue
  readonly quotas: QuotaWriter
  readonly attention: PoolAttention
  readonly book: AmountBook
  /** Asks for another look at a namespace of a pool. */
  readonly lookAt: (pool: string, namespace: string) => void
}

/** What one pass over a pool came to. */
interface Passed {
  readonly pool: ResourcePool
  readonly written: readonly QuotaWritten[]
  /** Was it found out that something is in the way, or that nothing is any more? */
  readonly isNews: boolean
  /** The namespaces to look at again with whatever happens next. */
  readonly restless: ReadonlySet<string>
}

/** The reason of the Event on a pool that cannot have its quota in a namespace. */
const BLOCKED = 'NamespaceBlocked'
/** The reason of the Event on a pool that cannot record more claims of a namespace, as claims say it too. */
const LEDGER_FULL = 'LedgerFull'
const ALWAYS_BACK = 'another quota of this name comes back whenever it is put out of the way'
/** How many quotas of one pool are written at a time. */
const WRITES = 16
/**
 * A quota that is adopted, one that is put out of the way (found, deleted, let go, made anew), and a release that is over are
 * seen to at once; more would be a fight with somebody.
 */
const PASSES = 6

/**
 * Brings one pool to what was decided about it. Everything is decided from what is there. A write that finds something else
 * conflicts; then the pool is looked at again when the caches know more.
 */
export class PoolController {
  readonly #options: PoolControllerOptions
  /** Why pools cannot be reconciled that the server refuses something for, by name: they say so until it is done. */
  readonly #refusals = new Map<string, string>()
  readonly #costs = new Map<string, number>()
  /** Of which namespaces pools cannot record more claims, by name of the pool. */
  readonly #full = new Map<string, ReadonlySet<string>>()
  readonly #obstacles = new QuotaObstacles()

  constructor(options: PoolControllerOptions) {
    this.#options = options
  }

  /** How many milliseconds it took to decide about a pool, the last time. */
  costOf(name: string): number {
    return this.#costs.get(name) ?? 0
  }

  /** Rejects as `KubeClient` does, after everything else that could be done was done. */
  async reconcile(name: string, signal: AbortSignal): Promise<void> {
    const { caches, attention } = this.#options
    let pool = caches.pools.get('', name)
    if (pool === undefined) {
      this.#refusals.delete(name)
      this.#costs.delete(name)
      this.#full.delete(name)
      attention.forget(name)
      this.#obstacles.forget(name)
      return
    }
    const marked = attention.take(name)
    const within = pool.metadata.deletionTimestamp === undefined ? marked : undefined
    let quotas: Quotas = quotasOf(caches, pool, within)
    let gone: ReadonlySet<string> = new Set()
    try {
      for (let pass = 1; pass <= PASSES; pass++) {
        const { pool: after, written, isNews, restless } = await this.#pass(pool, quotas, gone, within, signal)
        attention.keep(name, restless)
        const letGo = new Set(written.flatMap((one) => (one.kind === 'let-go' ? [one.namespace] : [])))
        const found = written.flatMap((one) => (one.kind === 'found' ? [[one.namespace, one.quota] as const] : []))
        gone = new Set(written.flatMap((one) => (one.kind === 'gone' ? this.#emptied(one.namespace) : [])))
        if (found.length === 0 && gone.size === 0 && letGo.size === 0 && !isNews) break
        if (pass === PASSES) for (const [namespace] of found) this.#obstructed(pool, namespace, ALWAYS_BACK, signal)
        pool = after
        const seen = [...quotasOf(caches, pool, within)].filter(([namespace]) => !letGo.has(namespace))
        quotas = new Map([...seen, ...found])
      }
    } catch (error) {
      attention.failed(name, within)
      await this.#explain(name, error, signal)
      throw error
    }
    if (this.#refusals.delete(name)) await this.reconcile(name, signal)
  }

  /** The namespace, unless it is still there and being deleted: then its room is not free yet. */
  #emptied(namespace: string): readonly string[] {
    const facts = this.#options.caches.namespaces.get('', namespace)
    return facts !== undefined && isEnding(facts) ? [] : [namespace]
  }

  async #pass(
    stored: ResourcePool,
    quotas: Quotas,
    gone: ReadonlySet<string>,
    within: Within,
    signal: AbortSignal,
  ): Promise<Passed> {
    const { caches, claims: queue, book, context } = this.#options
    const began = context.clock.monotonic()
    const claims = claimsOf(caches, stored, within, book)
    const namespaces = namespacesOf(caches, within)
    this.#clearObstacles(stored, quotas, within)
    const obstructed = this.#obstacles.of(stored)
    const input = { pool: stored, claims, namespaces, quotas, gone, book, obstructed, ...only(within) }
    const decided = decidePool(input)
    this.#costs.set(stored.metadata.name ?? '', context.clock.monotonic() - began)
    const guarded = decided.finalizer ? await this.#writeFinalizers(stored, decided, signal) : stored
    const { pool, outcome } = await this.#writeLedger(guarded, decided, input, signal)
    this.#tellFull(pool, outcome)
    const pending = queue.put(outcome.claims, pool)
    const ways = { quotas, obstructed: new Set(obstructed.keys()), book, ...only(within) }
    const steps = await this.#nextSteps(pool, ways, pool !== stored, signal)
    const restless = restlessOf(outcome, steps)
    const { written, isNews } = await this.#handOut(pool, steps, quotas, signal)
    // A pool that goes waits for its claims: the garbage collector would delete those that still name it as their owner.
    const isOver = !outcome.finalizer && pending === 0
    return { pool: isOver ? await this.#writeFinalizers(pool, outcome, signal) : pool, written, isNews, restless }
  }

  /** What may be done to the quotas now. `isLive`: the pool was written after the quotas were looked at. */
  async #nextSteps(
    pool: ResourcePool,
    ways: Omit<StepsInput, 'pool' | 'isLive'>,
    isLive: boolean,
    signal: AbortSignal,
  ): Promise<Steps> {
    const { context } = this.#options
    const { name = '', uid, resourceVersion } = pool.metadata
    const steps = nextSteps({ pool, isLive, ...ways })
    if (!steps.needsLivePool || isLive) return steps
    const live = await context.client.getMetadata(resourcePool, { namespace: '', name }, { signal })
    // Otherwise the newer pool is on its way to the cache.
    if (live.uid !== uid || live.resourceVersion !== resourceVersion) return steps
    return nextSteps({ pool, isLive: true, ...ways })
  }

  async #handOut(
    pool: ResourcePool,
    { writes }: Steps,
    quotas: Quotas,
    signal: AbortSignal,
  ): Promise<Pick<Passed, 'written' | 'isNews'>> {
    const { context } = this.#options
    const name = poolQuotaName(pool.metadata.name ?? '')
    const written: QuotaWritten[] = []
    let isNews = false
    await inParallel(writes, WRITES, async (write) => {
      const { namespace } = write
      if (!this.#obstacles.mayTry(pool, namespace, context.clock.monotonic())) return
      try {
        written.push(await this.#options.quotas.write(write, name, signal))
      } catch (error) {
        if (isEndingNamespace(error)) return
        const quota = quotas.get(namespace)
        const isOurs = quota !== undefined && isInPlace(quota, pool)
        const why = isOurs || write.kind === 'delete' ? undefined : obstacleIn(error)
        if (why === undefined) throw error
        isNews = this.#obstructed(pool, namespace, why, signal) || isNews
      }
    })
    return { written, isNews }
  }

  /** The pool and its Event say what is in the way, and it is tried again later. Gives whether this was not known. */
  #obstructed(pool: ResourcePool, namespace: string, why: string, signal: AbortSignal): boolean {
    const { context, lookAt } = this.#options
    const { name = '' } = pool.metadata
    const { ms, isNew } = this.#obstacles.failed(pool, namespace, why, context.clock.monotonic())
    void pause(context.clock, ms, signal).then(() => {
      if (!signal.aborted) lookAt(name, namespace)
    })
    if (!isNew) return false
    context.logger.warn({ pool: name, namespace, why }, 'a namespace cannot have the quota of its pool')
    const note = `namespace ${namespace} gets nothing, since it cannot have the quota ${poolQuotaName(name)}: ${why}`
    context.recorder.record({ regarding: pool, type: 'Warning', reason: BLOCKED, action: 'Reconciled', note })
    return true
  }

  /** Forgets what is in the way no more: the quota is in its place, or the namespace needs none. */
  #clearObstacles(pool: ResourcePool, quotas: Quotas, within: Within): void {
    const { caches, book } = this.#options
    for (const namespace of this.#obstacles.of(pool).keys()) {
      if (within?.has(namespace) === false) continue
      const facts = caches.namespaces.get('', namespace)
      const quota = quotas.get(namespace)
      const isServed = facts !== undefined && servesNamespace(pool, facts, book)
      if (!isServed || (quota !== undefined && isInPlace(quota, pool))) this.#obstacles.clear(pool, namespace)
    }
  }

  /** Writes the status. Where it is too large all the same, only what takes up no more is written: what goes, goes. */
  async #writeLedger(
    pool: ResourcePool,
    outcome: PoolOutcome,
    input: DecidePoolInput,
    signal: AbortSignal,
  ): Promise<{ readonly pool: ResourcePool; readonly outcome: PoolOutcome }> {
    try {
      return { pool: await this.#writeStatus(pool, outcome, signal), outcome }
    } catch (error) {
      if (!isTooLarge(error)) throw error
      const { message } = error as ApiError
      const frozen = withRefusal(decidePool({ ...input, isFrozen: true }), `the ledger of the pool: ${message}`)
      this.#options.context.logger.warn({ pool: pool.metadata.name, why: message }, 'the ledger of a pool is too large')
      return { pool: await this.#writeStatus(pool, frozen, signal), outcome: frozen }
    }
  }

  /** One Event for each namespace of which no more claims can be recorded, when that begins. */
  #tellFull(pool: ResourcePool, outcome: PoolOutcome): void {
    const { name = '' } = pool.metadata
    const known = this.#full.get(name)
    const full = new Set(fullNamespaces(outcome))
    this.#full.set(name, full)
    const { recorder } = this.#options.context
    for (const namespace of full.difference(known ?? new Set()))
      recorder.record({
        regarding: pool,
        type: 'Warning',
        reason: LEDGER_FULL,
        action: 'Reconciled',
        note: ledgerFull(name, namespace),
      })
  }

  async #writeStatus(pool: ResourcePool, outcome: PoolOutcome, signal: AbortSignal): Promise<ResourcePool> {
    const refusal = this.#refusals.get(pool.metadata.name ?? '')
    const told = refusal === undefined ? outcome : withRefusal(outcome, refusal)
    const status = poolStatusChange(pool, told, timestamp(this.#options.context.clock.now()))
    if (status === undefined) return pool
    return await this.#writeThis(pool, status, signal)
  }

  async #writeThis(pool: ResourcePool, status: ResourcePoolStatus, signal: AbortSignal): Promise<ResourcePool> {
    const patch = mergeDiff(asJson(pool.status), asJson(status))
    if (patch === undefined) return pool
    return await this.#write(pool, { status: patch }, 'status', { status }, signal)
  }

  async #writeFinalizers(pool: ResourcePool, outcome: PoolOutcome, signal: AbortSignal): Promise<ResourcePool> {
    const finalizers = poolFinalizersChange(pool, outcome)
    if (finalizers === undefined) return pool
    return await this.#write(pool, { metadata: { finalizers } }, '', {}, signal)
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
    const { context, caches } = this.#options
    return caches.writePool(name, async () => {
      const { managedFields: _, ...metadata } = await context.client.patchMetadata(
        resourcePool,
        { namespace: '', name },
        { type: 'merge', body: { ...body, metadata: { ...wanted, resourceVersion } } },
        { subresource, signal },
      )
      return { ...pool, metadata, ...changed }
    })
  }

  /** Lets the pool say what the server refuses, or what is wrong with it. What passes by itself is not told. */
  async #explain(name: string, error: unknown, signal: AbortSignal): Promise<void> {
    const refusal = refusalOf(error)
    const pool = this.#options.caches.pools.get('', name)
    if (refusal === undefined || pool === undefined || this.#refusals.get(name) === refusal) return
    this.#refusals.set(name, refusal)
    const old = pool.status?.conditions ?? []
    const conditions = withCondition(old, readyCondition(refusal), timestamp(this.#options.context.clock.now()))
    if (conditions !== old) await this.#writeThis(pool, { ...(pool.status ?? BLANK), conditions }, signal)
  }
}

/** What people should be told of a failure: a refusal of the server, or an amount that is none. */
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

const only = (within: Within): { readonly within?: ReadonlySet<string> } => (within === undefined ? {} : { within })

/** What a pool says that nothing was ever said of. */
const BLANK = { claimCount: 0, namespaceCount: 0 } as const

const asJson = (value: object | undefined): JsonObject => (value ?? {}) as JsonObject
