import type { Clock } from '../../kube/time/clock.ts'
import { withinTime } from '../../kube/time/deadline.ts'
import { isForbidden } from '../../machinery/status.ts'
import { isUnauthorized } from '../viewer/viewers.ts'

/** For so long a right is believed: an API server lets a watch go on when the right to it is gone. */
const FRESH_MS = 10_000
/** As often is asked again, and after a question that was not answered. */
const ASK_AGAIN_MS = 5_000
const TRY_AGAIN_MS = 1_000

/** The right to watch, which is never believed longer than ten seconds after it was last asked for. */
export class WatchRight {
  readonly #ask: (signal: AbortSignal) => Promise<boolean>
  readonly #clock: Clock
  #freshUntil = -Infinity

  constructor(ask: (signal: AbortSignal) => Promise<boolean>, clock: Clock) {
    this.#ask = ask
    this.#clock = clock
  }

  /** Has the API server allowed it within the last ten seconds? */
  get isFresh(): boolean {
    return this.#leftMs > 0
  }

  /** Asks now. Rejects where the API server does not answer within ten seconds, as `KubeClient` does, and when the signal aborts. */
  async confirm(signal: AbortSignal): Promise<boolean> {
    return await this.#answered(FRESH_MS, signal)
  }

  /**
   * Asks again and again. Resolves with the reason when the right is gone, or is not known any more. Rejects with 401 where the API server does not
   * know the token, and when the signal aborts.
   */
  async lost(signal: AbortSignal): Promise<'refused' | 'unreachable'> {
    for (let wait = ASK_AGAIN_MS; ;) {
      await this.#clock.sleep(Math.max(0, Math.min(wait, this.#leftMs)), signal)
      if (!this.isFresh) return 'unreachable'
      try {
        if (!(await this.#answered(this.#leftMs, signal))) return 'refused'
        wait = ASK_AGAIN_MS
      } catch (error) {
        if (signal.aborted || isUnauthorized(error)) throw error
        if (isForbidden(error)) return 'refused'
        wait = TRY_AGAIN_MS
      }
    }
  }

  /** What is answered later does not count. */
  async #answered(ms: number, signal: AbortSignal): Promise<boolean> {
    const asked = this.#clock.monotonic()
    const isAllowed = await withinTime(this.#clock, ms, signal, this.#ask)
    if (isAllowed) this.#freshUntil = asked + FRESH_MS
    return isAllowed
  }

  get #leftMs(): number {
    return this.#freshUntil - this.#clock.monotonic()
  }
}
