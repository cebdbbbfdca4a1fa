import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { FileLock } from '../../runtime/files/lock.ts'
import { makeDirectory } from '../../runtime/files/make-directory.ts'
import { writePrivateFile } from '../../runtime/files/private-file.ts'
import { readRegularFile } from '../../runtime/files/regular-file.ts'
import { HighWaterMark } from './high-water-mark.ts'
import { applicationId, formatVersion, migrations, schema } from './format.ts'
import { LogReader } from './reader.ts'
import { isBusy } from './sqlite-error.ts'
import { StoreError } from '../record/store-error.ts'
import { type StoreFiles, storeFiles } from './store-files.ts'

/** How long to wait for a process that is just ending, in milliseconds. */
const lockTimeout = 250

/** A store's directory that this process has for itself. */
export interface LockedFiles {
  readonly files: StoreFiles
  readonly lock: FileLock
}

/** Locks a store's directory, made when it does not exist. Throws StoreError and what the file system throws. */
export function lockFiles(directory: string): LockedFiles {
  const made = makeDirectory(directory)
  if (made !== undefined) syncPath(dirname(made))
  const files = storeFiles(directory)
  const lock = FileLock.take(files.lock)
  if (lock === undefined) throw inUse(files)
  return { files, lock }
}

/**
 * Opens a store's database to be read, in the current format; makes it where there is none. Throws StoreError and what SQLite
 * throws; then nothing has changed.
 */
export function openReader(files: StoreFiles): LogReader {
  if (!existsSync(files.database)) {
    const trace = traceOf(files)
    if (trace !== undefined)
      throw new StoreError('missing', `${files.database} is missing, but ${trace} shows that there was a store`)
    createLogFile(files)
  }
  const reader = new LogReader(files)
  if (reader.version === formatVersion) return reader
  let newest: number
  try {
    // The whole of it, before anything is changed.
    newest = newestOf(reader)
  } finally {
    reader.close()
  }
  upgrade(files, reader.version, newest)
  return new LogReader(files)
}

/**
 * Opens a store's database for writing. SQLite's own lock on it keeps earlier versions of allot out, and the kernel drops it
 * when the process dies; `store.pid` only names the holder. Throws StoreError and what SQLite throws.
 */
export function openWriter(files: StoreFiles): DatabaseSync {
  const database = new DatabaseSync(files.database, { timeout: lockTimeout })
  try {
    // An exclusive lock is taken by the first access and kept until the connection is closed; WAL then needs no shared memory.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
    return database
  } catch (error) {
    database.close()
    throw isBusy(error) ? inUse(files, error) : error
  }
}

/** Notes the holder of the lock. */
export function noteHolder({ holder }: StoreFiles): void {
  writePrivateFile(holder, `${process.pid}\n`)
}

function inUse({ directory, holder }: StoreFiles, cause?: unknown): StoreError {
  const pid = readRegularFile(holder)?.trim() ?? ''
  const who = pid === String(process.pid) ? `this process (${pid})` : `process ${pid === '' ? 'unknown' : pid}`
  return new StoreError('locked', `the store in ${directory} is in use by ${who}`, { cause })
}

/**
 * The files beside a store: its log, the note of its lock, its copy, a mark of what was acknowledged. A directory of which
 * one is left is not a new one.
 */
function traceOf({ database, mark, ...files }: StoreFiles): string | undefined {
  const beside = [files.log, `${database}-shm`, `${database}-journal`, files.holder, files.reserve]
  const copies = /\.format-\d+(?:-\d+)?\.bak$/
  const trace = readdirSync(dirname(database)).find((name) => {
    const path = join(dirname(database), name)
    return beside.includes(path) || (path.startsWith(database) && copies.test(path))
  })
  // The mark is made before the database: a process that died in between has left nothing else.
  return trace ?? ((HighWaterMark.read(mark) ?? 0) > 0 ? mark : undefined)
}

/** A new file appears whole and synced or not at all: hence an empty or partial `store.db` is damage, never a beginning. */
function createLogFile({ database: file, mark }: StoreFiles): void {
  HighWaterMark.make(mark)
  const draft = `${file}.new-${process.pid}-${process.hrtime.bigint()}`
  createPrivate(draft)
  const database = new DatabaseSync(draft)
  database.exec(`PRAGMA synchronous = FULL; PRAGMA application_id = ${applicationId}`)
  database.exec(`BEGIN; ${schema} PRAGMA user_version = ${formatVersion}; COMMIT`)
  database.close()
  try {
    linkSync(draft, file)
  } catch (error) {
    // Another process was faster; the lock decides which of them gets it.
    if (!existsSync(file)) throw error
  } finally {
    rmSync(draft)
  }
  syncPath(dirname(file))
}

function newestOf(reader: LogReader): number {
  let newest = 0
  for (let rows = reader.read(); rows.length > 0; rows = reader.read()) newest = rows.at(-1)?.[0] ?? newest
  return reader.version < 2 ? newest : reader.newest(reader.seal.floor)
}

function upgrade(files: StoreFiles, version: number, newest: number): void {
  const database = openWriter(files)
  try {
    backup(database, `${files.database}.format-${version}`)
    const mark = HighWaterMark.open(files.mark)
    mark.raise(newest)
    mark.sync()
    mark.close()
    syncPath(dirname(files.mark))
    database.exec('BEGIN IMMEDIATE')
    for (const migrate of migrations.slice(version)) migrate(database)
    database.exec(`PRAGMA user_version = ${formatVersion}; COMMIT`)
  } finally {
    // An open transaction is rolled back.
    database.close()
  }
}

/**
 * Copies the database beside itself, under a name that is not taken. By SQLite and not by the file system: closing any
 * other descriptor of a file drops this process's POSIX locks on it.
 */
function backup(database: DatabaseSync, name: string): void {
  let target = `${name}.bak`
  for (let n = 2; existsSync(target); n++) target = `${name}-${n}.bak`
  createPrivate(target)
  database.prepare('VACUUM INTO ?').run(target)
  syncPath(target)
  syncPath(dirname(target))
}

/** Only the owner may read what may hold Secrets, whatever the umask; SQLite takes an empty file for a new one. */
function createPrivate(path: string): void {
  closeSync(openSync(path, 'wx', 0o600))
}

export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Does the file system let this process write the database? */
export function isWritable(directory: string): boolean {
  try {
    accessSync(join(directory, 'store.db'), constants.W_OK)
    return true
  } catch {
    return false
  }
}
