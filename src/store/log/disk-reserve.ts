import { randomFillSync } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'

const CHUNK = 1024 * 1024

/**
 * Room on the disk that is kept for deletions: a file that is removed when the disk is full, and written anew when there is
 * room again. Its bytes are random, since a file system may keep zeros without taking room for them.
 */
export class DiskReserve {
  readonly #path: string
  readonly #bytes: number
  #taken = false

  constructor(path: string, bytes: number) {
    this.#path = path
    this.#bytes = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get isHeld(): boolean {
    if (this.#bytes === 0) return true
    const found = statSync(this.#path, { throwIfNoEntry: false })
    if (found?.size !== this.#bytes) return false
    // A file with holes keeps no room. Some file systems count blocks only when they have written them.
    return this.#taken || found.blocks * 512 >= this.#bytes
  }

  /** Gives the room free; false when there was none. */
  release(): boolean {
    if (this.#bytes === 0 || !this.isHeld) return false
    rmSync(this.#path, { force: true })
    return true
  }

  /**
   * Reserves the bytes. To prove that more is free, it first writes half as much again, less `spare`. Returns false if
   * the disk lacks the space.
   */
  take(spare = 0): boolean {
    if (this.isHeld) return true
    const draft = `${this.#path}.new`
    try {
      this.#write(draft, this.#bytes + Math.max(0, this.#bytes / 2 - spare))
      renameSync(draft, this.#path)
      this.#taken = true
      return true
    } catch {
      rmSync(draft, { force: true })
      rmSync(this.#path, { force: true })
      return false
    }
  }

  #write(draft: string, wanted: number): void {
    // A process that died here has left it.
    rmSync(draft, { force: true })
    const file = openSync(draft, 'wx', 0o600)
    try {
      const chunk = randomFillSync(Buffer.alloc(CHUNK))
      for (let written = 0; written < wanted;) written += writeSync(file, chunk, 0, Math.min(CHUNK, wanted - written))
      ftruncateSync(file, this.#bytes)
    } finally {
      closeSync(file)
    }
  }
}
