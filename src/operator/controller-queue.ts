import { isConflict, isNotFound } from '../machinery/status.ts'
import type { Logger } from '../runtime/logger.ts'
import { WorkQueue } from '../runtime/work-queue.ts'
import type { ReconcileMeter } from './reconcile-metrics.ts'

export interface ControllerQueueOptions {
  readonly controller: string
  readonly work: (key: string, signal: AbortSignal) => Promise<void>
  readonly workers: number
  readonly logger: Logger
  readonly meter: ReconcileMeter
}

/** The queue of a controller, which measures and logs what it does. What fails is tried again, later each time. */
export function controllerQueue({ controller, work, workers, logger, meter }: ControllerQueueOptions): WorkQueue {
  const log = logger.child({ controller })
  return new WorkQueue({
    workers,
    work: async (key, signal) => {
      const began = performance.now()
      try {
        await work(key, signal)
        meter.finished('done', (performance.now() - began) / 1000)
      } catch (error) {
        meter.finished(isOvertaken(error) ? 'overtaken' : 'failed', (performance.now() - began) / 1000)
        throw error
      }
    },
    onError: (key, error) => {
      if (isOvertaken(error)) log.debug({ key, error }, 'something had changed meanwhile; it is looked at again')
      else log.warn({ key, error }, 'could not be reconciled; it is tried again')
    },
  })
}

/** Did all that failed fail because somebody else was faster? */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof AggregateError ? error.errors.every(isOvertaken) : isConflict(error) || isNotFound(error)
