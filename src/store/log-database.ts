import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { LogBatch, LogRow, Sweep } from './log.ts'
import { logChecksum } from './log-checksum.ts'
import type { LogFaults } from './log-faults.ts'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DiskReserve } from './disk-reserve.ts'
import { openLogFile } from './log-file.ts'
import { LogSeal } from './log-seal.ts'
import { writingError } from './sqlite-error.ts'
import { StoreError } from './store-error.ts'

/** So many characters of text are read in one go. */
const chunkText = 1024 * 1024
/** Pages that the write-ahead log collects before they are moved into the database: 16 MiB. */
const checkpointPages = 4096

/** The log of one directory; synchronous, for a thread of its own. */
export class LogDatabase {
  readonly #directory: string
  readonly #database: DatabaseSync
  readonly #faults: LogFaults
  readonly #reserve: DiskReserve
  #spent = false
  readonly #insert: StatementSync
  readonly #remove: StatementSync
  readonly #writeSeal: StatementSync
  /** What the log says that it holds. */
  #seal: LogSeal
  /** What has been read of it. */
  #found: LogSeal | undefined = new LogSeal()
  #unread: Iterator<unknown> | undefined
  #batches = 0
  #failed: StoreError | undefined

  /** Opens and locks the directory. Throws StoreError and what SQLite throws. */
  constructor(directory: string, faults: LogFaults, reserve = 0) {
    this.#directory = directory
    this.#faults = faults
    this.#reserve = new DiskReserve(directory, reserve)
    this.#database = openLogFile(directory)
    this.#database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${faults.checkpointPages ?? checkpointPages}`,
    )
    this.#database.exec(`PRAGMA synchronous = ${faults.synchronous ?? 'FULL'}`)
    if (faults.maxPages !== undefined) this.#database.exec(`PRAGMA max_page_count = ${faults.maxPages}`)
    this.#insert = this.#database.prepare(
      'INSERT INTO log (revision, bucket, key, created, deleted, text, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    this.#remove = this.#database.prepare('DELETE FROM log WHERE revision = ? RETURNING created, checksum')
    this.#writeSeal = this.#database.prepare(LogSeal.update)
    const seal = LogSeal.read(this.#database)
    if (seal === undefined) throw this.#damaged('its seal is broken')
    this.#seal = seal
    // Changes nothing, and fails where the file says of itself that it must not be written.
    this.#database.exec('UPDATE seal SET id = id WHERE id = 0')
  }

  /** The revision up to which superseded rows may be missing. */
  floor(): number {
    return this.#seal.floor
  }

  /** The next rows in revision order; none: that was all. Throws StoreError on damage. */
  read(): readonly LogRow[] {
    if (this.#unread === undefined) {
      const select = this.#database.prepare(
        'SELECT revision, bucket, key, created, deleted, text, checksum FROM log ORDER BY revision',
      )
      select.setReturnArrays(true)
      this.#unread = select.iterate()
    }
    const rows: LogRow[] = []
    for (let size = 0; size < chunkText;) {
      const { done, value } = this.#unread.next()
      if (done === true) break
      const row = decodeRow(value)
      if (row === undefined) throw this.#damaged(`a row after revision ${rows.at(-1)?.[0] ?? 0} is unreadable`)
      this.#found?.add(row[3], logChecksum(row[0], row[1], row[2], row[4], row[5]))
      rows.push(row)
      size += row[5].length + 100
    }
    if (rows.length === 0) this.#verify()
    return rows
  }

  /** Writes a batch in one transaction; when this returns it is on the disk. Throws StoreError; then nothing has changed. */
  append(batch: LogBatch): void {
    try {
      this.#write(batch)
    } catch (error) {
      const size = batch.rows.reduce((sum, row) => sum + row[5].length + 100, 0)
      const fits = size * 4 <= this.#reserve.bytes
      if (!(error instanceof StoreError) || error.code !== 'disk-full' || !fits || !this.#makeRoom()) throw error
      this.#write(batch)
    }
  }

  /** False while the disk is full: the room that was kept for deletions is in use. */
  get isReserved(): boolean {
    return !this.#spent
  }

  /** Takes the room for deletions, if the disk has it. */
  reserve(): boolean {
    this.#spent = this.#isFull() ? !this.#reserve.isHeld : !this.#reserve.take()
    return !this.#spent
  }

  /** Gives free what is kept, and what the write-ahead log took. */
  #makeRoom(): boolean {
    const released = this.#reserve.release()
    this.#spent ||= released
    // The database may grow by what stands in the log: a move that does not fit would only use up the room.
    if (this.#logSize() > this.#reserve.bytes) return released
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // Then the log stays as it is, and what was kept has to be enough.
    }
    return released
  }

  #write({ rows, sweep }: LogBatch): void {
    if (this.#failed !== undefined) throw this.#failed
    this.#batches++
    const seal = this.#seal.copy()
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      for (const [revision, bucket, key, created, deleted, text] of rows) {
        const checksum = logChecksum(revision, bucket, key, deleted, text)
        this.#insert.run(revision, bucket, key, created, deleted, text, checksum)
        seal.add(created, checksum)
      }
      if (sweep !== undefined) this.#sweep(sweep, seal)
      seal.writeBy(this.#writeSeal)
      this.#injectFault()
      this.#database.exec('COMMIT')
      this.#seal = seal
    } catch (error) {
      throw this.#recover(writingError(this.#directory, error))
    }
  }

  #sweep({ floor, revisions }: Sweep, seal: LogSeal): void {
    for (const revision of revisions) {
      const removed = this.#remove.get(revision)
      if (removed !== undefined) seal.remove(Number(removed['created']), Number(removed['checksum']))
    }
    seal.floor = floor
  }

  /** Every row has been read: are they those that were written, and can the file be written on? Throws StoreError. */
  #verify(): void {
    if (this.#found?.matches(this.#seal) === false) throw this.#damaged('its rows are not all that were written')
    this.#found = undefined
    // Damage to what no row shows, such as the list of free pages, would destroy rows later.
    const problem = this.#database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
    if (problem !== 'ok') throw this.#damaged(String(problem))
  }

  close(): void {
    this.#database.close()
  }

  /** Leaves the broken transaction; when that is impossible too the database is unusable. */
  #recover(error: StoreError): StoreError {
    let result = error
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    } catch (cause) {
      result = new StoreError('failed', `the store in ${this.#directory} cannot leave a failed write`, { cause })
    }
    if (result.code === 'failed') this.#failed = result
    return result
  }

  #logSize(): number {
    return statSync(join(this.#directory, 'store.db-wal'), { throwIfNoEntry: false })?.size ?? 0
  }

  #isFull(): boolean {
    return this.#faults.fullWhile !== undefined && existsSync(this.#faults.fullWhile)
  }

  #injectFault(): void {
    if (this.#isFull() && this.#reserve.isHeld) throw Object.assign(new Error('injected fault'), { errcode: 13 })
    const fault = this.#faults.failBatches?.find(({ batch }) => batch === this.#batches)
    if (fault !== undefined) throw Object.assign(new Error('injected fault'), { errcode: fault.errcode })
  }

  #damaged(what: string): StoreError {
    return new StoreError('damaged', `the store in ${this.#directory} is damaged: ${what}`)
  }
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
