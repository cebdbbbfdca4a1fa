/**
 * Gives turns for work that holds up the thread: one at a time, everything else that waits in between, and to one user after
 * the other, so that a user with many requests delays only itself.
 */
export class TurnQueue {
  readonly #most: number
  readonly #tooMany: () => Error
  /** By user, in the order of their next turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #isGiving = false

  /** At most so many may wait for one user. */
  constructor(most: number, tooMany: () => Error) {
    this.#most = most
    this.#tooMany = tooMany
  }

  /** Resolves when it is this user's turn. Rejects with what `tooMany` gives when too many wait already. */
  turn(user: string): Promise<void> {
    const waiting = this.#waiting.get(user)?.length ?? 0
    return waiting >= this.#most ? Promise.reject(this.#tooMany()) : this.anyTurn(user)
  }

  /** As `turn`, for what has begun and can be refused no more. */
  anyTurn(user: string): Promise<void> {
    const own = this.#waiting.get(user) ?? []
    this.#waiting.set(user, own)
    if (!this.#isGiving) this.#giveLater()
    return new Promise((resolve) => own.push(resolve))
  }

  #giveLater(): void {
    this.#isGiving = true
    // The first one lets requests that have arrived be read, the second one follows what they lead to.
    setImmediate(() => setImmediate(() => this.#give()))
  }

  #give(): void {
    for (const [user, own] of this.#waiting) {
      this.#waiting.delete(user)
      const next = own.shift()
      if (own.length > 0) this.#waiting.set(user, own)
      next?.()
      break
    }
    if (this.#waiting.size > 0) this.#giveLater()
    else this.#isGiving = false
  }
}
