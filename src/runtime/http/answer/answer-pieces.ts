/** Large answers leave in pieces, so that it is seen whether the client reads. */
export const PIECE_BYTES = 256 * 1024

/** A part of an answer, and how many bytes of what follows are in memory because of this answer. */
export interface Piece {
  readonly bytes: Buffer
  readonly left: number
}

/** Bytes that are there already. */
export function* slicesOf(bytes: Buffer): Generator<Piece> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    const piece = bytes.subarray(from, from + PIECE_BYTES)
    yield { bytes: piece, left: bytes.length - from - piece.length }
  }
}

/** Parts of a text put together; the last has nothing left, the others are not the last. */
export function* piecesOf(parts: Iterable<string>): Generator<Piece> {
  let together: string[] = []
  let length = 0
  for (const part of parts) {
    if (length > PIECE_BYTES) {
      yield { bytes: Buffer.from(together.join('')), left: 1 }
      together = []
      length = 0
    }
    together.push(part)
    length += part.length
  }
  yield { bytes: Buffer.from(together.join('')), left: 0 }
}

/** One piece before the others. */
export function* prepended(first: Piece, rest: Iterable<Piece>): Generator<Piece> {
  yield first
  yield* rest
}
