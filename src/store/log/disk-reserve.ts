import { randomFillSync } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'

const CHUNK = 1024 * 1024

/**
 * Disk space that is kept for deletions, held by a file. The file is removed when the disk is full, and written again
 * when the disk has space again. Its bytes are random, because a file system may store zeros without using space.
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
    // A file with holes holds no space. Some file systems count blocks only when they have written them.
    return this.#taken || found.blocks * 512 >= this.#bytes
  }

  /** Frees the space. Returns false if none was held. */
  release(): boolean {
    if (this.#bytes === 0 || !this.isHeld) return false
    rmSync(this.#path, { force: true })
    return true
  }

  /**
   * Takes the bytes. To prove that more is free, it first writes half as much again, less `spare`. Returns false if
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
