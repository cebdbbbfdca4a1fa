import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HighWaterMark } from '../../src/store/log/high-water-mark.ts'
import { Store } from '../../src/store/store.ts'
import type { Write } from '../../src/store/record/write.ts'
import { eventually } from '../eventually.ts'
import { stateOfDirectory } from './directory-state.ts'

/**
 * A log or a database that is missing, cut or of an earlier time is a good store in itself: what betrays it is the mark of what
 * was acknowledged. None of them is started with unless that is asked for.
 */
const COMMITS = 12
let root = ''
/** As a process leaves it that was killed with transactions in its write-ahead log. */
let killed = ''
/** As a process leaves it that was stopped. */
let stopped = ''
/** The size of the write-ahead log after each commit. */
const sizes: number[] = []
/** The files half way, and after the first transactions of an earlier generation of the log. */
let halfway = ''
let earlier = ''

const put = (key: string): Write => ({
  type: 'put',
  bucket: 'things',
  key,
  object: { kind: 'Thing', apiVersion: 'v1', metadata: { name: key }, text: 'intact '.repeat(400) },
})

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'allot-lost-'))
  const from = join(root, 'from')
  const store = await Store.open({ directory: from })
  for (let n = 1; n <= COMMITS; n++) {
    await store.commit([put(`thing-${n}`)])
    sizes.push(statSync(join(from, 'store.db-wal')).size)
    if (n === COMMITS / 2) cpSync(from, (halfway = join(root, 'halfway')), { recursive: true })
  }
  await marked(from, COMMITS)
  cpSync(from, (killed = join(root, 'killed')), { recursive: true })
  await store.close()
  cpSync(from, (stopped = join(root, 'stopped')), { recursive: true })
  const small = await Store.open({ directory: from }, { faults: { checkpointPages: 8 } })
  await small.commit([put('early')])
  cpSync(from, (earlier = join(root, 'earlier')), { recursive: true })
  for (let n = 0; n < 10; n++) await small.commit([put(`later-${n % 3}`)])
  await marked(from, small.revision)
  cpSync(from, join(root, 'later'), { recursive: true })
  await small.close()
})

afterAll(() => rmSync(root, { recursive: true }))

/** The mark follows within milliseconds. */
function marked(directory: string, revision: number): Promise<unknown> {
  return eventually(
    () => HighWaterMark.read(mark(directory)),
    (seen) => seen === revision,
  )
}

const log = (directory: string): string => join(directory, 'store.db-wal')
const mark = (directory: string): string => join(directory, 'store.mark')
const from = (source: string, name: string) => (directory: string) =>
  copyFileSync(join(source, name), join(directory, name))

async function refusal(directory: string): Promise<unknown> {
  const before = stateOfDirectory(directory)
  const error = await Store.open({ directory }).then(
    () => 'was opened',
    (error: unknown) => error,
  )
  expect(stateOfDirectory(directory)).toEqual(before)
  return error
}

describe('a store that was killed [security/lost-writes]', () => {
  test('starts with all that was acknowledged', async () => {
    const store = await Store.open({ directory: copyOf(killed) })
    expect(store.list('things').records).toHaveLength(COMMITS)
    await store.close()
  })

  test.each<[string, number, string, (directory: string) => void]>([
    ['is missing', 0, 'store.db-wal is missing', (directory) => rmSync(log(directory))],
    ['is empty', 0, 'store.db-wal is empty', (directory) => truncateSync(log(directory), 0)],
    ['is cut to its header', 0, 'nothing but its header', (directory) => truncateSync(log(directory), 32)],
    ['is cut after a transaction', 8, 'ends too early', (directory) => truncateSync(log(directory), sizes[7])],
    ['is cut within the last one', 11, 'ends too early', (directory) => truncateSync(log(directory), sizes[11]! - 9)],
    ['is an older copy', 6, 'is an older copy', (directory) => from(halfway, 'store.db-wal')(directory)],
  ])('and whose write-ahead log %s is refused, and started when that is asked for', async (_, left, says, damage) => {
    const directory = copyOf(killed)
    damage(directory)
    expect(await refusal(directory)).toMatchObject({
      code: 'lost',
      message: expect.stringMatching(new RegExp(`ends at revision ${left}, and store.mark says ${COMMITS}.*${says}`)),
      advice: expect.stringContaining('--accept-lost-writes'),
    })
    const reported: string[] = []
    const store = await Store.open(
      { directory },
      { acceptLostWrites: true, onLost: (message) => reported.push(message) },
    )
    expect(store.list('things').records).toHaveLength(left)
    expect(reported).toEqual([expect.stringContaining(says)])
    // Clients may have seen the revisions that were lost: they list anew, and none is given twice.
    expect(store.revision).toBe(COMMITS)
    expect(() => store.watch({ bucket: 'things', from: COMMITS - 1 }, () => undefined)).toThrow('no longer kept')
    expect((await store.commit([put('next')]))[0]?.revision).toBe(COMMITS + 1)
    await store.close()
    const again = await Store.open({ directory })
    expect(again.list('things').records).toHaveLength(left + 1)
    expect(again.revision).toBe(COMMITS + 1)
    await again.close()
  })

  test.each<[string, (directory: string) => void]>([
    ['is missing', (directory) => rmSync(mark(directory))],
    ['is empty', (directory) => truncateSync(mark(directory), 0)],
    ['is damaged', (directory) => writeFileSync(mark(directory), 'x'.repeat(1024))],
  ])('and whose mark %s is refused, and started when that is asked for', async (_, damage) => {
    const directory = copyOf(killed)
    damage(directory)
    expect(await refusal(directory)).toMatchObject({ code: 'lost', message: expect.stringContaining('store.mark is') })
    const store = await Store.open({ directory }, { acceptLostWrites: true })
    expect(store.list('things').records).toHaveLength(COMMITS)
    await store.close()
    await (await Store.open({ directory })).close()
  })

  test('and whose mark was half written is started: one of its two halves is whole', async () => {
    for (const half of [0, 512]) {
      const directory = copyOf(killed)
      const bytes = readFileSync(mark(directory)).fill('x', half, half + 512)
      writeFileSync(mark(directory), bytes)
      const store = await Store.open({ directory })
      expect(store.revision).toBe(COMMITS)
      await store.close()
    }
  })

  test('and whose write-ahead log is of an earlier generation is refused', async () => {
    const directory = copyOf(join(root, 'later'))
    from(earlier, 'store.db-wal')(directory)
    expect(await refusal(directory)).toMatchObject({ code: expect.stringMatching(/^(?:lost|damaged)$/) })
  })
})

describe('a store that was stopped [security/lost-writes]', () => {
  test('starts, again and again', async () => {
    const directory = copyOf(stopped)
    for (let n = 0; n < 3; n++) {
      const store = await Store.open({ directory })
      expect(store.list('things').records).toHaveLength(COMMITS)
      await store.close()
    }
  })

  test.each<[string, (directory: string) => void]>([
    ['an older copy', (directory) => from(killed, 'store.db')(directory)],
    ['of a time before its last checkpoint', (directory) => from(halfway, 'store.db')(directory)],
  ])('and whose database is %s is refused', async (_, damage) => {
    const directory = copyOf(stopped)
    damage(directory)
    expect(await refusal(directory)).toMatchObject({ code: 'lost' })
  })
})

test('a directory that lost its database before anything was acknowledged begins anew', async () => {
  const directory = join(root, 'begun')
  mkdirSync(directory)
  copyFileSync(join(root, 'stopped', 'store.lock'), join(directory, 'store.lock'))
  const store = await Store.open({ directory })
  await store.close()
  for (const name of ['store.db', 'store.pid']) rmSync(join(directory, name))
  const again = await Store.open({ directory })
  expect(again.revision).toBe(0)
  await again.close()
})

describe('where store.db is a link', () => {
  /** A directory in which the database of a killed store is a link to another volume. */
  function linked(): { readonly directory: string; readonly volume: string } {
    const directory = mkdtempSync(join(root, 'linked-'))
    const volume = copyOf(killed)
    symlinkSync(join(volume, 'store.db'), join(directory, 'store.db'))
    return { directory, volume }
  }

  test('its log, lock, mark, reserve and copies stand at the other end, and its log is checked there', async () => {
    const { directory, volume } = linked()
    const bytes = readFileSync(log(volume))
    rmSync(log(volume))
    expect(await refusal(directory)).toMatchObject({ code: 'lost' })
    bytes[Math.floor(bytes.length / 2)]! ^= 0xff
    writeFileSync(log(volume), bytes)
    expect(await refusal(directory)).toMatchObject({ code: 'damaged', message: expect.stringContaining(volume) })
    from(killed, 'store.db-wal')(volume)
    const store = await Store.open({ directory }, { reserve: 4096 })
    await store.whenReserveKnown()
    expect(statSync(join(volume, 'store.reserve')).size).toBe(4096)
    expect(store.list('things').records).toHaveLength(COMMITS)
    await expect(Store.open({ directory: volume })).rejects.toMatchObject({ code: 'locked' })
    await store.close()
    expect(stateOfDirectory(directory)).toHaveLength(2)
  })

  test('to nothing, the store is missing, not new', async () => {
    const { directory, volume } = linked()
    rmSync(join(volume, 'store.db'))
    expect(await refusal(directory)).toMatchObject({ code: 'missing', message: expect.stringContaining(volume) })
  })
})

function copyOf(source: string): string {
  const directory = mkdtempSync(join(root, 'copy-'))
  cpSync(source, directory, { recursive: true, preserveTimestamps: true })
  return directory
}
