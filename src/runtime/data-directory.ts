import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from './make-directory.ts'
import { readIfPresent, writePrivateFile } from './private-file.ts'
import { StartupError } from './startup-error.ts'

/** How long to wait for a process that is just ending, in milliseconds. */
const LOCK_PATIENCE_MS = 250

/**
 * The directory where a process keeps what must outlive it, for this process alone. The lock is the kernel's, on the empty
 * `allot.lock`, taken through SQLite since Node has no call for it: it ends with the process, however that ends.
 * `allot.pid` only says who holds it.
 */
export class DataDirectory {
  readonly path: string
  readonly #lock: DatabaseSync

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path
    this.#lock = lock
  }

  /** Makes the directory (mode 0700) unless it exists, and locks it. Throws StartupError. */
  static open(directory: string): DataDirectory {
    const path = resolve(directory)
    let database: DatabaseSync | undefined
    try {
      makeDirectory(path)
      database = new DatabaseSync(join(path, 'allot.lock'), { timeout: LOCK_PATIENCE_MS })
      // A transaction that never ends and never writes: the file stays empty and needs no journal.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
      writeFileSync(join(path, 'allot.pid'), `${process.pid}\n`)
      return new DataDirectory(path, database)
    } catch (error) {
      database?.close()
      throw isBusy(error) ? inUse(path) : unusable(path, error)
    }
  }

  file(name: string): string {
    return join(this.path, name)
  }

  /** The text of a file; undefined when there is none. Throws StartupError. */
  read(name: string): string | undefined {
    return this.#attempt(() => readIfPresent(this.file(name)))
  }

  /** Replaces a file as a whole, for the owner's eyes only. Throws StartupError. */
  write(name: string, text: string): void {
    this.#attempt(() => writePrivateFile(this.file(name), text))
  }

  /** Lets others use the directory. */
  close(): void {
    rmSync(this.file('allot.pid'), { force: true })
    this.#lock.close()
  }

  #attempt<Result>(access: () => Result): Result {
    try {
      return access()
    } catch (error) {
      throw unusable(this.path, error)
    }
  }
}

/** SQLITE_BUSY (5) and SQLITE_LOCKED (6), with whatever extension in the higher bits. */
function isBusy(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
  return code === 5 || code === 6
}

function inUse(path: string): StartupError {
  const holder = readIfPresent(join(path, 'allot.pid'))?.trim() ?? ''
  const who = holder === '' ? 'another process' : `process ${holder}`
  return new StartupError('directory-in-use', `the data directory ${path} is in use by ${who}`)
}

function unusable(path: string, cause: unknown): StartupError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new StartupError('directory-unusable', `the data directory ${path} cannot be used (${why})`, { cause })
}
