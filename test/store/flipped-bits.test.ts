import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HighWaterMark } from '../../src/store/log/high-water-mark.ts'
import type { LogRow } from '../../src/store/log/log.ts'
import { LogDatabase } from '../../src/store/log/database.ts'
import { isWritable } from '../../src/store/log/file.ts'
import { openingError } from '../../src/store/log/sqlite-error.ts'
import { Store } from '../../src/store/store.ts'
import { eventually } from '../eventually.ts'
import { SeededRandom, seed, soak, tellingSeed } from '../seeded-random.ts'

/**
 * Flips single bits of a store's files and opens it: every flip is harmless (the state is what was acknowledged, and so it
 * is after further writes), or the store is refused with advice.
 */
const PAGE = 4096
/** Bits that are flipped beside those of headers, in each image. */
const SAMPLE = soak ? 8000 : 60
/** Of the bits of headers, every nth. */
const HEADER_STEP = soak ? 1 : 29

interface Image {
  readonly directory: string
  readonly files: ReadonlyMap<string, Buffer>
  /** The acknowledged writes. */
  readonly state: string
  /** Where the last transaction begins in the write-ahead log, if the mark does not know it yet: a flip there passes for a crash. */
  readonly unmarked?: number
}

const scratch: string[] = []

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'allot-flips-'))
  scratch.push(made)
  return made
}

afterAll(() => {
  for (const made of scratch) rmSync(made, { recursive: true, force: true })
})

/** The content of a log, as its live rows show it. */
const stateOf = (rows: readonly LogRow[]): string => JSON.stringify(rows)

function readAll(log: LogDatabase): LogRow[] {
  const all: LogRow[] = []
  for (let rows = log.read(); rows.length > 0; rows = log.read()) all.push(...rows)
  return all
}

function row(revision: number, key: string, size: number): LogRow {
  const text = JSON.stringify({ kind: 'Thing', metadata: { name: key }, revision, text: 'intact '.repeat(size / 7) })
  return [revision, 'things', key, revision, 0, text]
}

const FAULTS = { synchronous: 'OFF' } as const

/** Small, middle and large objects, of which some went again: interior pages, overflow pages and free pages. */
function fill(log: LogDatabase): number {
  const sizes = [100, 700, 9000]
  let revision = 0
  for (let batch = 0; batch < 20; batch++) {
    const rows = Array.from({ length: 12 }, () => row(++revision, `thing-${revision}`, sizes[revision % 3] ?? 0))
    log.append({ rows, sweep: undefined })
  }
  const revisions = Array.from({ length: 60 }, (_, n) => n * 2 + 20)
  log.append({ rows: [row(++revision, 'last', 100)], sweep: { floor: 150, revisions } })
  return revision
}

function filesIn(from: string): ReadonlyMap<string, Buffer> {
  return new Map(readdirSync(from).map((name) => [name, readFileSync(join(from, name))]))
}

function closedImage(): Image {
  const made = directory()
  const log = new LogDatabase(made, FAULTS)
  fill(log)
  log.close()
  const state = stored(made)
  return { directory: directory(), files: filesIn(made), state }
}

/** A process that was killed with transactions in its write-ahead log. */
function killedImage(): Promise<Image> {
  const made = directory()
  const log = new LogDatabase(made, FAULTS)
  const revision = fill(log)
  log.close()
  return killed(made, new LogDatabase(made, FAULTS), revision, 6)
}

/** … before the mark knew the last ones. */
function killedAtOnceImage(): Image {
  const made = directory()
  const filled = new LogDatabase(made, FAULTS)
  const revision = fill(filled)
  filled.close()
  const log = new LogDatabase(made, FAULTS)
  readAll(log)
  const old = readFileSync(join(made, 'store.mark'))
  append(log, revision, 5)
  const unmarked = statSync(join(made, 'store.db-wal')).size
  append(log, revision + 5, 1)
  const files = new Map([...filesIn(made), ['store.mark', old]])
  log.close()
  return { directory: directory(), files, state: stored(made), unmarked }
}

/** … whose log was begun anew before: behind its transactions stand older ones. */
function killedLaterImage(): Promise<Image> {
  const made = directory()
  const log = new LogDatabase(made, { ...FAULTS, checkpointPages: 20 })
  let revision = fill(log)
  for (let n = 0; n < 12; n++) {
    revision++
    log.append({ rows: [row(revision, `early-${n}`, n % 2 === 0 ? 100 : 9000)], sweep: undefined })
  }
  return killed(made, log, revision, 3)
}

/** Writes the last transactions, keeps the files as they are when the mark knows them, and reads what they hold. */
async function killed(made: string, log: LogDatabase, revision: number, transactions: number): Promise<Image> {
  append(log, revision, transactions)
  await eventually(
    () => HighWaterMark.read(join(made, 'store.mark')),
    (marked) => marked === revision + transactions,
  )
  const files = filesIn(made)
  log.close()
  return { directory: directory(), files, state: stored(made) }
}

function append(log: LogDatabase, revision: number, transactions: number): void {
  for (let n = 1; n <= transactions; n++)
    log.append({ rows: [row(revision + n, `late-${revision + n}`, n % 2 === 0 ? 100 : 9000)], sweep: undefined })
}

function stored(made: string): string {
  const log = new LogDatabase(made, FAULTS)
  const state = stateOf(readAll(log))
  log.close()
  return state
}

interface Flip {
  readonly file: string
  readonly byte: number
  readonly bit: number
}

/** Each bit of the headers (of the database, its pages, the log, its frames), as often as asked for, and others evenly. */
function* flips(image: Image): Generator<Flip> {
  const random = new SeededRandom(seed)
  for (const [file, bytes] of image.files) {
    const headers: number[] = []
    for (let byte = 0; byte < bytes.length; byte++) if (isHeader(file, byte)) headers.push(byte)
    let n = random.between(0, HEADER_STEP - 1)
    for (; n < headers.length * 8; n += HEADER_STEP) yield { file, byte: headers[n >> 3] ?? 0, bit: n & 7 }
    const step = Math.max(1, Math.floor((bytes.length * 8 * image.files.size) / SAMPLE))
    for (let at = random.between(0, step - 1); at < bytes.length * 8; at += step)
      yield { file, byte: at >> 3, bit: at & 7 }
  }
}

function isHeader(file: string, byte: number): boolean {
  if (file === 'store.db') return byte < 112 || (soak ? byte % PAGE < 16 : byte % (8 * PAGE) < 16)
  if (file === 'store.db-wal')
    return byte < 32 || (soak ? (byte - 32) % (PAGE + 24) < 24 : (byte - 32) % ((PAGE + 24) * 4) < 24)
  return false
}

/** Returns the error of a store with one flipped bit: undefined if the store behaves as it should. */
function outcome(image: Image, { file, byte, bit }: Flip): string | undefined {
  lay(image, { file, byte, bit })
  let log: LogDatabase | undefined
  try {
    log = new LogDatabase(image.directory, FAULTS)
    const rows = readAll(log)
    const isExcepted = file === 'store.db-wal' && byte >= (image.unmarked ?? Infinity)
    if (stateOf(rows) !== image.state && !isExcepted)
      return `${file} byte ${byte} bit ${bit}: another state without a word`
    const more = row(100_000, 'more', 9000)
    log.append({ rows: [more], sweep: undefined })
    log.close()
    log = new LogDatabase(image.directory, FAULTS)
    if (stateOf(readAll(log)) === stateOf([...rows, more])) return undefined
    return `${file} byte ${byte} bit ${bit}: another state after a write`
  } catch (error) {
    const { code, message, advice } = openingError(image.directory, error, isWritable(image.directory))
    if (['damaged', 'lost', 'newer-format', 'foreign'].includes(code)) return undefined
    return `${file} byte ${byte} bit ${bit}: ${code}: ${message}. ${advice}`
  } finally {
    log?.close()
  }
}

function lay(image: Image, flip: Flip | undefined): void {
  for (const name of readdirSync(image.directory)) rmSync(join(image.directory, name))
  for (const [name, bytes] of image.files) {
    if (name !== flip?.file) {
      writeFileSync(join(image.directory, name), bytes)
      continue
    }
    const flipped = Buffer.from(bytes)
    flipped.writeUInt8(flipped.readUInt8(flip.byte) ^ (1 << flip.bit), flip.byte)
    writeFileSync(join(image.directory, name), flipped)
  }
}

describe.each<[string, () => Image | Promise<Image>]>([
  ['of a store that was closed', closedImage],
  ['of a store whose process was killed', killedImage],
  ['of a store that was killed before its mark was written, its last transaction excepted,', killedAtOnceImage],
  ['of a store that was killed after its log had begun anew', killedLaterImage],
])('a flipped bit in the files %s', (_, make) => {
  let image: Image
  beforeAll(async () => {
    image = await make()
  })

  test('is harmless or refused with the line that says what to do [security/flipped-bits]', async () => {
    lay(image, undefined)
    const intact = new LogDatabase(image.directory, FAULTS)
    expect(stateOf(readAll(intact))).toBe(image.state)
    intact.close()
    await tellingSeed('flipped bits', async () => {
      const wrong: string[] = []
      let tried = 0
      for (const flip of flips(image)) {
        tried++
        const found = outcome(image, flip)
        if (found !== undefined) wrong.push(found)
      }
      expect(wrong).toEqual([])
      expect(tried).toBeGreaterThan(SAMPLE)
    })
  })

  test('is refused by the store as a whole too', async () => {
    const { files } = image
    const file = files.has('store.db-wal') ? 'store.db-wal' : 'store.db'
    lay(image, { file, byte: 17, bit: 0 })
    await expect(Store.open({ directory: image.directory })).rejects.toMatchObject({
      code: 'damaged',
      advice: expect.stringContaining('backup'),
    })
  })
})
