import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { FileLock } from '../../runtime/files/lock.ts'
import { existsSync, statSync } from 'node:fs'
import { DiskReserve } from './disk-reserve.ts'
import type { LogBatch, LogRow, Sweep } from './log.ts'
import { logChecksum } from './checksum.ts'
import type { LogFaults } from './faults.ts'
import { lockFiles, noteHolder, openReader, openWriter } from './file.ts'
import type { LogReader } from './reader.ts'
import { LogSeal } from './seal.ts'
import { OpenFiles } from './open-files.ts'
import { PacedMark } from './paced-mark.ts'
import { writingError } from './sqlite-error.ts'
import { StoreError, isFinal } from '../record/store-error.ts'
import type { StoreFiles } from './store-files.ts'
import { basename } from 'node:path'
import { HighWaterMark } from './high-water-mark.ts'
import { lackOf } from './wal-damage.ts'

/** Pages that the write-ahead log collects before they are moved into the database: 16 MiB. */
const checkpointPages = 4096

export interface LogOptions {
  /** Bytes of the disk that are kept for deletions; default: none. */
  readonly reserve?: number
  /** Go on with what is left when acknowledged writes were lost. */
  readonly acceptLostWrites?: boolean
}

/** The statements that write, prepared once everything has been read and found good. */
interface Writer {
  readonly database: DatabaseSync
  readonly files: OpenFiles
  readonly insert: StatementSync
  readonly remove: StatementSync
  readonly seal: StatementSync
}

/** The log of one directory; synchronous, for a thread of its own. Until all has been read nothing is changed. */
export class LogDatabase {
  readonly #directory: string
  readonly #files: StoreFiles
  readonly #lock: FileLock
  readonly #faults: LogFaults
  readonly #reserve: DiskReserve
  readonly #reader: LogReader
  #spent = false
  /** The log's own summary of its contents. */
  #seal: LogSeal
  #newest: number
  #mark: PacedMark | undefined
  #writer: Writer | undefined
  #batches = 0
  #failed: StoreError | undefined
  /** Why the directory does not hold what was acknowledged. */
  #unkept: StoreError | undefined
  readonly #accepts: boolean
  #closed = false
  /** The loss that was found. */
  readonly lost: StoreError | undefined

  /** Opens and locks the directory. Throws StoreError and what SQLite throws; then nothing has changed. */
  constructor(directory: string, faults: LogFaults, { reserve = 0, acceptLostWrites = false }: LogOptions = {}) {
    this.#directory = directory
    this.#faults = faults
    const { files, lock } = lockFiles(directory)
    this.#files = files
    this.#lock = lock
    this.#reserve = new DiskReserve(files.reserve, reserve)
    let reader: LogReader | undefined
    try {
      reader = openReader(files)
      this.#reader = reader
      this.#seal = reader.seal.copy()
      this.#newest = reader.newest(this.#seal.floor)
      const { error, marked } = lostWrites(files, this.#newest)
      this.lost = error
      this.#accepts = error === undefined || acceptLostWrites
      // No revision is ever given twice: clients may have seen those that were lost.
      if (marked > this.#newest) this.#newest = this.#seal.floor = marked
    } catch (error) {
      reader?.close()
      lock.abandon()
      throw error
    }
  }

  /** The revision up to which superseded rows may be missing. */
  floor(): number {
    return this.#seal.floor
  }

  /** The next rows in revision order; none: that was all, and it can be written on. Throws StoreError on damage. */
  read(): readonly LogRow[] {
    try {
      const rows = this.#reader.read()
      if (rows.length > 0) return rows
      // Damage comes first: this is good in itself, and only too old.
      if (this.lost !== undefined && !this.#accepts) throw this.lost
      this.#writable()
      return rows
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Writes a batch in one transaction; when this returns it is on the disk. Throws StoreError; then nothing has changed. */
  append(batch: LogBatch): void {
    try {
      this.#append(batch)
    } catch (error) {
      const size = batch.rows.reduce((sum, row) => sum + row[5].length + 100, 0)
      const fits = size * 4 <= this.#reserve.bytes
      if (!(error instanceof StoreError) || error.code !== 'disk-full' || !fits) throw error
      if (this.#emptyLog() && this.#isAppended(batch)) return
      if (!this.#freeSpace()) throw error
      this.#append(batch)
    }
  }

  /** False when the disk is full for it too. Throws what else is wrong. */
  #isAppended(batch: LogBatch): boolean {
    try {
      this.#append(batch)
      return true
    } catch (error) {
      if (error instanceof StoreError && error.code === 'disk-full') return false
      throw error
    }
  }

  /** False while the disk is full and the space for deletions is in use. */
  get hasReserve(): boolean {
    return !this.#spent
  }

  /** Takes the space for deletions if the disk has it. */
  takeReserve(): boolean {
    if (this.#spent) this.#emptyLog()
    this.#spent = this.#isFull() ? !this.#reserve.isHeld : !this.#reserve.take(this.#free())
    return !this.#spent
  }

  /** Frees the space for deletions and the space of the write-ahead log. */
  #freeSpace(): boolean {
    const released = this.#reserve.release()
    this.#spent ||= released
    // Moving the log may grow the database by the size of the log. A move that does not fit would only use up the space.
    if (this.#logSize() <= this.#reserve.bytes) this.#moveLog()
    return released
  }

  /** Gives free what the write-ahead log takes, where its content has its place in the database; false when it has not. */
  #emptyLog(): boolean {
    const { database } = this.#writable()
    const wanted = numberOf(database, 'page_count') * numberOf(database, 'page_size')
    return wanted <= statSync(this.#files.database).size && this.#moveLog()
  }

  #moveLog(): boolean {
    try {
      const { database, files } = this.#writable()
      const moved = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
      files.logTruncated()
      return moved?.['busy'] === 0
    } catch {
      // Then the log stays as it is, and what was kept has to be enough.
      return false
    }
  }

  /** Bytes of the database that rows have given back, and that new ones take before it grows. */
  #free(): number {
    const { database } = this.#writable()
    return numberOf(database, 'freelist_count') * numberOf(database, 'page_size')
  }

  #append({ rows, sweep }: LogBatch): void {
    if (this.#failed !== undefined) throw this.#failed
    const { database, insert, seal: writeSeal, files } = this.#writable()
    this.#batches++
    if (!files.areWhole(performance.now())) this.#demand(files)
    if (this.#failed !== undefined) throw this.#failed
    const seal = this.#seal.copy()
    try {
      database.exec('BEGIN IMMEDIATE')
      // The rows may need the space that the sweep frees.
      if (sweep !== undefined) this.#sweep(sweep, seal)
      for (const [revision, bucket, key, created, deleted, text] of rows) {
        const checksum = logChecksum(revision, bucket, key, deleted, text)
        insert.run(revision, bucket, key, created, deleted, text, checksum)
        seal.add(created, checksum)
      }
      seal.writeBy(writeSeal)
      this.#injectFault()
      database.exec('COMMIT')
      this.#seal = seal
    } catch (error) {
      throw this.#recover(writingError(this.#directory, error))
    }
    this.#newest = rows.at(-1)?.[0] ?? this.#newest
    if (!files.isLogWhole()) this.#demand(files)
    this.#mark?.raise(this.#newest)
  }

  #sweep({ floor, revisions }: Sweep, seal: LogSeal): void {
    for (const revision of revisions) {
      const removed = this.#writer?.remove.get(revision)
      if (removed !== undefined) seal.remove(Number(removed['created']), Number(removed['checksum']))
    }
    // A floor never falls: an earlier transaction may have dropped rows up to a higher one.
    seal.floor = Math.max(seal.floor, floor)
  }

  /**
   * Are the files still those that were opened? Syncs the mark where it was raised. For a call each second. Throws StoreError
   * when nothing is to be written any more.
   */
  check(): void {
    if (this.#failed !== undefined) throw this.#failed
    if (this.#writer === undefined) return
    this.#demand(this.#writer.files)
    if (this.#failed !== undefined) throw this.#failed
    this.#mark?.replaceIfGone()
    this.#mark?.sync()
  }

  /**
   * Throws when what was acknowledged is not where its names lead. Where only the write-ahead log lost its name, what stands in it
   * is moved into the database: that much is kept, and the commit at hand too, but nothing more is written.
   */
  #demand(files: OpenFiles): void {
    const loss = this.#failed === undefined ? files.loss() : undefined
    if (loss === undefined) return
    const kept = loss.isSalvageable && this.#salvage()
    this.#failed = new StoreError(
      'gone',
      `${loss.message}: ${kept ? 'what was acknowledged is in the database, but nothing more' : 'what was acknowledged may be lost, and nothing more'} is written`,
    )
    if (!kept) throw (this.#unkept = this.#failed)
  }

  #salvage(): boolean {
    try {
      const moved = this.#writer?.database.prepare('PRAGMA wal_checkpoint(FULL)').get()
      return moved?.['busy'] === 0 && moved['log'] === moved['checkpointed']
    } catch {
      return false
    }
  }

  /** Opens the database for writing, at the first call. Throws StoreError. */
  #writable(): Writer {
    if (this.#writer !== undefined) return this.#writer
    this.#reader.close()
    const database = openWriter(this.#files)
    try {
      this.#writer = this.#prepare(database)
      this.#mark = new PacedMark(this.#files.mark, this.#newest)
      noteHolder(this.#files)
      return this.#writer
    } catch (error) {
      database.close()
      throw error
    }
  }

  #prepare(database: DatabaseSync): Writer {
    const faults = this.#faults
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${faults.checkpointPages ?? checkpointPages}`)
    database.exec(`PRAGMA synchronous = ${faults.synchronous ?? 'FULL'}`)
    if (faults.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${faults.maxPages}`)
    const seal = database.prepare(LogSeal.update)
    // Changes nothing, and fails where the file says of itself that it must not be written.
    database.exec('UPDATE seal SET id = id WHERE id = 0')
    if (this.lost !== undefined) this.#seal.writeBy(seal)
    return {
      database,
      files: new OpenFiles(this.#files),
      insert: database.prepare(
        'INSERT INTO log (revision, bucket, key, created, deleted, text, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ),
      remove: database.prepare('DELETE FROM log WHERE revision = ? RETURNING created, checksum'),
      seal,
    }
  }

  /** Closes everything. Throws StoreError when the directory does not hold what was acknowledged. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#reader.close()
    if (this.#writer === undefined) return this.#lock.abandon()
    const { database, files } = this.#writer
    try {
      this.check()
    } catch {
      // Reported below, unless everything is kept all the same.
    }
    database.close()
    this.#mark?.close()
    files.close()
    this.#lock.release()
    if (this.#unkept !== undefined) throw this.#unkept
  }

  /** Leaves the broken transaction; when that is impossible too the database is unusable. */
  #recover(error: StoreError): StoreError {
    let result = error
    const database = this.#writer?.database
    try {
      if (database?.isTransaction === true) database.exec('ROLLBACK')
    } catch (cause) {
      result = new StoreError('failed', `the store in ${this.#directory} cannot leave a failed write`, { cause })
    }
    if (isFinal(result)) this.#failed = result
    return result
  }

  #logSize(): number {
    return statSync(this.#files.log, { throwIfNoEntry: false })?.size ?? 0
  }

  #isFull(): boolean {
    return this.#faults.fullWhile !== undefined && existsSync(this.#faults.fullWhile)
  }

  #injectFault(): void {
    if (this.#isFull() && this.#reserve.isHeld) throw Object.assign(new Error('injected fault'), { errcode: 13 })
    const fault = this.#faults.failBatches?.find(({ batch }) => batch === this.#batches)
    if (fault !== undefined) throw Object.assign(new Error('injected fault'), { errcode: fault.errcode })
  }
}

function numberOf(database: DatabaseSync, pragma: 'page_count' | 'page_size' | 'freelist_count'): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma])
}

/**
 * Does a store that got as far as `newest` hold all that was acknowledged, by its mark? A write-ahead log that is missing, cut
 * or older, or a database that is older, gives a good store of an earlier time, which nothing in it betrays.
 */
function lostWrites(files: StoreFiles, newest: number): { readonly error?: StoreError; readonly marked: number } {
  let marked: number | undefined
  try {
    marked = HighWaterMark.read(files.mark)
  } catch (error) {
    if (error instanceof StoreError) return { error, marked: 0 }
    throw error
  }
  if (marked === undefined) {
    const message = `${files.mark} is missing, which says how far the store had got`
    return { error: new StoreError('lost', message), marked: 0 }
  }
  if (marked <= newest) return { marked }
  const message = `the store in ${files.directory} has lost writes that were acknowledged: it ends at revision ${newest}, and ${basename(files.mark)} says ${marked}; ${lackOf(files.log)}, or ${basename(files.database)} is an older copy`
  return { error: new StoreError('lost', message), marked }
}
