import { closeSync, constants, openSync, readSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { LogRow } from './log.ts'
import { logChecksum } from './checksum.ts'
import { applicationId, formatVersion, hasShape } from './format.ts'
import { LogSeal } from './seal.ts'
import { StoreError } from '../record/store-error.ts'
import type { StoreFiles } from './store-files.ts'
import { hasFrames, isDamagedInside } from './wal-damage.ts'

/** So many characters of text are read in one go. */
const chunkText = 1024 * 1024

/**
 * Reads and checks a log without changing a byte. SQLite moves the write-ahead log into the database when it closes a
 * writable one. After a refusal, the directory must be as it was before. The caller holds the lock of the store.
 */
export class LogReader {
  readonly #files: StoreFiles
  readonly #database: DatabaseSync
  readonly version: number
  #unread: Iterator<unknown> | undefined
  #found: LogSeal | undefined = new LogSeal()
  #seal: LogSeal | undefined

  /** Throws StoreError and what SQLite throws. */
  constructor(files: StoreFiles) {
    this.#files = files
    demandHeader(files)
    if (isDamagedInside(files.log))
      throw new StoreError('damaged', `${files.log} is broken in the middle, and what stands behind would be lost`)
    this.#database = openReadOnly(files)
    try {
      this.version = this.#checkFormat()
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  /** The log's own summary of its contents. Throws StoreError when it is damaged. */
  get seal(): LogSeal {
    this.#seal ??= LogSeal.read(this.#database)
    if (this.#seal === undefined) throw damaged(this.#files, 'its seal is broken')
    return this.#seal
  }

  /** The newest revision that is there. */
  newest(floor: number): number {
    return Math.max(
      floor,
      Number(this.#database.prepare('SELECT max(revision) AS newest FROM log').get()?.['newest'] ?? 0),
    )
  }

  /** The next rows in revision order; none: that was all, and they are those that were written. Throws StoreError. */
  read(): readonly LogRow[] {
    if (this.#unread === undefined) {
      // Formats before 1 did not have `created`, and are read only to be checked.
      const created = this.version === 0 ? '0' : 'created'
      const select = this.#database.prepare(
        `SELECT revision, bucket, key, ${created}, deleted, text, checksum FROM log ORDER BY revision`,
      )
      select.setReturnArrays(true)
      this.#unread = select.iterate()
    }
    const rows: LogRow[] = []
    for (let size = 0; size < chunkText;) {
      const { done, value } = this.#unread.next()
      if (done === true) break
      const row = decodeRow(value)
      if (row === undefined) throw damaged(this.#files, `a row after revision ${rows.at(-1)?.[0] ?? 0} is unreadable`)
      this.#found?.add(row[3], logChecksum(row[0], row[1], row[2], row[4], row[5]))
      rows.push(row)
      size += row[5].length + 100
    }
    if (rows.length === 0) this.#verify()
    return rows
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  /** Gives the version of the format. */
  #checkFormat(): number {
    const database = this.#database
    const { directory } = this.#files
    if (pragma(database, 'application_id') !== applicationId) {
      const foreign = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'] !== 0
      if (foreign) throw new StoreError('foreign', `${directory}/store.db is not a store of allot`)
      throw new StoreError('damaged', `${directory}/store.db is empty, which no store ever is`)
    }
    const version = pragma(database, 'user_version')
    if (version > formatVersion)
      throw new StoreError(
        'newer-format',
        `the store in ${directory} has format ${version}, this is for ${formatVersion}`,
      )
    if (!hasShape(database, version))
      throw new StoreError(
        'damaged',
        `the store in ${directory} is marked with format ${version}, but its tables have another one`,
      )
    return version
  }

  #verify(): void {
    if (this.version >= 2 && this.#found?.matches(this.seal) === false)
      throw damaged(this.#files, 'its rows are not all that were written')
    this.#found = undefined
    // Damage to what no row shows, such as the list of free pages, would destroy rows later.
    const problem = this.#database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
    if (problem !== 'ok') throw damaged(this.#files, String(problem))
  }
}

/**
 * Opens a database without ever writing to it. An empty write-ahead log is ignored. Otherwise SQLite takes no locks,
 * and the descriptor is read-only.
 */
function openReadOnly({ database, log }: StoreFiles): DatabaseSync {
  const url = pathToFileURL(database)
  url.search = hasFrames(log) ? 'mode=ro&vfs=unix-none' : 'immutable=1'
  const opened = new DatabaseSync(url, { readOnly: true })
  try {
    // Else the index of the log would be a file.
    opened.exec('PRAGMA locking_mode = EXCLUSIVE')
    return opened
  } catch (error) {
    opened.close()
    throw error
  }
}

/** Rejects a file that SQLite would take for an empty database, or for one that must not be written. */
function demandHeader(files: StoreFiles): void {
  const header = Buffer.alloc(100)
  const descriptor = openSync(files.database, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const read = readSync(descriptor, header, 0, header.length, 0)
    if (read === 0) throw new StoreError('damaged', `${files.directory}/store.db is empty, which no store ever is`)
  } finally {
    closeSync(descriptor)
  }
  if (header.readUInt8(18) > 2) throw damaged(files, 'its header says that it must not be written')
}

export function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}

function damaged({ directory }: StoreFiles, what: string): StoreError {
  return new StoreError('damaged', `the store in ${directory} is damaged: ${what}`)
}

/** A row as selected, if it is what was written: damaged pages give rows of other types, or a wrong checksum. */
function decodeRow(value: unknown): LogRow | undefined {
  if (!Array.isArray(value)) return undefined
  const [revision, bucket, key, created, deleted, text, checksum]: readonly unknown[] = value
  if (typeof revision !== 'number' || typeof created !== 'number' || typeof deleted !== 'number') return undefined
  if (typeof bucket !== 'string' || typeof key !== 'string' || typeof text !== 'string') return undefined
  if (checksum !== logChecksum(revision, bucket, key, deleted, text)) return undefined
  return [revision, bucket, key, created, deleted, text]
}
