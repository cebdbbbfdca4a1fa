import type { Clock } from '../../kube/time/clock.ts'
import { AskedRules } from '../../operator/shell/asked-rules.ts'
import type { AnsweredHook, WebhookRules } from '../../operator/shell/registered-webhooks.ts'
import type { QuotaAsking } from './adapter.ts'
import type { CountedQuota } from './counted-quota.ts'
import type { QuotaTracker } from './quota-tracker.ts'

export interface QuotaRulesOptions<T extends CountedQuota> {
  readonly tracker: Pick<QuotaTracker<T>, 'all' | 'changes' | 'onChange' | 'hasBegun' | 'isSynced' | 'isReported'>
  readonly asking: QuotaAsking<T>
  readonly webhooks: WebhookRules
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** Decides on the requests. */
  readonly handle: AnsweredHook['handle']
  /** Namespaces that are not asked about unless they have quotas. */
  readonly exempt: ReadonlySet<string>
}

/** Keeps the webhook rules for the counted objects, and knows for which quotas the rules are in force. */
export class QuotaRules<T extends CountedQuota> {
  readonly #options: QuotaRulesOptions<T>
  readonly #asked: AskedRules
  #derivedAt = 0

  constructor(options: QuotaRulesOptions<T>) {
    const { tracker, asking, webhooks, clock, handle, exempt } = options
    const hook = { sideEffects: 'NoneOnDryRun', ...asking.hookOf(handle), exempt } as const
    this.#options = options
    this.#asked = new AskedRules({ webhooks, clock, hook })
    // An API server may go by the rules of an earlier process.
    webhooks.answerAlways({ path: hook.path, handle })
    tracker.onChange(() => this.#derive())
  }

  /** Reports whether the API server is proven to ask about all objects that the quota counts. */
  isLiveFor(tracked: T): boolean {
    const asked = this.#options.asking.askedFor(tracked)
    return asked?.every(([key, namespaces]) => this.#asked.isLiveFor(key, namespaces)) === true
  }

  /** Returns why the rules may lack some that quotas need, if they may. */
  pending(): string | undefined {
    const { tracker, asking } = this.#options
    const { hasBegun, isSynced, isReported } = tracker
    const unknown = asking.pending?.()
    if (unknown !== undefined || !hasBegun) return unknown
    return isSynced && isReported && this.#asked.areComplete ? undefined : `rules for ${asking.plural} are being made`
  }

  /** Calls a handler whenever more is proven. Gives what ends it. */
  onLive(handler: () => void): () => void {
    return this.#asked.onLive(handler)
  }

  stop(): void {
    this.#asked.stop()
  }

  #derive(): void {
    const { tracker, asking } = this.#options
    if (tracker.changes === this.#derivedAt) return
    this.#derivedAt = tracker.changes
    this.#asked.need(asking.asked(tracker.all))
  }
}
