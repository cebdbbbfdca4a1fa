/**
 * Gives turns for work that holds up the thread. Everything else that waits runs in between. The turns go to one user
 * after the other, so a user with many requests delays only itself.
 */
export class TurnQueue {
  readonly #shareMs: () => number
  /** By user, in the order of their next turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #isGiving = false

  /** @param shareMs as long as those before have taken less time, the next one follows at once; 0: one at a time */
  constructor(shareMs: () => number = () => 0) {
    this.#shareMs = shareMs
  }

  /** How many wait for turns of this user. */
  waitingOf(user: string): number {
    return this.#waiting.get(user)?.length ?? 0
  }

  /** Resolves when it is this user's turn. */
  turn(user: string): Promise<void> {
    return new Promise((resolve) => this.#of(user).push(resolve))
  }

  /** As `turn`, before all that wait for this user. */
  nextTurn(user: string): Promise<void> {
    return new Promise((resolve) => this.#of(user).unshift(resolve))
  }

  #of(user: string): (() => void)[] {
    const own = this.#waiting.get(user) ?? []
    this.#waiting.set(user, own)
    if (!this.#isGiving) this.#giveLater()
    return own
  }

  #giveLater(): void {
    this.#isGiving = true
    // The first one lets requests that have arrived be read, the second one follows what they lead to.
    setImmediate(() => setImmediate(() => this.#give(performance.now() + this.#shareMs())))
  }

  #give(end: number): void {
    for (const [user, own] of this.#waiting) {
      this.#waiting.delete(user)
      const next = own.shift()
      if (own.length > 0) this.#waiting.set(user, own)
      next?.()
      break
    }
    if (this.#waiting.size === 0) this.#isGiving = false
    else if (this.#shareMs() === 0) this.#giveLater()
    // The callback of `nextTick` runs after all that the turn leads to at once.
    else queueMicrotask(() => process.nextTick(() => this.#giveUntil(end)))
  }

  #giveUntil(end: number): void {
    if (performance.now() < end) this.#give(end)
    else this.#giveLater()
  }
}
