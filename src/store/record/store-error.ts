import type { StoredRecord } from './record.ts'

/** The errors of the store, each with its remedy. */
const advice = {
  conflict: 'Read the record again, decide anew and repeat the commit.',
  'too-large': 'Make the object smaller, or spread it over several; the write had no effect.',
  expired: 'List again without a revision and go on from the revision of that list.',
  future: 'List again without a revision: the revision was never published by this store.',
  closed: 'Open the store again.',
  locked: 'Stop the other process first, or choose another directory.',
  'newer-format': 'Run the version of allot that wrote this directory, or a newer one; nothing was changed.',
  foreign: 'Choose an empty directory; nothing was changed.',
  damaged: 'Restore the directory from a backup, or move it away to start empty; nothing was changed.',
  missing: 'Restore the directory from a backup, or move it away to start empty; nothing was changed.',
  irregular: 'Remove it, or restore the file from a backup; nothing was changed.',
  lost: 'Restore the files of the store together from a backup, or start once with --accept-lost-writes to go on with what is left; nothing was changed.',
  gone: 'Restart allot; if it refuses the directory, restore it from a backup.',
  unavailable: 'Check that the directory exists, is writable and that its disk works.',
  'disk-full': 'Free space on the disk of the store; the write had no effect and may be repeated.',
  'write-failed': 'Repeat the write; it had no effect.',
  failed: 'Check the disk and restart: what was acknowledged is safe, what was refused had not been acknowledged.',
} as const

export type StoreErrorCode = keyof typeof advice

/** After these nothing is written any more. */
export const isFinal = ({ code }: StoreError): boolean => code === 'failed' || code === 'gone'

/** An error of the store. `message` says what is wrong, `advice` what to do about it. */
export class StoreError extends Error {
  readonly code: StoreErrorCode
  readonly advice: string
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
    this.advice = advice[code]
  }
}

/** A write of a commit did not find what it expected. Nothing of that commit has happened. */
export class StoreConflict extends StoreError {
  /** Position of the refused write in its commit. */
  readonly index: number
  /** The present state: the newest accepted one, which may not be durable yet; `undefined`: nothing. */
  readonly current: StoredRecord | undefined
  constructor(index: number, bucket: string, key: string, current: StoredRecord | undefined) {
    const found = current === undefined ? 'does not exist' : `is at revision ${current.revision}`
    super('conflict', `${bucket} "${key}" ${found}, which is not what the write expected`)
    this.name = 'StoreConflict'
    this.index = index
    this.current = current
  }
}

/** An object of a commit is larger than the store takes. Nothing of that commit has happened. */
export class StoreTooLarge extends StoreError {
  /** Position of the refused write in its commit. */
  readonly index: number
  constructor(index: number, bucket: string, key: string, bytes: number, limit: number) {
    super('too-large', `${bucket} "${key}" would take ${bytes} bytes, more than ${limit}`)
    this.name = 'StoreTooLarge'
    this.index = index
  }
}

/** The revision lies behind the history that the store keeps. */
export class StoreExpired extends StoreError {
  readonly revision: number
  /** The oldest revision that can still be asked for. */
  readonly oldest: number
  constructor(revision: number, oldest: number) {
    super('expired', `revision ${revision} is no longer kept, the oldest is ${oldest}`)
    this.name = 'StoreExpired'
    this.revision = revision
    this.oldest = oldest
  }
}

/** The revision has not been published yet (or belongs to another store). */
export class StoreFuture extends StoreError {
  readonly revision: number
  readonly newest: number
  constructor(revision: number, newest: number) {
    super('future', `revision ${revision} is ahead of the newest, ${newest}`)
    this.name = 'StoreFuture'
    this.revision = revision
    this.newest = newest
  }
}
