const MOST = 12

/** An answer, and when it came. */
export interface HeldAnswer {
  readonly answer: unknown
  readonly at: Date
}

/** The latest answers by path. An answer is held in memory only, for as long as the server of one sign-in. */
export class HeldAnswers {
  readonly #answers = new Map<string, HeldAnswer>()

  get(path: string): HeldAnswer | undefined {
    return this.#answers.get(path)
  }

  /** Holds an answer; the one that has been held the longest goes where there are too many. */
  hold(path: string, answer: unknown, at = new Date()): void {
    this.#answers.delete(path)
    this.#answers.set(path, { answer, at })
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MOST) return
      this.#answers.delete(oldest)
    }
  }

  drop(path: string): void {
    this.#answers.delete(path)
  }
}
