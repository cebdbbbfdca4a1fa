const MOST = 12

/** The latest answers by path. An answer is held in memory only, for as long as the server of one sign-in. */
export class HeldAnswers {
  readonly #answers = new Map<string, unknown>()

  get(path: string): unknown {
    return this.#answers.get(path)
  }

  /** Holds an answer; the one that has been held the longest goes where there are too many. */
  hold(path: string, answer: unknown): void {
    this.#answers.delete(path)
    this.#answers.set(path, answer)
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MOST) return
      this.#answers.delete(oldest)
    }
  }

  drop(path: string): void {
    this.#answers.delete(path)
  }
}
