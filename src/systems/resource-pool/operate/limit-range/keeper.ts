import { poolQuotaName } from '../../api/quota-name.ts'
import type { ResourcePool } from '../../api/resource-pool.ts'
import { type LimitRangeSteps, limitRangeSteps, type LimitRangeWrite } from '../../decide/limit-range/steps.ts'
import {
  isAsWanted,
  isKeptBy,
  type LimitRange,
  limitRangeErrors,
  poolLimitRange,
} from '../../decide/limit-range/pool-limit-range.ts'
import type { Quotas } from '../../decide/quota/view.ts'
import { servesNamespace } from '../../decide/select-namespaces.ts'
import type { ObjectName } from '../../../../kube/client/kube-client.ts'
import { isAlreadyExists, isNotFound } from '../../../../machinery/status.ts'
import { inParallel } from '../../../../runtime/tasks/in-parallel.ts'
import { isEndingNamespace, obstacleIn } from '../../../generated-quota/operate/write-error.ts'
import type { Parts } from '../../../../operator/shell/dirty-set.ts'
import { isOvertaken } from '../../../../operator/shell/run-controller.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import { NamespaceObstacles } from '../namespace-obstacles.ts'
import type { PoolCaches } from '../pool-caches.ts'
import { POOLS } from '../pool-controllers.ts'
import { limitRangesOf } from '../pool-view.ts'
import { LIMIT_RANGES } from './limit-ranges.ts'

export interface LimitRangeKeeperOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'logger'>
  readonly caches: PoolCaches
  /** Records an Event on the pool and the namespace. */
  readonly report: (pool: ResourcePool, namespace: string, reason: string, note: string) => void
}

/** The reason of the Event on a pool that cannot have its LimitRange in a namespace. */
const BLOCKED = 'LimitRangeBlocked'
const LATER = 'LimitRanges of a pool could not be written; they are tried again later'
const FOREIGN = 'there is one of this name that the pool does not keep; delete it, or move its content to another name'
/** How many LimitRanges of one pool are written at a time. */
const WRITES = 16

/** Keeps the LimitRanges of pools. Whatever fails here keeps no quota from being written. */
export class LimitRangeKeeper {
  readonly #options: LimitRangeKeeperOptions
  readonly #obstacles = new NamespaceObstacles(({ withoutLimitRange }) => withoutLimitRange)
  /** Failures that pass by themselves: no pool shows them. */
  readonly #failures = new NamespaceObstacles(() => undefined)

  constructor(options: LimitRangeKeeperOptions) {
    this.#options = options
  }

  /** Has a pool that is being deleted any LimitRange yet? */
  hasAny(pool: ResourcePool): boolean {
    return (
      pool.metadata.deletionTimestamp !== undefined && limitRangesOf(this.#options.caches, pool, undefined).size > 0
    )
  }

  /** Why the pool does not have its LimitRange, by namespace. Forgets before what is in the way no more. */
  problemsOf(pool: ResourcePool, within: Parts): ReadonlyMap<string, string> {
    const { caches } = this.#options
    const { limitRange } = pool.spec
    const known = this.#obstacles.of(pool)
    if (known.size === 0) return known
    const ranges = limitRangesOf(caches, pool, within)
    for (const namespace of known.keys()) {
      if (within?.has(namespace) === false) continue
      const facts = caches.namespaces.get('', namespace)
      const range = ranges.get(namespace)
      const isWanted = limitRange !== undefined && facts !== undefined && servesNamespace(pool, facts)
      const isThere =
        range !== undefined &&
        limitRangeErrors(pool).length === 0 &&
        limitRange !== undefined &&
        isAsWanted(range, pool, limitRange)
      if (!isWanted || isThere) this.#obstacles.clear(pool, namespace)
    }
    return this.#obstacles.of(pool)
  }

  /** After how many milliseconds something is tried again, from the time of the look. */
  nextTry(pool: ResourcePool, looked: number): number | undefined {
    const tries = [this.#obstacles, this.#failures].flatMap((one) => one.nextTry(pool, looked) ?? [])
    return tries.length === 0 ? undefined : Math.min(...tries)
  }

  forget(name: string): void {
    this.#obstacles.forget(name)
    this.#failures.forget(name)
  }

  /** `pool`: as it is stored; `quotas`: as they were seen, of these namespaces. */
  stepsOf(pool: ResourcePool, quotas: Quotas, within: Parts): LimitRangeSteps {
    const ranges = limitRangesOf(this.#options.caches, pool, within)
    return limitRangeSteps({ pool, ranges, quotas, ...(within === undefined ? {} : { within }) })
  }

  /**
   * Does the writes of one step that may be tried at `looked`. It does not reject. Gives whether it was found out that something is in the
   * way, or no longer is.
   */
  async write(
    pool: ResourcePool,
    writes: readonly LimitRangeWrite[],
    looked: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, logger } = this.#options.context
    const failures: unknown[] = []
    let isNews = false
    await inParallel(writes, WRITES, async (write) => {
      const { namespace } = write
      if (!this.#obstacles.mayTry(pool, namespace, looked) || !this.#failures.mayTry(pool, namespace, looked)) return
      try {
        const why = await this.#write(pool, write, signal)
        const isNew = why === undefined ? this.#cleared(pool, namespace) : this.#obstructed(pool, namespace, why)
        isNews ||= isNew
      } catch (error) {
        const why = this.#obstacleIn(namespace, error)
        if (why !== undefined) isNews = this.#obstructed(pool, namespace, why) || isNews
        // The object that overtook the write is on its way to the cache, and is looked at then.
        else if (!isEndingNamespace(error) && !isOvertaken(error) && !signal.aborted) {
          failures.push(error)
          this.#failures.failed(pool, namespace, LATER, clock.monotonic())
        }
      }
    })
    const [error] = failures
    if (failures.length > 0) logger.warn({ pool: pool.metadata.name, failures: failures.length, error }, LATER)
    return isNews
  }

  /** An API server may not know LimitRanges at all. */
  #obstacleIn(namespace: string, error: unknown): string | undefined {
    const isUnknown = isNotFound(error) && this.#options.caches.namespaces.get('', namespace) !== undefined
    return isUnknown && error instanceof Error ? error.message : obstacleIn(error)
  }

  /** Returns why the LimitRange cannot be had. */
  async #write(pool: ResourcePool, write: LimitRangeWrite, signal: AbortSignal): Promise<string | undefined> {
    const { client } = this.#options.context
    const { namespace } = write
    const name: ObjectName = { namespace, name: poolQuotaName(pool.metadata.name ?? '') }
    switch (write.kind) {
      case 'create':
        try {
          await this.#observe(name, () => client.create(LIMIT_RANGES, write.range, { signal }))
          return undefined
        } catch (error) {
          if (!isAlreadyExists(error)) throw error
          return await this.#takeOver(pool, name, signal)
        }
      case 'update':
        await this.#observe(name, () => client.update(LIMIT_RANGES, write.range, { signal }))
        return undefined
      case 'delete': {
        const { uid, resourceVersion } = write
        try {
          await client.delete(LIMIT_RANGES, name, { uid, resourceVersion, signal })
        } catch (error) {
          if (!isNotFound(error)) throw error
        }
        return undefined
      }
      default:
        return write satisfies never
    }
  }

  /** Somebody took the labels of the pool's LimitRange away, so that it is not seen, or it is another one. */
  async #takeOver(pool: ResourcePool, name: ObjectName, signal: AbortSignal): Promise<string | undefined> {
    const { client } = this.#options.context
    const { limitRange } = pool.spec
    const found = (await client.get(LIMIT_RANGES, name, { signal })) as LimitRange
    if (!isKeptBy(found, pool)) return FOREIGN
    if (limitRange === undefined) return undefined
    const range = poolLimitRange(pool, limitRange, name.namespace, found)
    await this.#observe(name, () => client.update(LIMIT_RANGES, range, { signal }))
    return undefined
  }

  async #observe(name: ObjectName, write: () => Promise<LimitRange>): Promise<void> {
    await this.#options.caches.limitRanges.observeWrite(name, POOLS, write)
  }

  /** Gives whether something was in the way before. */
  #cleared(pool: ResourcePool, namespace: string): boolean {
    const wasObstructed = this.#obstacles.of(pool).has(namespace)
    this.#obstacles.clear(pool, namespace)
    this.#failures.clear(pool, namespace)
    return wasObstructed
  }

  /** The pool and its Event say what is in the way, and it is tried again later. Gives whether this was not known. */
  #obstructed(pool: ResourcePool, namespace: string, why: string): boolean {
    const { context, report } = this.#options
    const { name = '' } = pool.metadata
    if (!this.#obstacles.failed(pool, namespace, why, context.clock.monotonic())) return false
    context.logger.warn({ pool: name, namespace, why }, 'a namespace cannot have the LimitRange of its pool')
    report(pool, namespace, BLOCKED, `namespace ${namespace} cannot have the LimitRange ${poolQuotaName(name)}: ${why}`)
    return true
  }
}
