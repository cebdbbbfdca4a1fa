import type { SystemContext } from '../../kube/time/system-context.ts'

/** How much may be worked at once after a rest, and how much of each second in the long run. */
export interface WorkRate {
  readonly burstMs: number
  readonly msASecond: number
}

/** Work that is paid for when it is done, because nobody knows its price before. */
export class WorkBudget {
  readonly #rate: WorkRate
  readonly #clock: Pick<SystemContext, 'monotonic'>
  #spentMs = 0
  #seenAt: number

  constructor(rate: WorkRate, clock: Pick<SystemContext, 'monotonic'>) {
    this.#rate = rate
    this.#clock = clock
    this.#seenAt = clock.monotonic()
  }

  /** Is something left? */
  get hasLeft(): boolean {
    return this.#spent() < this.#rate.burstMs
  }

  /** Is it as if nothing had ever been spent? */
  get isFull(): boolean {
    return this.#spent() === 0
  }

  spend(ms: number): void {
    this.#spentMs = this.#spent() + ms
  }

  #spent(): number {
    const now = this.#clock.monotonic()
    this.#spentMs = Math.max(0, this.#spentMs - ((now - this.#seenAt) / 1000) * this.#rate.msASecond)
    this.#seenAt = now
    return this.#spentMs
  }
}
