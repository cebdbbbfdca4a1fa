import type { Clock } from '../../src/kube/time/clock.ts'

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/** Resolves when all immediate work has run, however many promises it waits for. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A clock that goes only when asked to. */
export class ManualClock implements Clock {
  #elapsed = 0
  #wall = Date.UTC(2026, 0, 1)
  readonly #sleepers = new Set<Sleeper>()
  /** The result of `random`. */
  chance = 0.5

  readonly now = (): number => this.#wall
  readonly monotonic = (): number => this.#elapsed
  readonly random = (): number => this.chance

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const aborted = (): void => {
        this.#sleepers.delete(sleeper)
        reject(signal.reason)
      }
      const sleeper = {
        at: this.#elapsed + ms,
        wake: () => {
          signal.removeEventListener('abort', aborted)
          resolve()
        },
      }
      if (signal.aborted) return aborted()
      this.#sleepers.add(sleeper)
      signal.addEventListener('abort', aborted, { once: true })
    })

  get sleepers(): number {
    return this.#sleepers.size
  }

  /** The wall clock is set; what is measured goes on as before. */
  jump(ms: number): void {
    this.#wall += ms
  }

  /** Time passes while nothing can run; what came due meanwhile is due at once afterwards. */
  async stall(ms: number): Promise<void> {
    await settled()
    this.#goTo(this.#elapsed + ms)
    await this.advance(0)
  }

  /** Lets time pass, and all that it wakes run, one after the other. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms
    await settled()
    for (;;) {
      const [next] = [...this.#sleepers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#sleepers.delete(next)
      this.#goTo(next.at)
      next.wake()
      await settled()
    }
    this.#goTo(end)
  }

  #goTo(elapsed: number): void {
    const passed = Math.max(0, elapsed - this.#elapsed)
    this.#elapsed += passed
    this.#wall += passed
  }
}
