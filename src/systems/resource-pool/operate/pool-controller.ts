import { poolQuotaName } from '../api/quota-name.ts'
import { type ResourcePool, resourcePool } from '../api/resource-pool.ts'
import { decidePool, fullNamespaces } from '../decide/decide-pool.ts'
import { nextSteps, type Steps, type StepsInput } from '../decide/quota/write-order.ts'
import { ledgerFull } from '../decide/queue/messages.ts'
import type { PoolOutcome } from '../decide/queue/pool-outcome.ts'
import { isInPlace } from '../decide/quota/place.ts'
import type { Quotas } from '../decide/quota/view.ts'
import { namespacesToReconcile } from '../decide/namespaces-to-reconcile.ts'
import { isEnding, servesNamespace } from '../decide/select-namespaces.ts'
import { lowerReleases } from '../decide/quota/lower-releases.ts'
import { inParallel } from '../../../runtime/tasks/in-parallel.ts'
import {
  type Controller,
  type ControllerSource,
  reconciles,
  type ReconcileResult,
} from '../../../operator/shell/controller.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import type { ClaimController } from './claim-controller.ts'
import { POOLS } from './pool-controllers.ts'
import type { PoolCaches } from './pool-caches.ts'
import { poolEventHandlers } from './pool-event-handlers.ts'
import { PoolFindings, withFindings } from './pool-findings.ts'
import { LaterPools } from './later-pools.ts'
import { LimitRangeKeeper } from './limit-range/keeper.ts'
import { NamespaceObstacles } from './namespace-obstacles.ts'
import { claimsOf, namespacesOf, quotasOf } from './pool-view.ts'
import { PoolWriter } from './pool-writer.ts'
import { isEndingNamespace, obstacleIn } from '../../generated-quota/operate/write-error.ts'
import type { QuotaWriter, QuotaWritten } from './quota-writer.ts'

export interface PoolControllerOptions {
  readonly context: OperatorContext
  readonly caches: PoolCaches
  readonly claims: ClaimController
  readonly quotas: QuotaWriter
  /** How many pools are reconciled at a time. */
  readonly workers: number
  /** Asks for a look at a claim that no pool decides about; `namespace/name`. */
  readonly lookAtStray: (key: string) => void
}

/** The reason of the Event on a pool that cannot have its quota in a namespace. */
const BLOCKED = 'NamespaceBlocked'
/** The reason of the Event on a pool that cannot record more claims of a namespace, as claims say it too. */
const LEDGER_FULL = 'LedgerFull'
const ALWAYS_BACK = 'another quota of this name comes back whenever it is put out of the way'
/** How many quotas of one pool are written at a time. */
const WRITES = 16

/** The result of reconciling a pool and its quotas. */
interface Passed {
  readonly pool: ResourcePool
  readonly steps: Steps
  readonly written: readonly QuotaWritten[]
  /** Was it found out that something is in the way? */
  readonly isObstructed: boolean
  /** Is something in the way of a LimitRange that was not known, or no longer? */
  readonly isNews: boolean
  /** The namespaces to look at again with whatever happens next. */
  readonly again: ReadonlySet<string>
  /** When the pass began, by the monotonic clock: what may not be tried then is left for later. */
  readonly looked: number
  /** How many milliseconds it took to decide. */
  readonly cost: number
}

/**
 * Brings one pool to what was decided about it. Everything is decided from what is there. A write that finds something else
 * conflicts; then the pool is reconciled again when the caches know more.
 */
export class PoolController implements Controller {
  readonly name = POOLS
  readonly workers: number
  readonly sources: readonly ControllerSource[]
  readonly #options: PoolControllerOptions
  readonly #writer: PoolWriter
  readonly #findings = new PoolFindings()
  /** Of which namespaces pools cannot record more claims, by name of the pool. */
  readonly #full = new Map<string, ReadonlySet<string>>()
  readonly #obstacles = new NamespaceObstacles(({ blockedNamespaces }) => blockedNamespaces)
  readonly #limitRanges: LimitRangeKeeper
  readonly #later: LaterPools

  constructor(options: PoolControllerOptions) {
    const { caches, context, workers, lookAtStray } = options
    this.#options = options
    this.#writer = new PoolWriter(context, caches)
    this.#later = new LaterPools(context)
    const report = this.#report.bind(this)
    this.#limitRanges = new LimitRangeKeeper({ context, caches, report })
    this.workers = workers
    this.sources = [reconciles(caches.pools), ...poolEventHandlers(caches, lookAtStray, context.clock)]
  }

  /** `dirty`: namespaces of the pool. Rejects as `KubeClient` does, after everything else that could be done was done. */
  async reconcile(name: string, dirty: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { caches, context } = this.#options
    const pool = caches.pools.get('', name)
    if (pool === undefined) {
      this.#forget(name)
      return {}
    }
    if (this.#later.leaves(pool)) return {}
    const within = pool.metadata.deletionTimestamp === undefined ? dirty : undefined
    const found = this.#findings.take(pool)
    const quotas = withFindings(quotasOf(caches, pool, within), found)
    let passed: Passed
    try {
      passed = await this.#pass(pool, quotas, found.gone, within, signal)
    } catch (error) {
      await this.#writer.writeFailure(name, error, signal)
      throw error
    }
    const { isNews, contested } = this.#findings.keep(passed.pool, passed.written, found)
    for (const namespace of contested) this.#obstructed(pool, namespace, ALWAYS_BACK)
    const isDue =
      this.#writer.succeeded(name) ||
      isNews ||
      passed.isNews ||
      passed.isObstructed ||
      this.#hasMoreToDo(passed, quotas, within)
    const { looked } = passed
    const retry = earlier(this.#obstacles.nextTry(pool, looked), this.#limitRanges.nextTry(pool, looked))
    const sinceLook = context.clock.monotonic() - looked
    return {
      dirty: passed.again,
      // A large pool is looked at half of the time at most: what happens meanwhile is reconciled together.
      restFor: passed.cost,
      ...(isDue ? { requeueAfter: 0 } : retry === undefined ? {} : { requeueAfter: Math.max(retry - sinceLook, 0) }),
    }
  }

  #forget(name: string): void {
    this.#writer.forget(name)
    this.#findings.forget(name)
    this.#full.delete(name)
    this.#obstacles.forget(name)
    this.#limitRanges.forget(name)
    this.#later.forget(name)
  }

  /**
   * Is there something to do already that the writes to quotas made possible? What a write came to is known, so nobody has to
   * look at the pool for it: only when the server follows.
   */
  #hasMoreToDo({ pool, steps, written }: Passed, before: Quotas, within: Parts): boolean {
    if (written.length === 0 || steps.writes.length === 0) return false
    const { caches, context } = this.#options
    const touched = new Set(steps.writes.map(({ namespace }) => namespace))
    const after = quotasOf(caches, pool, within)
    const isPlaced = (quotas: Quotas, namespace: string): boolean => {
      const quota = quotas.get(namespace)
      return quota !== undefined && isInPlace(quota, pool)
    }
    if ([...touched].some((namespace) => isPlaced(before, namespace) !== isPlaced(after, namespace))) return true
    if (lowerReleases({ pool, quotas: after, ...only(within) }) !== pool) return true
    const obstructed = new Set(this.#obstacles.of(pool).keys())
    const next = nextSteps({ pool, quotas: after, isLive: false, obstructed, ...only(within) })
    const now = context.clock.monotonic()
    const canWrite = next.writes.some(
      ({ kind, namespace }) => kind !== 'confirm-gone' && this.#obstacles.mayTry(pool, namespace, now),
    )
    return canWrite || next.needsLivePool
  }

  async #pass(
    stored: ResourcePool,
    quotas: Quotas,
    gone: ReadonlySet<string>,
    within: Parts,
    signal: AbortSignal,
  ): Promise<Passed> {
    const { caches, claims: claimController, context } = this.#options
    const writer = this.#writer
    const looked = context.clock.monotonic()
    const claims = claimsOf(caches, stored, within)
    const namespaces = namespacesOf(caches, within)
    this.#clearObstacles(stored, quotas, within)
    const obstructed = this.#obstacles.of(stored)
    const withoutLimitRange = this.#limitRanges.problemsOf(stored, within)
    const hasLimitRanges = this.#limitRanges.hasAny(stored)
    const known = { gone, obstructed, withoutLimitRange, hasLimitRanges, now: context.clock.now() }
    const input = { pool: stored, claims, namespaces, quotas, ...known, ...only(within) }
    const decided = decidePool(input)
    const cost = context.clock.monotonic() - looked
    const guarded = decided.finalizer ? await writer.writeFinalizers(stored, decided, signal) : stored
    const { pool, outcome } = await writer.writeLedger(guarded, decided, input, signal)
    this.#reportFull(pool, outcome)
    const pending = claimController.put(outcome.claims, pool)
    const ways = { quotas, obstructed: new Set(obstructed.keys()), ...only(within) }
    const steps = await this.#nextSteps(pool, ways, pool !== stored, signal)
    const again = namespacesToReconcile(outcome, steps)
    const ranges = this.#limitRanges.stepsOf(pool, quotas, within)
    // A workload without requests must not meet the quota without the LimitRange.
    const isNewBefore = await this.#limitRanges.write(pool, ranges.first, looked, signal)
    const handed = await this.#handOut(pool, steps, quotas, looked, signal)
    const isNewAfter = await this.#limitRanges.write(pool, ranges.last, looked, signal)
    // A pool that goes waits for its claims: the garbage collector would delete those that still name it as their owner.
    const isOver = !outcome.finalizer && pending === 0
    const left = isOver ? await writer.writeFinalizers(pool, outcome, signal) : pool
    return {
      pool: left,
      steps,
      written: handed.written,
      isObstructed: handed.isObstructed,
      isNews: isNewBefore || isNewAfter,
      again: again.union(new Set(ranges.again)),
      looked,
      cost,
    }
  }

  /** Returns the writes that the quotas may get now. `isLive`: the pool was written after the quotas were looked at. */
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
    looked: number,
    signal: AbortSignal,
  ): Promise<Pick<Passed, 'written' | 'isObstructed'>> {
    const name = poolQuotaName(pool.metadata.name ?? '')
    const written: QuotaWritten[] = []
    let isObstructed = false
    await inParallel(writes, WRITES, async (write) => {
      const { namespace } = write
      if (!this.#obstacles.mayTry(pool, namespace, looked)) return
      try {
        const one = await this.#options.quotas.write(write, name, signal)
        // The room of a namespace that is still being deleted is not free yet.
        if (one.kind !== 'gone' || !this.#isBeingDeleted(namespace)) written.push(one)
      } catch (error) {
        if (isEndingNamespace(error)) return
        const quota = quotas.get(namespace)
        const isOurs = quota !== undefined && isInPlace(quota, pool)
        const why = isOurs || write.kind === 'delete' ? undefined : obstacleIn(error)
        if (why === undefined) throw error
        isObstructed = this.#obstructed(pool, namespace, why) || isObstructed
      }
    })
    return { written, isObstructed }
  }

  #isBeingDeleted(namespace: string): boolean {
    const facts = this.#options.caches.namespaces.get('', namespace)
    return facts !== undefined && isEnding(facts)
  }

  /** The pool and its Event say what is in the way, and it is tried again later. Gives whether this was not known. */
  #obstructed(pool: ResourcePool, namespace: string, why: string): boolean {
    const { context } = this.#options
    const { name = '' } = pool.metadata
    if (!this.#obstacles.failed(pool, namespace, why, context.clock.monotonic())) return false
    context.logger.warn({ pool: name, namespace, why }, 'a namespace cannot have the quota of its pool')
    const note = `namespace ${namespace} gets nothing, since it cannot have the quota ${poolQuotaName(name)}: ${why}`
    this.#report(pool, namespace, BLOCKED, note)
    return true
  }

  /** Records an Event on the pool and one on the namespace that it concerns, whose users do not see the pool. */
  #report(pool: ResourcePool, namespace: string, reason: string, note: string): void {
    const { recorder } = this.#options.context
    for (const regarding of [pool, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }])
      recorder.record({ regarding, type: 'Warning', reason, action: 'Reconciled', note })
  }

  /** Forgets what is in the way no more: the quota is in its place, or the namespace needs none. */
  #clearObstacles(pool: ResourcePool, quotas: Quotas, within: Parts): void {
    const { caches } = this.#options
    for (const namespace of this.#obstacles.of(pool).keys()) {
      if (within?.has(namespace) === false) continue
      const facts = caches.namespaces.get('', namespace)
      const quota = quotas.get(namespace)
      const isServed = facts !== undefined && servesNamespace(pool, facts)
      if (!isServed || (quota !== undefined && isInPlace(quota, pool))) this.#obstacles.clear(pool, namespace)
    }
  }

  /** Sends an Event for each namespace in which the pool can no longer record claims, when that begins. */
  #reportFull(pool: ResourcePool, outcome: PoolOutcome): void {
    const { name = '' } = pool.metadata
    const known = this.#full.get(name)
    const full = new Set(fullNamespaces(outcome))
    this.#full.set(name, full)
    for (const namespace of full.difference(known ?? new Set()))
      this.#report(pool, namespace, LEDGER_FULL, ledgerFull(name, namespace))
  }
}

const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

const only = (within: Parts): { readonly within?: ReadonlySet<string> } => (within === undefined ? {} : { within })
