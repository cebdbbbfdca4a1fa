/** How a portion of a connection's bytes ends, and what it costs. */
export interface Portion {
  /** The index behind the portion. */
  readonly to: number
  readonly points: number
}

const PREFACE_BYTES = 24
const HEAD_BYTES = 9
const TYPE = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, continuation: 9 } as const
const END_HEADERS = 4

/** The points of a frame besides its payload: about a point for each microsecond that the server works on it. */
const POINTS: Readonly<Record<number, number>> = {
  [TYPE.headers]: 150,
  [TYPE.reset]: 30,
  [TYPE.settings]: 20,
  [TYPE.ping]: 10,
  [TYPE.continuation]: 10,
}
const LEAST_POINTS = 1
/** So many bytes of packed headers cost a point: one byte may stand for a field of thousands. */
const PACKED_BYTES = 8
/** Of all other payloads. */
const PLAIN_BYTES = 256

/** Follows the frames that one side of an HTTP/2 connection sends, in whatever pieces they come, without looking into them. */
export class FrameReader {
  /** Of the preface or a payload. */
  #left = PREFACE_BYTES
  /** How many bytes of the payload cost a point. */
  #bytesOfPoint = PLAIN_BYTES
  #endsHead = false
  /** The head of a frame, as far as it has come. */
  readonly #head = Buffer.alloc(HEAD_BYTES)
  #headBytes = 0

  /**
   * Reads on from `from` until about `most` points are spent, or the head of a request ends, which may make its client known, or
   * nothing is left.
   */
  portion(bytes: Buffer, from: number, most: number): Portion {
    let at = from
    let points = 0
    while (at < bytes.length && points < most) {
      if (this.#left === 0) {
        const taken = bytes.copy(this.#head, this.#headBytes, at, at + HEAD_BYTES - this.#headBytes)
        at += taken
        this.#headBytes += taken
        if (this.#headBytes < HEAD_BYTES) break
        points += this.#begin()
      }
      const taken = Math.min(this.#left, bytes.length - at, Math.max(most - points, 0) * this.#bytesOfPoint)
      at += taken
      this.#left -= taken
      points += Math.floor(taken / this.#bytesOfPoint)
      if (this.#left === 0 && this.#endsHead) {
        this.#endsHead = false
        break
      }
    }
    return { to: at, points }
  }

  #begin(): number {
    this.#headBytes = 0
    this.#left = this.#head.readUIntBE(0, 3)
    const type = this.#head.readUInt8(3)
    const isHead = type === TYPE.headers || type === TYPE.continuation
    this.#bytesOfPoint = isHead ? PACKED_BYTES : PLAIN_BYTES
    this.#endsHead = isHead && (this.#head.readUInt8(4) & END_HEADERS) !== 0
    return POINTS[type] ?? LEAST_POINTS
  }
}
