/** Large answers leave in pieces, so that it is seen whether the client reads. */
export const PIECE_BYTES = 256 * 1024

/** Of what is dear to make, so little is made at a time: some milliseconds. */
export const DEAR_PIECE_BYTES = 32 * 1024

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

/** Parts put together to pieces of at least so many bytes; the last has nothing left, the others are not the last. */
export function* piecesOf(parts: Iterable<string | Buffer>, least = PIECE_BYTES): Generator<Piece> {
  let together: (string | Buffer)[] = []
  let length = 0
  for (const part of parts) {
    if (length > least) {
      yield { bytes: joined(together), left: 1 }
      together = []
      length = 0
    }
    together.push(part)
    length += part.length
  }
  yield { bytes: joined(together), left: 0 }
}

const joined = (parts: readonly (string | Buffer)[]): Buffer =>
  parts.every((part) => typeof part === 'string')
    ? Buffer.from(parts.join(''))
    : Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))

/** One piece before the others. */
export function* prepended(first: Piece, rest: Iterable<Piece>): Generator<Piece> {
  yield first
  yield* rest
}
