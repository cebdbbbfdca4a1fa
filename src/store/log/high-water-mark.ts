import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { crc32 } from 'node:zlib'
import { systemCode } from '../../runtime/process/startup-error.ts'
import { StoreError } from '../record/store-error.ts'

/** Each slot is a sector of its own, which a disk writes as a whole or not at all. */
const SLOT = 512
/** The length of a slot's text: shorter texts are padded with blanks. */
const SAID = 128

interface Slot {
  /** Counts the writes of the mark: the slot that was written last holds. */
  readonly sequence: number
  readonly revision: number
}

/**
 * Holds the newest acknowledged revision outside the database. A database or write-ahead log that is missing, cut or
 * older is detected by it. It is written after transactions, in turn into one of two slots. It is never newer than the
 * log. `PacedMark` says when to write it.
 */
export class HighWaterMark {
  readonly #path: string
  readonly #descriptor: number
  readonly #bytes = Buffer.alloc(SAID)
  #sequence: number

  private constructor(path: string, descriptor: number, sequence: number) {
    this.#path = path
    this.#descriptor = descriptor
    this.#sequence = sequence
  }

  /** Returns the revision of a mark; undefined when there is none. Throws StoreError when it is damaged. */
  static read(path: string): number | undefined {
    return readSlot(path)?.revision
  }

  /** Makes the mark of a new store, whole or not at all; one that is there stays. */
  static make(path: string): void {
    const draft = `${path}.new-${process.pid}-${process.hrtime.bigint()}`
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      writeSync(descriptor, textOf({ sequence: 0, revision: 0 }) + textOf({ sequence: 1, revision: 0 }))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    try {
      linkSync(draft, path)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    } finally {
      rmSync(draft)
    }
  }

  /** Opens the mark of a store to raise it; makes it where there is none, or none that can be read. */
  static open(path: string): HighWaterMark {
    let slot: Slot | undefined
    try {
      slot = readSlot(path)
    } catch {
      rmSync(path)
    }
    if (slot === undefined) HighWaterMark.make(path)
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    return new HighWaterMark(path, descriptor, slot?.sequence ?? 1)
  }

  /** Writes that the store has got as far as `revision`. False when that failed: the mark stays behind. */
  raise(revision: number): boolean {
    try {
      const sequence = this.#sequence + 1
      const length = this.#bytes.write(contentOf({ sequence, revision }), 'latin1')
      this.#bytes.fill(' ', length)
      writeSync(this.#descriptor, this.#bytes, 0, SAID, (sequence % 2) * SLOT)
      this.#sequence = sequence
      return true
    } catch {
      return false
    }
  }

  /** From here on a loss of power does not undo what was raised. False when that failed. */
  sync(): boolean {
    try {
      fdatasyncSync(this.#descriptor)
      return true
    } catch {
      return false
    }
  }

  /** Does its path still lead to it? */
  get isInPlace(): boolean {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    const own = fstatSync(this.#descriptor, { bigint: true })
    return found?.ino === own.ino && found.dev === own.dev
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function readSlot(path: string): Slot | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const bytes = Buffer.alloc(2 * SLOT)
    const text = bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0))
    const slots = [text.slice(0, SLOT), text.slice(SLOT)].flatMap((slot) => decode(slot) ?? [])
    const [newest] = slots.toSorted((a, b) => b.sequence - a.sequence)
    if (newest === undefined) throw new StoreError('lost', `${path} is damaged, which says how far the store had got`)
    return newest
  } finally {
    closeSync(descriptor)
  }
}

function contentOf({ sequence, revision }: Slot): string {
  const said = `allot store mark, write ${sequence}, revision ${revision}`
  return `${said}, checksum ${crc32(said)}`
}

const textOf = (slot: Slot): string => `${contentOf(slot).padEnd(SLOT - 1)}\n`

function decode(text: string): Slot | undefined {
  const [, sequence, revision] = /^allot store mark, write (\d+), revision (\d+), checksum \d+ *\n$/.exec(text) ?? []
  const slot = { sequence: Number(sequence), revision: Number(revision) }
  return sequence !== undefined && textOf(slot) === text ? slot : undefined
}
