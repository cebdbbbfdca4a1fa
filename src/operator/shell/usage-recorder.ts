import type { Registry } from '@prometheus-io/client'
import { EXHAUSTION_METRICS, exhaustionSamples } from '../../insight/history/exhaustion-metrics.ts'
import type { LimitReading } from '../../insight/history/limit-reading.ts'
import type { UsageHistory } from '../../insight/history/usage-history.ts'
import { type Clock, pause } from '../../kube/time/clock.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { showGauges } from './read-gauges.ts'

export interface UsageRecorderOptions {
  readonly history: UsageHistory
  /** The limits of all systems as the caches have them: nothing is asked of the API server. */
  readonly readings: () => Iterable<LimitReading>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Logger
  readonly registry: Registry
}

/** So many limits are looked at before whatever else waits has its turn, such as a review. */
const AT_A_TIME = 250

/** Looks at all limits at regular times, and shows Prometheus when they will be exhausted. */
export class UsageRecorder {
  readonly #options: UsageRecorderOptions

  constructor(options: UsageRecorderOptions) {
    this.#options = options
    showGauges(options.registry, EXHAUSTION_METRICS, () => exhaustionSamples(options.history))
  }

  /** Records until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { history, clock, logger } = this.#options
    let hasLeftOut = false
    while (!signal.aborted) {
      try {
        await this.#look(signal)
      } catch (error) {
        logger.error({ error }, 'the usage of quotas could not be recorded')
      }
      if (history.leftOut > 0 && !hasLeftOut)
        logger.warn({ kept: history.size, leftOut: history.leftOut }, 'the usage of some limits is not recorded')
      hasLeftOut = history.leftOut > 0
      await pause(clock, history.stepMs, signal)
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { history, readings, clock } = this.#options
    const look = history.look(clock.monotonic())
    let count = 0
    for (const reading of readings()) {
      look.see(reading)
      if (++count % AT_A_TIME > 0) continue
      await pause(clock, 0, signal)
      if (signal.aborted) return
    }
    look.end()
  }
}
