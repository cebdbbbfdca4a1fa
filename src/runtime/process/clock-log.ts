import type { Logger } from './logger.ts'
import type { ClockSteps } from '../time/clock-steps.ts'

/** Says in the log when the clock was set, since its other lines have the time of that clock; gives a function that ends it. */
export const logClockSteps = (clockSteps: Pick<ClockSteps, 'subscribe'>, logger: Logger): (() => void) =>
  clockSteps.subscribe((byMs) =>
    logger.warn(
      { seconds: Math.round(byMs / 1000) },
      'the clock of this machine was set, or the machine slept: leases and reservations go on, and certificates are looked at again',
    ),
  )
