import type { Clock } from '../../kube/time/clock.ts'
import type { Logger } from '../../runtime/process/logger.ts'

export interface CompleteRulesOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Pick<Logger, 'warn'>
  /** Returns why API servers may have to be asked about more than the rules say by now; undefined when the rules are complete. */
  readonly pending: () => string | undefined
}

/** The longest time to wait for the kinds of quotas, as when the API server cannot say for ever what it serves. */
export const MOST_WAIT_MS = 30_000

/**
 * Tells when a replica that has just started knows all that webhooks are to be asked about. Rules that it writes before would take the place of
 * those of an earlier replica, which ask about more: requests in between would go past the quotas.
 */
export class CompleteRules {
  readonly #options: CompleteRulesOptions
  readonly #startedAt: number
  #areComplete = false

  constructor(options: CompleteRulesOptions) {
    this.#options = options
    this.#startedAt = options.clock.monotonic()
  }

  /** Stays true once it was. */
  get areComplete(): boolean {
    if (this.#areComplete) return true
    const { clock, logger, pending } = this.#options
    const reason = pending()
    const isOverdue = clock.monotonic() - this.#startedAt >= MOST_WAIT_MS
    if (reason !== undefined && !isOverdue) return false
    if (reason !== undefined)
      logger.warn({ reason }, 'the rules of the webhooks are written before all that quotas count is known')
    this.#areComplete = true
    return true
  }
}
