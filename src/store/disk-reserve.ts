import { randomFillSync } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const CHUNK = 1024 * 1024

/**
 * Room on the disk that is kept for deletions: a file that is removed when the disk is full, and written anew when there is
 * room again. Its bytes are random, since a file system may keep zeros without taking room for them.
 */
export class DiskReserve {
  readonly #path: string
  readonly #bytes: number

  constructor(directory: string, bytes: number) {
    this.#path = join(directory, 'store.reserve')
    this.#bytes = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get isHeld(): boolean {
    return this.#bytes === 0 || statSync(this.#path, { throwIfNoEntry: false })?.size === this.#bytes
  }

  /** Gives the room free; false when there was none. */
  release(): boolean {
    if (this.#bytes === 0 || !this.isHeld) return false
    rmSync(this.#path, { force: true })
    return true
  }

  /** Takes the room, and half as much again to see that more than that is free. False when the disk has not got it. */
  take(): boolean {
    if (this.isHeld) return true
    let file: number | undefined
    try {
      file = openSync(this.#path, 'w', 0o600)
      const chunk = randomFillSync(Buffer.alloc(CHUNK))
      const wanted = this.#bytes * 1.5
      for (let written = 0; written < wanted;) written += writeSync(file, chunk, 0, Math.min(CHUNK, wanted - written))
      ftruncateSync(file, this.#bytes)
      return true
    } catch {
      rmSync(this.#path, { force: true })
      return false
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }
}
