import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { StoreFiles } from './store-files.ts'
import { hasLogHeader } from './wal-damage.ts'

/** What became of the files of a store that is open. */
export interface FileLoss {
  /** The file and what happened to it. */
  readonly message: string
  /** Can what stands in the write-ahead log still be moved into the database? */
  readonly isSalvageable: boolean
}

interface Identity {
  readonly device: bigint
  readonly inode: bigint
  readonly size: bigint
}

/**
 * Are the files that the store has open still those that its names lead to? What is written into a file that was removed or
 * replaced is gone with the process. A look costs a few microseconds.
 */
export class OpenFiles {
  readonly #files: StoreFiles
  readonly #database: Identity
  readonly #log: Identity
  readonly #descriptor: number
  readonly #header = Buffer.alloc(32)
  #logSize = 0
  #salts = ''

  /** The files exist: the database is open, with its write-ahead log. */
  constructor(files: StoreFiles) {
    this.#files = files
    this.#descriptor = openSync(files.log, constants.O_RDONLY | constants.O_NONBLOCK)
    this.#database = identify(files.database)
    this.#log = identify(files.log)
    this.#logSize = this.#readLog().size
  }

  /** The salts of the write-ahead log: others after it was begun anew. */
  get generation(): string {
    return this.#salts
  }

  /** The write-ahead log was emptied on purpose. */
  logTruncated(): void {
    this.#logSize = 0
  }

  /** What happened to the files since they were opened; undefined when they are as they were. */
  loss(): FileLoss | undefined {
    const { database, log } = this.#files
    const ofDatabase = lossOf(database, this.#database)
    if (ofDatabase !== undefined) return { message: ofDatabase, isSalvageable: false }
    const { size, salts } = this.#readLog()
    if (size < this.#logSize || (size > 0 && salts === undefined))
      return { message: `${log} was cut off while the store was open`, isSalvageable: false }
    this.#logSize = size
    this.#salts = salts ?? ''
    const ofLog = lossOf(log, { ...this.#log, size: 0n })
    return ofLog === undefined ? undefined : { message: ofLog, isSalvageable: true }
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  /** The size of the log that is open, and its salts, unless its header is not that of a log. */
  #readLog(): { readonly size: number; readonly salts: string | undefined } {
    const { size } = fstatSync(this.#descriptor)
    if (size === 0) return { size, salts: undefined }
    const read = readSync(this.#descriptor, this.#header, 0, this.#header.length, 0)
    const salts = read === this.#header.length && hasLogHeader(this.#header)
    return { size, salts: salts ? this.#header.toString('hex', 16, 24) : undefined }
  }
}

function identify(path: string): Identity {
  const { dev, ino, size } = statSync(path, { bigint: true })
  return { device: dev, inode: ino, size }
}

function lossOf(path: string, { device, inode, size }: Identity): string | undefined {
  let found: Identity
  try {
    found = identify(path)
  } catch {
    return `${path} was removed while the store was open`
  }
  if (found.device !== device || found.inode !== inode) return `${path} was replaced while the store was open`
  // A database only grows: SQLite uses the room again that deletions leave.
  return found.size < size ? `${path} was cut off while the store was open` : undefined
}
