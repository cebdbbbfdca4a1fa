import { CodedError, type ErrorHelp } from '../../machinery/coded-error.ts'
import type { StoredRecord } from './record.ts'

/**
 * The errors of the store, each with its remedy.
 *
 * @public for the reference of errors
 */
export const STORE_ERRORS = {
  conflict: {
    meaning: 'The record has changed since it was read.',
    advice: 'Read the record again, decide anew and repeat the commit.',
  },
  'too-large': {
    meaning: 'The object is larger than the store takes.',
    advice: 'Make the object smaller, or spread it over several; the write had no effect.',
  },
  expired: {
    meaning: 'The revision is older than what the store keeps.',
    advice: 'List again without a revision and go on from the revision of that list.',
  },
  future: {
    meaning: 'The revision is newer than any of the store.',
    advice: 'List again without a revision: the revision was never published by this store.',
  },
  closed: {
    meaning: 'The store was closed.',
    advice: 'Open the store again.',
  },
  locked: {
    meaning: 'Another process has the directory open.',
    advice: 'Stop the other process first, or choose another directory.',
  },
  'newer-format': {
    meaning: 'A newer version of allot wrote the directory.',
    advice: 'Run the version of allot that wrote this directory, or a newer one; nothing was changed.',
  },
  foreign: {
    meaning: 'The directory holds files that are not those of a store.',
    advice: 'Choose an empty directory; nothing was changed.',
  },
  damaged: {
    meaning: 'A file of the store is damaged where it must not be.',
    advice: 'Restore the directory from a backup, or move it away to start empty; nothing was changed.',
  },
  missing: {
    meaning: 'A file of the store is missing.',
    advice: 'Restore the directory from a backup, or move it away to start empty; nothing was changed.',
  },
  irregular: {
    meaning: 'Something in the place of a file of the store is no regular file.',
    advice: 'Remove it, or restore the file from a backup; nothing was changed.',
  },
  lost: {
    meaning: 'Writes that were acknowledged are missing from the files.',
    advice:
      'Restore the files of the store together from a backup, or start once with --accept-lost-writes to go on with what is left; nothing was changed.',
  },
  gone: {
    meaning: 'The directory was removed or replaced while the store was open.',
    advice: 'Restart allot; if it refuses the directory, restore it from a backup.',
  },
  unavailable: {
    meaning: 'The directory cannot be read or written.',
    advice: 'Check that the directory exists, is writable and that its disk works.',
  },
  'disk-full': {
    meaning: 'The disk has no space for the write.',
    advice: 'Free space on the disk of the store; the write had no effect and may be repeated.',
  },
  'write-failed': {
    meaning: 'The write did not reach the disk.',
    advice: 'Repeat the write; it had no effect.',
  },
  failed: {
    meaning: 'A write failed in a way that the store cannot recover from; it writes no more.',
    advice: 'Check the disk and restart: what was acknowledged is safe, what was refused had not been acknowledged.',
  },
} as const satisfies Readonly<Record<string, ErrorHelp>>

export type StoreErrorCode = keyof typeof STORE_ERRORS

/** After these nothing is written any more. */
export const isFinal = ({ code }: StoreError): boolean => code === 'failed' || code === 'gone'

/** An error of the store. `message` says what is wrong, `advice` what to do about it. */
export class StoreError extends CodedError<StoreErrorCode> {
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(STORE_ERRORS, code, message, options)
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
    this.revision = revision
    this.newest = newest
  }
}
