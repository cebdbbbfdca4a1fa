import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'

/** The table of the seal, with the seal of a log without rows. */
export const sealSchema = `
  CREATE TABLE seal (
    id INTEGER PRIMARY KEY,
    floor INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  INSERT INTO seal VALUES (1, 0, 0, 0, ${checksumOf(0, 0, 0)});
`

/**
 * A log's summary of its rows: how many, the sum of their checksums, and up to which revision superseded
 * rows may be missing. It is written with every transaction, so a row that damage hides or brings back is noticed.
 */
export class LogSeal {
  floor = 0
  #rows = 0
  #sum = 0

  /** Reads the stored seal; undefined when it is damaged. */
  static read(database: DatabaseSync): LogSeal | undefined {
    const found = database.prepare('SELECT id, floor, rows, sum, checksum FROM seal').all()
    const { id, floor, rows, sum, checksum } = found[0] ?? {}
    if (found.length !== 1 || id !== 1) return undefined
    if (typeof floor !== 'number' || typeof rows !== 'number' || typeof sum !== 'number') return undefined
    if (checksum !== checksumOf(floor, rows, sum)) return undefined
    const seal = new LogSeal()
    seal.floor = floor
    seal.#rows = rows
    seal.#sum = sum
    return seal
  }

  copy(): LogSeal {
    const seal = new LogSeal()
    seal.floor = this.floor
    seal.#rows = this.#rows
    seal.#sum = this.#sum
    return seal
  }

  /** Counts a row in; `checksum` is its own, which does not cover `created`. */
  add(created: number, checksum: number): void {
    this.#rows += 1
    this.#sum = (this.#sum + shareOf(created, checksum)) >>> 0
  }

  /** Counts a row out. */
  remove(created: number, checksum: number): void {
    this.#rows -= 1
    this.#sum = (this.#sum - shareOf(created, checksum)) >>> 0
  }

  /** Do both speak of the same rows? */
  matches(other: LogSeal): boolean {
    return this.#rows === other.#rows && this.#sum === other.#sum
  }

  write(database: DatabaseSync): void {
    this.writeBy(database.prepare(LogSeal.update))
  }

  writeBy(update: StatementSync): void {
    update.run(this.floor, this.#rows, this.#sum, checksumOf(this.floor, this.#rows, this.#sum))
  }

  static readonly update = 'UPDATE seal SET floor = ?, rows = ?, sum = ?, checksum = ? WHERE id = 1'
}

const shareOf = (created: number, checksum: number): number => crc32(String(created), checksum)

function checksumOf(floor: number, rows: number, sum: number): number {
  return crc32(`${floor} ${rows} ${sum}`)
}
