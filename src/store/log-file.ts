import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { applicationId, formatVersion, hasShape, migrations, schema } from './log-format.ts'
import { isBusy } from './sqlite-error.ts'
import { makeDirectory } from '../runtime/make-directory.ts'
import { StoreError } from './store-error.ts'
import { isDamagedInside } from './wal-damage.ts'

/** How long to wait for a process that is just ending, in milliseconds. */
const lockTimeout = 250

/**
 * Opens the database of a store's directory, made when it does not exist, for this process alone, in the current
 * format. The lock is SQLite's own on the open file, so the kernel drops it when the process dies; `store.pid` only says
 * who holds it. Throws StoreError and what SQLite throws.
 */
export function openLogFile(directory: string): DatabaseSync {
  const file = join(directory, 'store.db')
  const made = makeDirectory(directory)
  if (made !== undefined) syncPath(dirname(made))
  if (!existsSync(file)) {
    const trace = traceOf(directory)
    if (trace !== undefined)
      throw new StoreError('missing', `${file} is missing, but ${trace} shows that there was a store`)
    createLogFile(directory, file)
  }
  if (isDamagedInside(`${file}-wal`))
    throw new StoreError('damaged', `${file}-wal is broken in the middle, and what stands behind would be lost`)
  const database = new DatabaseSync(file, { timeout: lockTimeout })
  try {
    lock(database, directory)
    upgrade(database, directory, file)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** What only stands beside a store: its log, the note of its lock, its copy. A directory of which one is left is not a new one. */
function traceOf(directory: string): string | undefined {
  const traces = /^store\.(?:db-wal|db-shm|db-journal|pid|reserve|db\.format-\d+(?:-\d+)?\.bak)$/
  return readdirSync(directory).find((name) => traces.test(name))
}

/** A new file appears whole and synced or not at all: hence an empty or partial `store.db` is damage, never a beginning. */
function createLogFile(directory: string, file: string): void {
  const draft = `${file}.new-${process.pid}-${process.hrtime.bigint()}`
  createPrivate(draft)
  const database = new DatabaseSync(draft)
  database.exec(`PRAGMA synchronous = FULL; PRAGMA application_id = ${applicationId}`)
  database.exec(`BEGIN; ${schema} PRAGMA user_version = ${formatVersion}; COMMIT`)
  database.close()
  try {
    linkSync(draft, file)
  } catch (error) {
    // Another process was faster; who of us gets it is decided by the lock.
    if (!existsSync(file)) throw error
  } finally {
    rmSync(draft)
  }
  syncPath(directory)
}

function lock(database: DatabaseSync, directory: string): void {
  const note = join(directory, 'store.pid')
  try {
    // An exclusive lock is taken by the first access and kept until the connection is closed; WAL then needs no shared memory.
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    if (pragma(database, 'application_id') !== applicationId) {
      const foreign = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'] !== 0
      if (foreign) throw new StoreError('foreign', `${directory}/store.db is not a store of allot`)
      throw new StoreError('damaged', `${directory}/store.db is empty, which no store ever is`)
    }
    database.exec('BEGIN EXCLUSIVE; COMMIT')
  } catch (error) {
    if (!isBusy(error)) throw error
    const pid = existsSync(note) ? readFileSync(note, 'utf8').trim() : ''
    const holder = pid === String(process.pid) ? `this process (${pid})` : `process ${pid === '' ? 'unknown' : pid}`
    throw new StoreError('locked', `the store in ${directory} is in use by ${holder}`, { cause: error })
  }
  writeFileSync(note, `${process.pid}\n`)
}

function upgrade(database: DatabaseSync, directory: string, file: string): void {
  const version = pragma(database, 'user_version')
  if (version > formatVersion)
    throw new StoreError(
      'newer-format',
      `the store in ${directory} has format ${version}, this is for ${formatVersion}`,
    )
  if (!hasShape(database, version))
    throw new StoreError('damaged', `the store in ${directory} says that it has format ${version}, its tables do not`)
  if (version === formatVersion) return
  backup(database, `${file}.format-${version}`)
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const migrate of migrations.slice(version)) migrate(database)
    database.exec(`PRAGMA user_version = ${formatVersion}; COMMIT`)
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
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

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}

function syncPath(path: string): void {
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
