import { isConflict, isNotFound } from '../../machinery/status.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import type { ReconcileMetrics } from './reconcile-metrics.ts'
import type { Controller, ReconcileRequest, ReconcileResult } from './controller.ts'
import { DirtySet } from './dirty-set.ts'

export interface ControllerContext {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Logger
  readonly metrics: ReconcileMetrics
}

/** The reason of an abort that nobody reads: without one, each abort makes an error with its stack. */
const OVERTAKEN = 'it is reconciled before'
/** A rest that is shorter is none. */
const LEAST_REST_MS = 1

/** A controller that runs: its queue, its dirty set and its metrics. */
export class RunningController {
  readonly #controller: Controller
  readonly #context: ControllerContext
  readonly #dirty = new DirtySet()
  readonly #queue: WorkQueue
  readonly #abort = new AbortController()
  /** Ends the wait for the next reconcile, by key. */
  readonly #waits = new Map<string, AbortController>()
  /** Before these times of the monotonic clock changes are gathered. */
  readonly #rests = new Map<string, number>()
  readonly #gathering = new Set<string>()
  #unfollow: readonly (() => void)[] = []

  constructor(controller: Controller, context: ControllerContext) {
    this.#controller = controller
    this.#context = context
    const { name, workers = 1 } = controller
    const log = context.logger.child({ controller: name })
    const meter = context.metrics.controller(name)
    this.#queue = new WorkQueue({
      workers,
      work: async (key, signal) => {
        const began = performance.now()
        const took = (): number => (performance.now() - began) / 1000
        try {
          await this.#reconcile(key, signal)
          meter.finished('done', took())
        } catch (error) {
          meter.finished(isOvertaken(error) ? 'overtaken' : 'failed', took())
          throw error
        }
      },
      onError: (key, error) => {
        if (isOvertaken(error)) log.debug({ key, error }, 'something had changed meanwhile; it is reconciled again')
        else log.warn({ key, error }, 'could not be reconciled; it is tried again')
      },
    })
  }

  /** Begins to follow what the controller declares. */
  follow(): void {
    const { name, sources } = this.#controller
    this.#unfollow = sources.map((source) => source.follow(name, (request) => this.enqueue(request)))
  }

  /** Asks for an object to be reconciled. */
  enqueue({ key, part, after = 0 }: ReconcileRequest): void {
    this.#dirty.mark(key, part)
    if (after > 0) return this.#requeue(key, after)
    const rest = (this.#rests.get(key) ?? 0) - this.#context.clock.monotonic()
    if (rest < LEAST_REST_MS) return this.#queue.add(key)
    if (this.#gathering.has(key)) return
    this.#gathering.add(key)
    void this.#later(rest, this.#abort.signal, () => {
      this.#gathering.delete(key)
      this.#queue.add(key)
    })
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    for (const end of this.#unfollow) end()
    this.#abort.abort()
    for (const wait of this.#waits.values()) wait.abort()
    await this.#queue.stop()
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const parts = this.#dirty.take(key)
    this.#waits.get(key)?.abort(OVERTAKEN)
    this.#waits.delete(key)
    try {
      this.#applyResult(key, await this.#controller.reconcile(key, parts, signal))
    } catch (error) {
      this.#dirty.restore(key, parts)
      throw error
    }
  }

  #applyResult(key: string, { requeueAfter, dirty, restFor = 0 }: ReconcileResult): void {
    if (dirty === undefined) this.#dirty.forget(key)
    else this.#dirty.markAll(key, dirty)
    if (restFor < LEAST_REST_MS) this.#rests.delete(key)
    else this.#rests.set(key, this.#context.clock.monotonic() + restFor)
    if (requeueAfter === undefined) return
    if (requeueAfter === 0) return this.#queue.add(key)
    this.#requeue(key, requeueAfter)
  }

  #requeue(key: string, ms: number): void {
    this.#waits.get(key)?.abort(OVERTAKEN)
    const wait = new AbortController()
    this.#waits.set(key, wait)
    void this.#later(ms, wait.signal, () => {
      this.#waits.delete(key)
      this.#queue.add(key)
    })
  }

  async #later(ms: number, signal: AbortSignal, work: () => void): Promise<void> {
    try {
      await this.#context.clock.sleep(ms, signal)
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    work()
  }
}

/** Did all that failed fail because somebody else was faster? */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof AggregateError ? error.errors.every(isOvertaken) : isConflict(error) || isNotFound(error)
