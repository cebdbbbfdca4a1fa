import type { LimitReading } from '../../insight/history/limit-reading.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { whenAborted } from '../../runtime/tasks/when-aborted.ts'
import type { ReconcileMetrics } from './reconcile-metrics.ts'
import type { RunningSystem } from './running-system.ts'
import { RunningController } from './run-controller.ts'
import { SharedCaches, SystemCaches } from './shared-caches.ts'

export interface StartedSystemsOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: ReconcileMetrics
  /** Each starts a system, which asks for its caches. */
  readonly starts: readonly ((caches: SystemCaches) => RunningSystem)[]
}

interface Started {
  readonly caches: SystemCaches
  readonly running: RunningSystem
}

/** The systems of the operator: their caches, and the running of their controllers. */
export class StartedSystems {
  readonly #options: StartedSystemsOptions
  readonly #caches: SharedCaches
  readonly #systems: readonly Started[]

  /** Starts the systems; `start` begins to fill their caches. */
  constructor(options: StartedSystemsOptions) {
    this.#options = options
    this.#caches = new SharedCaches(options)
    this.#systems = options.starts.map((start) => {
      const caches = new SystemCaches(this.#caches)
      return { caches, running: start(caches) }
    })
  }

  /** Fills the caches. Resolves when everything that decisions need is known. */
  async start(): Promise<void> {
    this.#caches.start()
    await Promise.all(this.#systems.map(({ caches }) => caches.whenSynced()))
  }

  /** Returns the problem that keeps a system, by its place in the options, from deciding now, if any. */
  problemOf(at: number): string | undefined {
    return this.#systems[at]?.caches.problem()
  }

  /** Returns why the webhooks of a system may lack rules that stored objects need, if they may. */
  pendingRules(): string | undefined {
    for (const { running } of this.#systems) {
      const reason = running.pendingRules?.()
      if (reason !== undefined) return reason
    }
    return undefined
  }

  /** The limits of all systems with what is used of them now. */
  *readings(): Generator<LimitReading> {
    for (const { running } of this.#systems) yield* running.readings?.() ?? []
  }

  /** Reconciles until the signal aborts; resolves when nothing is under way any more. */
  async lead(signal: AbortSignal): Promise<void> {
    const { clock, logger, metrics } = this.#options
    const synced = Promise.all(this.#systems.map(({ caches }) => caches.whenSynced()))
    await Promise.race([synced, whenAborted(signal)])
    if (signal.aborted) return
    const running = this.#systems.flatMap(({ running: system }) => {
      const controllers = new Map<string, RunningController>()
      const declared = system.controllers((controller, request) => controllers.get(controller)?.enqueue(request))
      for (const one of declared) controllers.set(one.name, new RunningController(one, { clock, logger, metrics }))
      return [...controllers.values()]
    })
    for (const controller of running) controller.follow()
    await whenAborted(signal)
    await Promise.all(running.map((controller) => controller.stop()))
  }

  /** Ends to watch, and whatever else the systems do. */
  async stop(): Promise<void> {
    await Promise.all([this.#caches.stop(), ...this.#systems.map(({ running }) => running.stop?.())])
  }
}
