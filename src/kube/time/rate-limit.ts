import type { SystemContext } from './system-context.ts'

/** How fast requests may begin. */
export interface Rate {
  /** Requests a second, in the long run; 0: as many as one likes. */
  readonly qps: number
  /** How many may begin at once after a pause. */
  readonly burst: number
}

/** A token bucket that serves in the order of asking, so that nobody starves. */
export class RateLimit {
  readonly #intervalMs: number
  readonly #toleranceMs: number
  readonly #context: Pick<SystemContext, 'monotonic' | 'sleep'>
  /** When the bucket would be full again. */
  #fullAt = 0

  constructor({ qps, burst }: Rate, context: Pick<SystemContext, 'monotonic' | 'sleep'>) {
    this.#intervalMs = qps > 0 ? 1000 / qps : 0
    this.#toleranceMs = this.#intervalMs * Math.max(burst - 1, 0)
    this.#context = context
  }

  /** Resolves when it is the caller's turn; rejects with the signal's reason when it aborts first. */
  async take(signal: AbortSignal): Promise<void> {
    const now = this.#context.monotonic()
    const from = Math.max(this.#fullAt, now)
    this.#fullAt = from + this.#intervalMs
    const wait = from - this.#toleranceMs - now
    if (wait > 0) await this.#context.sleep(wait, signal)
  }

  /** Takes a turn if there is one now. */
  takeNow(): boolean {
    const now = this.#context.monotonic()
    const from = Math.max(this.#fullAt, now)
    if (from - this.#toleranceMs > now) return false
    this.#fullAt = from + this.#intervalMs
    return true
  }

  /** Has nobody taken a turn for so long that it is as if nobody ever had? */
  get isFull(): boolean {
    return this.#fullAt <= this.#context.monotonic()
  }
}
