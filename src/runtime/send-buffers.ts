/** A stream toward a client, as far as it matters here. */
export interface Waiting {
  /** Bytes that were written and have not left yet. */
  readonly writableLength: number
  destroy(): unknown
}

/** Streams with less than this waiting are not counted: that is what a busy network keeps. */
const LITTLE = 64 * 1024

/**
 * What waits to be sent to clients that read slowly or no more, over all streams together. One stream is bounded by its own
 * limit; a thousand of them are not, so the one that is furthest behind is cut off when all hold too much.
 */
export class SendBuffers {
  readonly #limit: number
  readonly #held = new Map<Waiting, number>()
  #total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** To be told after each write to a stream, and when it has ended. */
  note(stream: Waiting, ended = false): void {
    const before = this.#held.get(stream) ?? 0
    const now = ended || stream.writableLength < LITTLE ? 0 : stream.writableLength
    this.#total += now - before
    if (now > 0) this.#held.set(stream, now)
    else if (before > 0) this.#held.delete(stream)
    if (this.#total > this.#limit) this.#relieve()
  }

  /** What was known of the streams is of their last write; so it is looked up anew before one is cut off. */
  #relieve(): void {
    let most: Waiting | undefined
    this.#total = 0
    for (const stream of this.#held.keys()) {
      const length = stream.writableLength
      if (length < LITTLE) {
        this.#held.delete(stream)
        continue
      }
      this.#held.set(stream, length)
      this.#total += length
      if (length > (most?.writableLength ?? 0)) most = stream
    }
    if (this.#total <= this.#limit || most === undefined) return
    this.#total -= this.#held.get(most) ?? 0
    this.#held.delete(most)
    most.destroy()
  }
}
