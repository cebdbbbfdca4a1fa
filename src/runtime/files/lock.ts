import { closeSync, openSync, rmSync, statSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { assertRegularFile } from './regular-file.ts'
import { systemCode } from '../process/startup-error.ts'

/** How long to wait for a process that is just ending, in milliseconds. */
const PATIENCE_MS = 250

/**
 * A lock for one process. The lock is the kernel's, on an empty file, taken through SQLite since Node has no call for it: it
 * ends with the process, however that ends.
 */
export class FileLock {
  readonly #path: string
  readonly #database: DatabaseSync
  /** When its directory was last changed before the file was made; undefined when the file was there. */
  readonly #changed: Date | undefined

  private constructor(path: string, database: DatabaseSync, changed: Date | undefined) {
    this.#path = path
    this.#database = database
    this.#changed = changed
  }

  /** Makes the file unless it exists, and locks it; undefined when another holds it. Throws what the file system throws. */
  static take(path: string): FileLock | undefined {
    for (;;) {
      const changed = makeFile(path)
      const before = inodeOf(path)
      const database = new DatabaseSync(path, { timeout: PATIENCE_MS })
      try {
        // A transaction that never ends and never writes: the file stays empty and needs no journal.
        database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
      } catch (error) {
        database.close()
        if (isBusy(error)) return undefined
        throw error
      }
      // A lock on a file that its former holder has just removed excludes nobody.
      if (before !== undefined && before === inodeOf(path)) return new FileLock(path, database, changed)
      database.close()
    }
  }

  release(): void {
    this.#database.close()
  }

  /** Releases the lock and leaves no trace of it: a directory that was refused stays as it was. */
  abandon(): void {
    if (this.#changed !== undefined) {
      rmSync(this.#path, { force: true })
      const directory = dirname(this.#path)
      const { atime } = statSync(directory)
      utimesSync(directory, atime, this.#changed)
    }
    this.#database.close()
  }
}

/** When the directory was changed last before the file was made; undefined when it is there. */
function makeFile(path: string): Date | undefined {
  assertRegularFile(path)
  const { mtime } = statSync(dirname(path))
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return mtime
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined
    throw error
  }
}

const inodeOf = (path: string): bigint | undefined => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino

/** SQLITE_BUSY (5) and SQLITE_LOCKED (6), with whatever extension in the higher bits. */
function isBusy(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
  return code === 5 || code === 6
}
