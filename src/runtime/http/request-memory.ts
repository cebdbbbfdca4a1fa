/**
 * The memory of a request: its body as long as something works on it, also when its client has gone, and its head until it
 * is answered or given up besides.
 */
export class RequestMemory {
  #isHandled = false
  #isClosed = false
  #releaseBody: (() => void) | undefined
  #releaseHead: (() => void) | undefined

  keepBody(release: () => void): void {
    if (this.#isHandled) release()
    else this.#releaseBody = release
  }

  keepHead(release: (() => void) | undefined): void {
    this.#releaseHead = release
  }

  /** Nothing works on the request any more. */
  handled(): void {
    this.#isHandled = true
    this.#releaseBody?.()
    this.#releaseBody = undefined
    this.#releaseIfOver()
  }

  /** The answer has left, or the client. */
  closed(): void {
    this.#isClosed = true
    this.#releaseIfOver()
  }

  #releaseIfOver(): void {
    if (!this.#isHandled || !this.#isClosed) return
    this.#releaseHead?.()
    this.#releaseHead = undefined
  }
}
