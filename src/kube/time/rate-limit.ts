import { pause } from './clock.ts'
import type { SystemContext } from './system-context.ts'

/** How fast requests may begin. */
export interface Rate {
  /** Requests a second, in the long run; 0: as many as one likes. */
  readonly qps: number
  /** How many may begin at once after a pause. */
  readonly burst: number
}

/** A token bucket that serves in the order of asking, so that nobody starves. Who leaves the queue uses no turn. */
export class RateLimit {
  readonly #intervalMs: number
  readonly #toleranceMs: number
  readonly #context: Pick<SystemContext, 'monotonic' | 'sleep'>
  readonly #waiting = new Set<() => void>()
  /** Aborts when nobody waits any more. */
  #unused = new AbortController()
  /** When the bucket would be full again. */
  #fullAt = 0

  constructor({ qps, burst }: Rate, context: Pick<SystemContext, 'monotonic' | 'sleep'>) {
    this.#intervalMs = qps > 0 ? 1000 / qps : 0
    this.#toleranceMs = this.#intervalMs * Math.max(burst - 1, 0)
    this.#context = context
  }

  /** Resolves when it is the caller's turn; rejects with the signal's reason when it aborts first. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.takeNow()) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => {
      reject(signal.reason)
      this.#waiting.delete(resolve)
      if (this.#waiting.size === 0) this.#unused.abort()
    }
    signal.addEventListener('abort', leave, { once: true })
    this.#waiting.add(resolve)
    if (this.#waiting.size === 1) this.#serve().catch(reject)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Takes a turn if there is one now, and nobody waits for it. */
  takeNow(): boolean {
    if (this.#waiting.size > 0 || this.#waitMs() > 0) return false
    this.#use()
    return true
  }

  /** Has nobody taken a turn for so long that it is as if nobody ever had? */
  get isFull(): boolean {
    return this.#waiting.size === 0 && this.#fullAt <= this.#context.monotonic()
  }

  /** Gives their turns to all that wait. */
  async #serve(): Promise<void> {
    const { signal } = (this.#unused = new AbortController())
    while (this.#waiting.size > 0) {
      const wait = this.#waitMs()
      if (wait > 0) await pause(this.#context, wait, signal)
      // Another one serves those that have come since.
      if (signal.aborted) return
      const [next] = this.#waiting
      if (next === undefined) return
      this.#waiting.delete(next)
      this.#use()
      next()
    }
  }

  #waitMs(): number {
    const now = this.#context.monotonic()
    return Math.max(this.#fullAt, now) - this.#toleranceMs - now
  }

  #use(): void {
    this.#fullAt = Math.max(this.#fullAt, this.#context.monotonic()) + this.#intervalMs
  }
}
