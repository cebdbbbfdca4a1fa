import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'

const HEADER = 32
const FRAME_HEADER = 24
const MAGIC = 0x377f0682

/**
 * Reports whether a write-ahead log is broken in the middle or at its head. SQLite reads such a log up to the break. It
 * drops the rest without a message, and acknowledged transactions with it. A log that merely ends early is the result
 * of a crash.
 *
 * Each transaction is on the disk before the next begins, and the header before the first. So a crash can tear only the
 * last one. Its tear may leave one commit behind, never two, and is not the end of a transaction itself.
 */
export function isDamagedInside(path: string): boolean {
  const file = openIfPresent(path)
  if (file === undefined) return false
  try {
    return new WalScan(file).isDamaged()
  } finally {
    closeSync(file)
  }
}

/** Does a write-ahead log begin with these bytes? */
export const hasLogHeader = (header: Buffer): boolean => (header.readUInt32BE(0) & ~1) >>> 0 === MAGIC

/** Returns the message for a write-ahead log without the rows that it should hold. */
export function lackOf(path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) return `${path} is missing`
  if (size === 0) return `${path} is empty`
  return size <= HEADER ? `${path} holds nothing but its header` : `${path} ends too early or is an older copy`
}

/** Is there a log that SQLite would read? */
export const hasFrames = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > HEADER

function openIfPresent(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

class WalScan {
  readonly #file: number
  readonly #header = Buffer.alloc(HEADER)

  constructor(file: number) {
    this.#file = file
  }

  isDamaged(): boolean {
    const { size } = fstatSync(this.#file)
    // Nothing stands behind a header that is still being written.
    if (size <= HEADER || readSync(this.#file, this.#header, 0, HEADER, 0) < HEADER) return false
    if (!hasLogHeader(this.#header)) return true
    const read = (this.#header.readUInt32BE(0) & 1) === 1 ? readBigEndian : readLittleEndian
    const sum: Sum = [this.#header.readUInt32BE(24), this.#header.readUInt32BE(28)]
    if (!isSame(checksum(read, this.#header.subarray(0, 24), [0, 0]), sum)) return true
    return this.#breaksInside(read, sum, size)
  }

  /** Follows the frames: is there more than a crash leaves behind the first one that is not whole? */
  #breaksInside(read: ReadWord, start: Sum, size: number): boolean {
    const salts = this.#header.subarray(16, 24)
    const frame = Buffer.alloc(FRAME_HEADER + this.#header.readUInt32BE(8))
    let seeds: readonly Sum[] = [start]
    let broken = false
    let endsTransaction = false
    let commits = 0
    for (let at = HEADER; at + frame.length <= size; at += frame.length) {
      readSync(this.#file, frame, 0, frame.length, at)
      // Other salts: what an earlier generation of the log left behind, or a frame whose header is broken.
      const whole =
        frame.subarray(8, 16).equals(salts) && sumsOf(read, frame, seeds).some((sum) => isSame(sum, stored(frame)))
      if (whole && broken && isCommit(frame)) commits++
      if (!whole && !broken) endsTransaction = endedTransaction(read, frame, seeds, salts)
      if (commits > 1 || (commits === 1 && endsTransaction)) return true
      broken ||= !whole
      // Checksums go on from the one before: the one that stands in the file where the page is broken, else the computed one.
      seeds = whole ? [stored(frame)] : [stored(frame), ...sumsOf(read, frame, seeds.slice(0, 1))]
    }
    return false
  }
}

/** Was this broken frame the last of its transaction? It says so, or would with one bit of its header as it was. */
function endedTransaction(read: ReadWord, frame: Buffer, seeds: readonly Sum[], salts: Buffer): boolean {
  if (frame.subarray(8, 16).equals(salts) && isCommit(frame)) return true
  for (let bit = 0; bit < FRAME_HEADER * 8; bit++) {
    const mended = Buffer.from(frame)
    mended.writeUInt8(mended.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    if (!mended.subarray(8, 16).equals(salts) || !isCommit(mended)) continue
    if (sumsOf(read, mended, seeds).some((sum) => isSame(sum, stored(mended)))) return true
  }
  return false
}

/** Only the last frame of a transaction carries the size of the database. */
const isCommit = (frame: Buffer): boolean => frame.readUInt32BE(4) !== 0

const stored = (frame: Buffer): Sum => [frame.readUInt32BE(16), frame.readUInt32BE(20)]

const sumsOf = (read: ReadWord, frame: Buffer, seeds: readonly Sum[]): readonly Sum[] =>
  seeds.map((seed) => checksum(read, frame.subarray(FRAME_HEADER), checksum(read, frame.subarray(0, 8), seed)))

const isSame = ([a, b]: Sum, [c, d]: Sum): boolean => a === c && b === d

type Sum = readonly [number, number]
type ReadWord = (bytes: Buffer, at: number) => number

const readBigEndian: ReadWord = (bytes, at) => bytes.readUInt32BE(at)
const readLittleEndian: ReadWord = (bytes, at) => bytes.readUInt32LE(at)

/** SQLite's checksum of a write-ahead log (file format, section 4.2). */
function checksum(read: ReadWord, bytes: Buffer, [first, second]: Sum): Sum {
  let [a, b] = [first, second]
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + read(bytes, at) + b) >>> 0
    b = (b + read(bytes, at + 4) + a) >>> 0
  }
  return [a, b]
}
