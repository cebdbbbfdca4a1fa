import {
  closeSync,
  copyFileSync,
  ftruncateSync,
  linkSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { OpenFiles } from './open-files.ts'
import { storeFiles } from './store-files.ts'

let directory = ''
let open: OpenFiles
const database = (): string => join(directory, 'store.db')
const log = (): string => join(directory, 'store.db-wal')

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'allot-open-files-'))
  writeFileSync(database(), Buffer.alloc(8192))
  const header = Buffer.alloc(4096)
  header.writeUInt32BE(0x377f0682)
  writeFileSync(log(), header)
  open = new OpenFiles(storeFiles(directory))
})
afterEach(() => {
  open.close()
  rmSync(directory, { recursive: true })
})

function cut(path: string): void {
  const descriptor = openSync(path, 'r+')
  ftruncateSync(descriptor, 1024)
  closeSync(descriptor)
}

function replace(path: string): void {
  copyFileSync(path, `${path}.copy`)
  renameSync(`${path}.copy`, path)
}

test.each<[string, (path: string) => void]>([
  ['removed', (path) => rmSync(path)],
  ['replaced', replace],
  ['cut off', cut],
])('a file that was %s is noticed without following its path', (what, harm) => {
  expect(open.areWhole(100)).toBe(true)
  harm(log())
  expect([open.isLogWhole(), open.areWhole(101)]).toEqual([false, false])
  expect(open.loss()).toEqual({
    message: `${log()} was ${what} while the store was open`,
    isSalvageable: what !== 'cut off',
  })
})

test.each<[string, (path: string) => void]>([
  ['removed', (path) => rmSync(path)],
  ['replaced', replace],
  ['cut off', cut],
])('a database that was %s is noticed within 5 ms, without following its path', (what, harm) => {
  expect(open.areWhole(100)).toBe(true)
  harm(database())
  expect([open.areWhole(104), open.areWhole(105)]).toEqual([true, false])
  expect(open.loss()).toMatchObject({ message: `${database()} was ${what} while the store was open` })
})

test.each<[string, (path: string) => void]>([
  ['was moved away', (path) => renameSync(path, `${path}.elsewhere`)],
  [
    'is held by a hard link',
    (path) => {
      linkSync(path, `${path}.link`)
      rmSync(path)
    },
  ],
])('a file that %s is found by the whole look', (_, harm) => {
  harm(database())
  expect(open.areWhole(0)).toBe(true)
  expect(open.loss()).toMatchObject({ isSalvageable: false, message: expect.stringContaining('was removed') })
})

test('a log that became longer is whole, and its new length counts', () => {
  writeFileSync(log(), Buffer.alloc(4096), { flag: 'a' })
  expect(open.isLogWhole()).toBe(true)
  const descriptor = openSync(log(), 'r+')
  ftruncateSync(descriptor, 8191)
  closeSync(descriptor)
  expect(open.areWhole(0)).toBe(false)
})
