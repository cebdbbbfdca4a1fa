/** How often is looked whether the clock was set: no timer notices it. */
const LOOK_MS = 1000
/** The clocks drift apart by far less in a second, and no certificate or token is so exact. */
const STEP_MS = 1000

/** The functions that read the clocks; tests replace them. */
export interface Clocks {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Milliseconds that only ever grow, whatever happens to the clock. */
  readonly monotonic: () => number
  /** Calls back every so many milliseconds; gives a function that ends it. */
  readonly every: (ms: number, look: () => void) => () => void
}

/**
 * Notices when the wall clock was set forward or back (or the machine slept), within a second, by the clock that nobody can
 * set. A component with a deadline of the wall clock, such as the end of a certificate, has to look again then. It looks only while
 * somebody listens.
 */
export class ClockSteps {
  readonly #clocks: Clocks
  readonly #listeners = new Set<(byMs: number) => void>()
  #offset = 0
  #stop: (() => void) | undefined

  constructor(clocks: Clocks) {
    this.#clocks = clocks
  }

  /** Calls back after each step from now on, with its size; gives a function that ends it. */
  subscribe(listener: (byMs: number) => void): () => void {
    this.#listeners.add(listener)
    if (this.#stop === undefined) {
      this.#offset = this.#read()
      this.#stop = this.#clocks.every(LOOK_MS, () => this.#look())
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  #look(): void {
    const offset = this.#read()
    const byMs = offset - this.#offset
    if (Math.abs(byMs) < STEP_MS) return
    this.#offset = offset
    for (const listener of this.#listeners) listener(byMs)
  }

  /** By how much the wall clock is ahead of the other. It only changes when the wall clock is set. */
  #read(): number {
    return this.#clocks.now() - this.#clocks.monotonic()
  }
}

/** The steps of a wall clock (`now`: milliseconds since the epoch) against the clock of this process that nobody can set. */
export const clockStepsOf = (now: () => number): ClockSteps =>
  new ClockSteps({
    now,
    monotonic: () => performance.now(),
    every: (ms, look) => {
      const timer = setInterval(look, ms).unref()
      return () => clearInterval(timer)
    },
  })
