/** How long the first wait after a failure is, and the longest, before chance moves each by up to half of it. */
export interface BackoffRange {
  readonly firstMs: number
  readonly lastMs: number
}

const USUAL: BackoffRange = { firstMs: 100, lastMs: 30_000 }

/** Waits that double from failure to failure, spread by chance so that clients of one server do not all come at once. */
export class Backoff {
  readonly #random: () => number
  readonly #range: BackoffRange
  #failures = 0

  /** `random` gives numbers in [0, 1). */
  constructor(random: () => number, range: BackoffRange = USUAL) {
    this.#random = random
    this.#range = range
  }

  /** How often it failed since the last success. */
  get failures(): number {
    return this.#failures
  }

  /** The wait after one more failure, in milliseconds; at least `leastMs`, which a server may have asked for. */
  next(leastMs = 0): number {
    const { firstMs, lastMs } = this.#range
    const wait = Math.min(firstMs * 2 ** this.#failures, lastMs)
    this.#failures++
    const chance = this.#random()
    return Math.max(wait * (0.5 + chance), leastMs * (1 + chance / 4))
  }

  succeeded(): void {
    this.#failures = 0
  }
}
