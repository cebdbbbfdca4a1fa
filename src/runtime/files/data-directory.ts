import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FileLock } from './lock.ts'
import { makeDirectory } from './make-directory.ts'
import { writePrivateFile } from './private-file.ts'
import { assertRegularFile, readRegularFile } from './regular-file.ts'
import { StartupError } from '../process/startup-error.ts'

/** How the names of our files begin; anything else in the directory is never opened. */
const OURS = /^(?:allot\.|store\.|kubeconfig|admin\.token|service-account\.key|ca\.|server\.|dashboard-url)/

/**
 * The directory where a process keeps what must outlive it, for this process alone: the lock is on the empty `allot.lock`.
 * `allot.pid` only names the holder.
 */
export class DataDirectory {
  readonly path: string
  readonly #lock: FileLock
  #accepted = false

  private constructor(path: string, lock: FileLock) {
    this.path = path
    this.#lock = lock
  }

  /** Makes the directory (mode 0700) unless it exists, and locks it. Throws StartupError. */
  static open(directory: string): DataDirectory {
    const path = resolve(directory)
    let lock: FileLock | undefined
    try {
      makeDirectory(path)
      for (const name of readdirSync(path)) if (OURS.test(name)) assertRegularFile(join(path, name))
      lock = FileLock.take(join(path, 'allot.lock'))
    } catch (error) {
      throw unusable(path, error)
    }
    if (lock === undefined) throw inUse(path)
    return new DataDirectory(path, lock)
  }

  file(name: string): string {
    return join(this.path, name)
  }

  /** The text of a file; undefined when there is none. Throws StartupError. */
  read(name: string): string | undefined {
    return this.#attempt(() => readRegularFile(this.file(name)))
  }

  /** Replaces a file as a whole, for the owner's eyes only. Throws StartupError. */
  write(name: string, text: string): void {
    this.#attempt(() => writePrivateFile(this.file(name), text))
  }

  /** Takes the directory for this process and writes the file that names the owner. Earlier nothing in it is changed. Throws StartupError. */
  accept(): void {
    this.#accepted = true
    this.write('allot.pid', `${process.pid}\n`)
  }

  /** Lets others use the directory; one that was not accepted stays as it was found. */
  close(): void {
    if (!this.#accepted) return this.#lock.abandon()
    rmSync(this.file('allot.pid'), { force: true })
    this.#lock.release()
  }

  #attempt<Result>(access: () => Result): Result {
    try {
      return access()
    } catch (error) {
      throw unusable(this.path, error)
    }
  }
}

function inUse(path: string): StartupError {
  const holder = readRegularFile(join(path, 'allot.pid'))?.trim() ?? ''
  const who = holder === '' ? 'another process' : `process ${holder}`
  return new StartupError('directory-in-use', `the data directory ${path} is in use by ${who}`)
}

function unusable(path: string, cause: unknown): StartupError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new StartupError('directory-unusable', `the data directory ${path} cannot be used (${why})`, { cause })
}
