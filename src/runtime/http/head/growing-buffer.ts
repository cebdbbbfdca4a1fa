const LEAST = 4096

/** Bytes that arrive in pieces of any size, kept in one piece: a thousand buffers of a byte each would hold far more. */
export class GrowingBuffer {
  #buffer = Buffer.allocUnsafeSlow(LEAST)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The bytes of memory that it takes. */
  get capacity(): number {
    return this.#buffer.length
  }

  append(piece: Buffer): void {
    const needed = this.#length + piece.length
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length))
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    piece.copy(this.#buffer, this.#length)
    this.#length = needed
  }

  /** The appended bytes; valid until the next append. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }
}
