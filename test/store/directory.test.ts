import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { KubeObject } from '../../src/machinery/object.ts'
import { logChecksum } from '../../src/store/log/checksum.ts'
import { applicationId, formatVersion } from '../../src/store/log/format.ts'
import { Store, type StoreOptions } from '../../src/store/store.ts'
import { StoreError } from '../../src/store/record/store-error.ts'
import type { Write } from '../../src/store/record/write.ts'

let directory = ''
let opened: Store[] = []

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'allot-store-'))
  opened = []
})

afterEach(async () => {
  await Promise.all(opened.map((store) => store.close().catch(() => {})))
  rmSync(directory, { recursive: true })
})

const file = (): string => join(directory, 'store.db')

async function open(options: StoreOptions = {}): Promise<Store> {
  const store = await Store.open({ directory }, { freeze: true, ...options })
  opened.push(store)
  return store
}

const thing = (name: string, value = ''): KubeObject => ({ kind: 'Thing', apiVersion: 'v1', metadata: { name }, value })
const put = (key: string, value = ''): Write => ({ type: 'put', bucket: 'things', key, object: thing(key, value) })
const remove = (key: string): Write => ({ type: 'delete', bucket: 'things', key })

/** Fills and closes a store, so that its file can be tampered with. */
async function filled(): Promise<void> {
  const store = await open()
  await store.commit(Array.from({ length: 200 }, (_, i) => put(`thing-${i}`, 'intact '.repeat(40))))
  await store.close()
}

function sql<T>(work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file())
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** How a directory is refused, and that nothing in it has changed. */
async function refusal(): Promise<StoreError> {
  const before = readFileSync(file())
  const error = await open().catch((error: unknown) => error)
  expect(readFileSync(file()).equals(before)).toBe(true)
  expect(error).toBeInstanceOf(StoreError)
  expect((error as StoreError).message).toContain(directory)
  return error as StoreError
}

test('written records are there again after closing and opening, byte for byte', async () => {
  const store = await open()
  await store.commit([put('a', 'ü – 漢字 🎉'), put('b')])
  await store.commit([put('a', 'ü – 漢字 🎈'), remove('b')])
  const [record] = store.list('things').records
  await store.close()
  const again = await open()
  expect(again.revision).toBe(4)
  expect(again.list('things').records).toHaveLength(1)
  expect(again.get('things', 'a')).toMatchObject({ revision: 3, created: 1, text: record!.text, key: 'a' })
})

test('revisions go on after everything was deleted and swept', async () => {
  const store = await open({ historyEvents: 1 })
  await store.commit([put('a')])
  await store.commit([remove('a')])
  await store.commit([{ ...put('b'), bucket: 'others' }])
  await store.commit([{ ...remove('b'), bucket: 'others' }])
  await store.close()
  const rows = sql((database) => database.prepare('SELECT revision FROM log').all())
  expect(rows).toEqual([{ revision: 3 }, { revision: 4 }])
  const again = await open({ historyEvents: 1 })
  expect(again.revision).toBe(4)
  expect((await again.commit([put('a')]))[0]).toMatchObject({ revision: 5, created: 5 })
})

test('rows that nobody can ask for any more leave the log', async () => {
  const store = await open({ historyEvents: 10 })
  for (let i = 0; i < 20; i++)
    await store.commit(Array.from({ length: 100 }, (_, n) => put(`thing-${n % 5}`, String(i))))
  await store.close()
  const rows = sql((database) => database.prepare('SELECT count(*) AS n FROM log').get()?.['n'])
  // Five live ones, and what the ten newest events were and replaced.
  expect(rows).toBe(15)
  const again = await open({ historyEvents: 10 })
  expect(again.revision).toBe(2000)
  expect(again.list('things', { at: 1990 }).records).toHaveLength(5)
  expect(() => again.list('things', { at: 1989 })).toThrow('no longer kept')
})

test('a smaller history after opening forgets, a larger one does not remember', async () => {
  const store = await open({ historyEvents: 5 })
  for (let i = 0; i < 20; i++) await store.commit([put('a', String(i))])
  await store.close()
  const small = await open({ historyEvents: 2 })
  expect(() => small.list('things', { at: 17 })).toThrow('the oldest is 18')
  await small.close()
  const large = await open({ historyEvents: 100 })
  expect(() => large.list('things', { at: 17 })).toThrow('the oldest is 18')
  expect(large.list('things', { at: 18 }).records[0]?.object['value']).toBe('17')
})

test('commits while a batch is written share the next one and resolve in order', async () => {
  const store = await open({ faults: { failBatches: [{ batch: 3, errcode: 13 }] } })
  const order: number[] = []
  const note = ([record]: readonly { revision: number }[]): void => void order.push(record!.revision)
  const first = store.commit([put('first')]).then(note)
  await Promise.resolve()
  const second = Array.from({ length: 50 }, (_, i) => store.commit([put(`${i}`)]).then(note))
  await Promise.all([first, ...second])
  expect(order).toEqual(Array.from({ length: 51 }, (_, i) => i + 1))
  // The third batch fails: so there were two.
  await expect(store.commit([put('third')])).rejects.toMatchObject({ code: 'disk-full' })
})

test('a failed batch takes everything with it that was accepted on top, and the store goes on', async () => {
  const store = await open({ faults: { failBatches: [{ batch: 2, errcode: 13 }] } })
  const seen: string[] = []
  store.watch({ bucket: 'things' }, ({ type, revision, record }) => seen.push(`${type} ${record.key} ${revision}`))
  await store.commit([put('a', 'kept'), put('b')])
  const failing = store.commit([put('a', 'lost'), remove('b'), put('c')])
  await Promise.resolve()
  const onTop = store.commit([{ ...put('a', 'lost too'), expect: { revision: 3 } }])
  const late = failing.catch(() => store.latest('things', 'a')?.object['value'])
  const outcomes = await Promise.allSettled([failing, onTop])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(failing).rejects.toMatchObject({ code: 'disk-full' })
  await expect(late).resolves.toBe('kept')
  expect([...store.latestIn('things', undefined)].map(({ key, revision }) => `${key} ${revision}`)).toEqual([
    'a 1',
    'b 2',
  ])
  expect(store.inFlight).toBe(false)
  expect(store.failed).toBeUndefined()
  const [record] = await store.commit([{ ...put('a', 'next'), expect: { revision: 1 } }])
  expect(record!.revision).toBe(7)
  expect(seen).toEqual(['added a 1', 'added b 2', 'modified a 7'])
  await store.close()
  const again = await open()
  expect(again.list('things').records.map(({ key, revision }) => `${key} ${revision}`)).toEqual(['a 7', 'b 2'])
})

test('a disk that is really full refuses what does not fit and nothing else', async () => {
  const store = await open({ faults: { maxPages: 50 } })
  await store.commit([put('a')])
  await expect(store.commit([put('b'), put('large', 'x'.repeat(300_000))])).rejects.toMatchObject({ code: 'disk-full' })
  await store.commit([put('c')])
  await store.close()
  const again = await open()
  expect(again.list('things').records.map(({ key }) => key)).toEqual(['a', 'c'])
})

test('after an I/O error the store is readable, says that it failed and refuses commits', async () => {
  const failures: StoreError[] = []
  const store = await open({
    faults: { failBatches: [{ batch: 2, errcode: 1034 }] },
    onFailed: (error) => failures.push(error),
  })
  await store.commit([put('a')])
  const lost = store.commit([put('b')])
  await expect(lost).rejects.toMatchObject({ code: 'failed' })
  expect(failures).toHaveLength(1)
  expect(store.failed).toBe(failures[0])
  await expect(store.commit([put('c')])).rejects.toBe(failures[0])
  expect(store.list('things').records.map(({ key }) => key)).toEqual(['a'])
  await store.close()
})

test('a directory is open once', async () => {
  const store = await open()
  await expect(open()).rejects.toMatchObject({
    code: 'locked',
    message: `the store in ${directory} is in use by this process (${process.pid})`,
    advice: expect.stringContaining('Stop the other process'),
  })
  await store.commit([put('a')])
  await store.close()
  await open()
})

test('only the owner may read the files', async () => {
  const store = await open()
  await store.commit([put('a')])
  for (const name of readdirSync(directory).filter((name) => name.startsWith('store.db')))
    expect(`${name} ${(statSync(join(directory, name)).mode & 0o777).toString(8)}`).toBe(`${name} 600`)
})

test('a directory that cannot be made is refused', async () => {
  writeFileSync(join(directory, 'file'), '')
  const error = await Store.open({ directory: join(directory, 'file', 'store') }).catch((error: unknown) => error)
  expect(error).toMatchObject({ name: 'StoreError', code: 'unavailable' })
})

test('a file of a newer format is refused', async () => {
  await filled()
  sql((database) => database.exec(`PRAGMA user_version = ${formatVersion + 1}`))
  expect(await refusal()).toMatchObject({ code: 'newer-format', advice: expect.stringContaining('newer') })
})

test('a database of something else is refused', async () => {
  sql((database) => database.exec('CREATE TABLE bookmarks (url TEXT)'))
  expect(await refusal()).toMatchObject({ code: 'foreign' })
})

test.each<[string, () => void]>([
  ['is empty', () => truncateSync(file(), 0)],
  ['is cut', () => truncateSync(file(), Math.floor(statSync(file()).size / 2 / 4096) * 4096)],
  ['is cut within a page', () => truncateSync(file(), statSync(file()).size - 1000)],
  ['holds something else', () => writeFileSync(file(), 'not a database, by far not one '.repeat(400))],
  [
    'has a flipped bit in a text',
    () => {
      const bytes = readFileSync(file())
      bytes[bytes.indexOf('intact', bytes.length >> 1)]! ^= 2
      writeFileSync(file(), bytes)
    },
  ],
  [
    'has a page of zeros',
    () => {
      const bytes = readFileSync(file())
      bytes.fill(0, bytes.length - 8192, bytes.length - 4096)
      writeFileSync(file(), bytes)
    },
  ],
])('a file that %s is refused as damaged', async (_, damage) => {
  await filled()
  damage()
  expect(await refusal()).toMatchObject({ code: 'damaged', advice: expect.stringContaining('backup') })
})

test.each(['store.db-wal', 'store.pid', 'store.db.format-0.bak'])(
  'a directory without its database but with %s is refused, not begun anew',
  async (trace) => {
    writeFileSync(join(directory, trace), 'left behind')
    await expect(open()).rejects.toMatchObject({
      code: 'missing',
      message: expect.stringContaining(trace),
      advice: expect.stringContaining('backup'),
    })
    expect(readdirSync(directory)).toEqual([trace])
  },
)

test('a store whose database was deleted is refused', async () => {
  await filled()
  rmSync(file())
  await expect(open()).rejects.toMatchObject({ code: 'missing' })
})

describe('the directory after a crash', () => {
  const log = (of: string): string => join(of, 'store.db-wal')

  /** A directory as it stands on the disk while a store with ten transactions is open. */
  async function crashed(): Promise<string> {
    const store = await open()
    const copy = mkdtempSync(join(tmpdir(), 'allot-crashed-'))
    for (let i = 0; i < 10; i++) {
      // While the last transaction is under way, the mark is that of the one before.
      copyFileSync(join(directory, 'store.mark'), join(copy, 'store.mark'))
      await store.commit([put(`thing-${i}`, 'intact '.repeat(40))])
    }
    for (const name of ['store.db', 'store.db-wal']) copyFileSync(join(directory, name), join(copy, name))
    await store.close()
    return copy
  }

  async function keysIn(of: string): Promise<number> {
    const store = await Store.open({ directory: of })
    const { records } = store.list('things')
    await store.close()
    rmSync(of, { recursive: true })
    return records.length
  }

  test('is taken up again', async () => {
    expect(await keysIn(await crashed())).toBe(10)
  })

  test('may end in a transaction that was not finished, and so not acknowledged', async () => {
    const copy = await crashed()
    truncateSync(log(copy), statSync(log(copy)).size - 100)
    expect(await keysIn(copy)).toBe(9)
  })

  test.each([0.1, 0.3, 0.5])(
    'is refused and left as it is when its log is broken inside, at %d of its length',
    async (part) => {
      const copy = await crashed()
      const bytes = readFileSync(log(copy))
      bytes[Math.floor(bytes.length * part)]! ^= 0xff
      writeFileSync(log(copy), bytes)
      await expect(Store.open({ directory: copy })).rejects.toMatchObject({ code: 'damaged' })
      expect(readFileSync(log(copy)).equals(bytes)).toBe(true)
      rmSync(copy, { recursive: true })
    },
  )
})

/** Format 0 by hand: as format 1 without the `created` column. */
function writeFormat0(): void {
  sql((database) => {
    database.exec(`PRAGMA application_id = ${applicationId};
      CREATE TABLE log (revision INTEGER PRIMARY KEY, bucket TEXT NOT NULL, key TEXT NOT NULL, deleted INTEGER NOT NULL,
        checksum INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
      CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
      INSERT INTO meta VALUES ('floor', 0)`)
    const rows = [
      [1, 'a', 0],
      [2, 'b', 0],
      [3, 'a', 0],
      [4, 'a', 1],
      [5, 'a', 0],
      [6, 'a', 0],
    ] as const
    for (const [revision, key, deleted] of rows) {
      const text = JSON.stringify(thing(key, `at ${revision}`))
      const checksum = logChecksum(revision, 'things', key, deleted, text)
      database.prepare(`INSERT INTO log VALUES (?, 'things', ?, ?, ?, ?)`).run(revision, key, deleted, checksum, text)
    }
  })
}

test('a file of an older format is copied and then upgraded', async () => {
  writeFormat0()
  const store = await open()
  expect(store.list('things').records.map(({ key, revision, created }) => [key, revision, created])).toEqual([
    ['a', 6, 5],
    ['b', 2, 2],
  ])
  expect(store.list('things', { at: 3 }).records.map(({ created }) => created)).toEqual([1, 2])
  await store.commit([put('c')])
  await store.close()
  expect(sql((database) => database.prepare('PRAGMA user_version').get())).toEqual({ user_version: formatVersion })
  const backup = new DatabaseSync(join(directory, 'store.db.format-0.bak'), { readOnly: true })
  expect(backup.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 })
  expect(backup.prepare('SELECT * FROM log').all()[5]).toEqual({
    revision: 6,
    bucket: 'things',
    key: 'a',
    deleted: 0,
    checksum: expect.any(Number),
    text: expect.stringContaining('at 6'),
  })
  backup.close()
})

test('a backup never replaces an earlier one', async () => {
  writeFileSync(join(directory, 'store.db.format-0.bak'), 'precious')
  writeFormat0()
  await (await open()).close()
  expect(readFileSync(join(directory, 'store.db.format-0.bak'), 'utf8')).toBe('precious')
  expect(readdirSync(directory)).toContain('store.db.format-0-2.bak')
})
