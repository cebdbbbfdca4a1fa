import { HighWaterMark } from './high-water-mark.ts'

/** Milliseconds between two writes of the mark while transactions follow each other. */
const INTERVAL = 5

/**
 * The mark of what was acknowledged, written at most every 5 ms, and once more when no transaction follows. A write of the mark
 * makes the sync of the write-ahead log behind it dearer, because both go through one journal of the file system. A process that
 * is killed may leave a mark that is 5 ms old.
 */
export class PacedMark {
  readonly #path: string
  #mark: HighWaterMark
  #revision: number
  #written = -1
  #writtenAt = 0
  #synced = -1
  #timer: NodeJS.Timeout | undefined

  /** Opens the mark at this path, or makes it, and writes and syncs that the store has got as far as `revision`. */
  constructor(path: string, revision: number) {
    this.#path = path
    this.#mark = HighWaterMark.open(path)
    this.#revision = revision
    this.sync()
  }

  /** The store has got as far as `revision`: is written now, or within the interval. */
  raise(revision: number): void {
    this.#revision = revision
    if (performance.now() - this.#writtenAt >= INTERVAL) this.#write()
    else this.#timer ??= setTimeout(() => this.#write(), INTERVAL).unref()
  }

  /** Writes what was raised, and syncs it: from here on a loss of power does not undo it. */
  sync(): void {
    this.#write()
    if (this.#synced !== this.#revision && this.#mark.sync()) this.#synced = this.#revision
  }

  /** Makes the mark anew where its path does not lead to it any more. */
  replaceIfGone(): void {
    if (this.#mark.isInPlace) return
    try {
      const mark = HighWaterMark.open(this.#path)
      this.#mark.close()
      this.#mark = mark
      this.#written = this.#synced = -1
    } catch {
      // The next look tries again; without a mark the next start refuses.
    }
  }

  close(): void {
    this.sync()
    this.#mark.close()
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#written === this.#revision) return
    this.#writtenAt = performance.now()
    if (this.#mark.raise(this.#revision)) this.#written = this.#revision
  }
}
