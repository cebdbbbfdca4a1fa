/**
 * Requests that wait for a change, in one line for each key. A change gives the first request its turn. When that
 * request goes on, it gives the next one its turn.
 */
export class WaitingLines {
  readonly #lines = new Map<string, (() => void)[]>()

  /** Resolves when it is one's turn; false where it is `over` before. `isFirst`: one had the turn and has to wait on. */
  async turn(key: string, isFirst: boolean, over: Promise<void>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const wake = (): void => resolve(true)
    const line = this.#lines.get(key) ?? []
    this.#lines.set(key, line)
    if (isFirst) line.unshift(wake)
    else line.push(wake)
    const isTurn = await Promise.race([promise, over.then(() => false)])
    if (!isTurn) this.#leave(key, wake)
    return isTurn
  }

  /** Gives the first in a line its turn. */
  next(key: string): void {
    const line = this.#lines.get(key)
    line?.shift()?.()
    if (line?.length === 0) this.#lines.delete(key)
  }

  #leave(key: string, wake: () => void): void {
    const line = this.#lines.get(key)?.filter((other) => other !== wake) ?? []
    if (line.length === 0) this.#lines.delete(key)
    else this.#lines.set(key, line)
  }
}
