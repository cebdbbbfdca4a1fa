import type { Clock } from '../../kube/time/clock.ts'
import type { Logger } from '../../runtime/process/logger.ts'

export interface CompleteRulesOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Pick<Logger, 'warn'>
  /** Returns why API servers may have to be asked about more than the rules say by now; undefined when the rules are complete. */
  readonly pending: () => string | undefined
}

/**
 * 'waiting': the rules may soon be complete, so write nothing. 'overdue': the rules have been incomplete for long, so
 * keep the rules of an earlier replica, too. 'complete': the rules hold all that quotas need.
 */
export type RulesState = 'waiting' | 'overdue' | 'complete'

/** The longest time to wait for the kinds of quotas, as when the API server cannot say for ever what it serves. */
export const MOST_WAIT_MS = 30_000

/**
 * Tells when a new leader knows all webhook rules. Incomplete rules would replace the wider rules of an earlier
 * replica, and requests would bypass the quotas.
 */
export class CompleteRules {
  readonly #options: CompleteRulesOptions
  readonly #startedAt: number
  #state: RulesState = 'waiting'

  /** Its time to wait begins now. */
  constructor(options: CompleteRulesOptions) {
    this.#options = options
    this.#startedAt = options.clock.monotonic()
  }

  /** Stays 'complete' once it was. */
  get state(): RulesState {
    if (this.#state === 'complete') return this.#state
    const { clock, logger, pending } = this.#options
    const reason = pending()
    const isOverdue = clock.monotonic() - this.#startedAt >= MOST_WAIT_MS
    if (reason === undefined) this.#state = 'complete'
    else if (isOverdue && this.#state === 'waiting') {
      this.#state = 'overdue'
      logger.warn({ reason }, 'it is not known what quotas count: the former rules of the webhooks are kept')
    }
    return this.#state
  }
}
