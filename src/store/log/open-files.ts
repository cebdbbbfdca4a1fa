import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { StoreFiles } from './store-files.ts'
import { hasLogHeader } from './wal-damage.ts'

/** The loss of files of an open store. */
export interface FileLoss {
  /** The file and what happened to it. */
  readonly message: string
  /** Can what stands in the write-ahead log still be moved into the database? */
  readonly isSalvageable: boolean
}

/** Milliseconds between two looks at the database before commits. */
const DATABASE_INTERVAL = 5

interface Identity {
  readonly device: bigint
  readonly inode: bigint
  readonly size: bigint
}

/**
 * Checks that the paths of the store still lead to its open files. What is written into a removed or replaced file is
 * gone with the process.
 *
 * There are two checks. The one around each commit asks the open files alone: a removed or replaced file has no name
 * left. It asks the log each time, because the next commit would leave a hole in a shortened log. It asks the database
 * every 5 ms, because a system call beside a sync costs several microseconds. The full check (`loss`) follows the
 * paths, too. It finds a file that keeps a name elsewhere, by a move or a hard link.
 */
export class OpenFiles {
  readonly #files: StoreFiles
  readonly #database: Identity
  readonly #databaseSize: number
  readonly #log: Identity
  readonly #databaseDescriptor: number
  readonly #logDescriptor: number
  readonly #header = Buffer.alloc(32)
  #logSize = 0
  #databaseSeenAt = -Infinity

  /** The files exist: the database is open, with its write-ahead log. */
  constructor(files: StoreFiles) {
    this.#files = files
    this.#databaseDescriptor = openSync(files.database, constants.O_RDONLY | constants.O_NONBLOCK)
    this.#logDescriptor = openSync(files.log, constants.O_RDONLY | constants.O_NONBLOCK)
    this.#database = identify(files.database)
    this.#databaseSize = Number(this.#database.size)
    this.#log = identify(files.log)
    this.#logSize = fstatSync(this.#logDescriptor).size
  }

  /**
   * Do the files still have a name, and all that they held? Before a commit, which would leave a hole in a log that was cut off;
   * with the milliseconds of a clock that nobody sets.
   */
  areWhole(now: number): boolean {
    return this.#isDatabaseWhole(now) && this.isLogWhole()
  }

  #isDatabaseWhole(now: number): boolean {
    if (now - this.#databaseSeenAt < DATABASE_INTERVAL) return true
    const { nlink, size } = fstatSync(this.#databaseDescriptor)
    if (nlink === 0 || size < this.#databaseSize) return false
    this.#databaseSeenAt = now
    return true
  }

  /** Does the write-ahead log still have a name, and all that it held? After a commit, which makes it longer. */
  isLogWhole(): boolean {
    const { nlink, size } = fstatSync(this.#logDescriptor)
    if (nlink === 0 || size < this.#logSize) return false
    this.#logSize = size
    return true
  }

  /** The write-ahead log was emptied on purpose. */
  logTruncated(): void {
    this.#logSize = 0
  }

  /** Returns the loss of files since they were opened; undefined when they are as they were. */
  loss(): FileLoss | undefined {
    const { database, log } = this.#files
    const ofDatabase = lossOf(database, this.#database)
    if (ofDatabase !== undefined) return { message: ofDatabase, isSalvageable: false }
    const { size } = fstatSync(this.#logDescriptor)
    if (size < this.#logSize || (size > 0 && !this.#hasHeader()))
      return { message: `${log} was cut off while the store was open`, isSalvageable: false }
    this.#logSize = size
    const ofLog = lossOf(log, { ...this.#log, size: 0n })
    return ofLog === undefined ? undefined : { message: ofLog, isSalvageable: true }
  }

  /** After the database was closed: the process loses its locks on a file when it closes any descriptor of it. */
  close(): void {
    closeSync(this.#logDescriptor)
    closeSync(this.#databaseDescriptor)
  }

  /** Does the log that is open begin as a log does? */
  #hasHeader(): boolean {
    const read = readSync(this.#logDescriptor, this.#header, 0, this.#header.length, 0)
    return read === this.#header.length && hasLogHeader(this.#header)
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
  // A database only grows: SQLite uses the space of deleted rows again.
  return found.size < size ? `${path} was cut off while the store was open` : undefined
}
