import { AdvisingError } from '../../machinery/advising-error.ts'
import { Backoff } from '../../kube/time/backoff.ts'
import type { Clock } from '../../kube/time/clock.ts'
import { askedToWaitMs, retryTimeout } from '../../kube/transport/transient-error.ts'
import type { Logger } from '../../runtime/process/logger.ts'

export interface RetryOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'random' | 'sleep'>
  readonly logger: Logger
  readonly signal: AbortSignal
}

const WAITS = { firstMs: 250, lastMs: 5_000 }
const TELL_AGAIN_MS = 10_000

/**
 * Does the work, and repeats it while it fails for a temporary reason, such as a restart of the API server.
 * `retryTimeout` bounds the repetition, and the log tells of it. Rejects with the last failure, and with the signal's
 * reason.
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  { clock, logger, signal }: RetryOptions,
): Promise<T> {
  const backoff = new Backoff(clock.random, WAITS)
  const began = clock.monotonic()
  let tellAt = began
  for (;;) {
    try {
      const done = await work()
      if (backoff.failures > 0) logger.info({}, 'the API server is available again')
      return done
    } catch (error) {
      signal.throwIfAborted()
      const wait = backoff.next(askedToWaitMs(error))
      const now = clock.monotonic()
      const giveUpAt = began + retryTimeout(error)
      if (now + wait > giveUpAt) throw error
      if (now >= tellAt) {
        const givesUpInSeconds = Math.round((giveUpAt - now) / 1000)
        logger.warn(
          { ...reportOf(error), givesUpInSeconds },
          'the API server is not available now; the request is sent again',
        )
        tellAt = now + TELL_AGAIN_MS
      }
      await clock.sleep(wait, signal)
    }
  }
}

function reportOf(error: unknown): { readonly problem: string; readonly advice?: string } {
  const problem = error instanceof Error ? error.message : String(error)
  return error instanceof AdvisingError ? { problem, advice: error.advice } : { problem }
}
