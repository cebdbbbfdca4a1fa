import type { LimitHistory, UsageHistory } from '../../insight/history/usage-history.ts'
import type { SystemContext } from '../../kube/time/system-context.ts'
import { timeText } from '../../machinery/text/time.ts'

/**
 * The use of quotas that the operator of this process has recorded, with its own rights. Nothing of it may go out but of objects that the API server
 * has given to the viewer in the same request: it is found by their uids only.
 */
export class RecordedUsage {
  readonly #history: UsageHistory | undefined
  readonly #clock: Pick<SystemContext, 'now' | 'monotonic'>

  /** Without a history nothing is recorded. */
  constructor(history: UsageHistory | undefined, clock: Pick<SystemContext, 'now' | 'monotonic'>) {
    this.#history = history
    this.#clock = clock
  }

  /** When the recording began; undefined before that. */
  get since(): string | undefined {
    const since = this.#history?.since
    return since === undefined ? undefined : this.timeOf(since)
  }

  /** The limits of an object. */
  of(uid: string): readonly LimitHistory[] {
    return this.#history?.of(uid) ?? []
  }

  /** The moment of a point. */
  timeOf(at: number): string {
    return timeText(this.#clock.now() - this.#clock.monotonic() + at)
  }
}
