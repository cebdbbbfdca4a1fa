import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const HEADER = 32
const FRAME_HEADER = 24
const MAGIC = 0x377f0682
/**
 * Each transaction is on the disk before the next begins, so only the last one can be torn by a crash: it may leave one
 * commit behind its tear, never two.
 */
const MOST_COMMITS_BEHIND_A_TEAR = 1

/**
 * Is something broken in the middle of a write-ahead log? SQLite reads such a log up to the break and forgets the rest,
 * acknowledged transactions among it, without a word; a log that merely ends early is as a crash leaves it.
 */
export function isDamagedInside(path: string): boolean {
  const file = openIfPresent(path)
  if (file === undefined) return false
  try {
    return commitsBehindBreak(file) > MOST_COMMITS_BEHIND_A_TEAR
  } finally {
    closeSync(file)
  }
}

function openIfPresent(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Whole commits of this log's generation that stand behind the first frame whose checksum is wrong. */
function commitsBehindBreak(file: number): number {
  const header = Buffer.alloc(HEADER)
  if (readSync(file, header, 0, HEADER, 0) < HEADER) return 0
  const magic = header.readUInt32BE(0)
  if ((magic & ~1) >>> 0 !== MAGIC) return 0
  const read = (magic & 1) === 1 ? readBigEndian : readLittleEndian
  const pageSize = header.readUInt32BE(8)
  const salts = header.subarray(16, 24)
  const frame = Buffer.alloc(FRAME_HEADER + pageSize)
  const { size } = fstatSync(file)
  let seeds: readonly Sum[] = [[header.readUInt32BE(24), header.readUInt32BE(28)]]
  let broken = false
  let commits = 0
  for (let at = HEADER; at + frame.length <= size; at += frame.length) {
    readSync(file, frame, 0, frame.length, at)
    const stored: Sum = [frame.readUInt32BE(16), frame.readUInt32BE(20)]
    const sums = seeds.map((seed) =>
      checksum(read, frame.subarray(FRAME_HEADER), checksum(read, frame.subarray(0, 8), seed)),
    )
    // Other salts: what an earlier generation of the log left behind, or a frame whose header is broken.
    const whole = frame.subarray(8, 16).equals(salts) && sums.some(([a, b]) => a === stored[0] && b === stored[1])
    if (!whole) broken = true
    else if (broken && frame.readUInt32BE(4) !== 0) commits++
    // Checksums go on from the one before: the one that stands in the file where the page is broken, else the computed one.
    seeds = whole ? [stored] : [stored, ...sums.slice(0, 1)]
  }
  return commits
}

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
