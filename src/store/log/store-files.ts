import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { assertRegularFile } from '../../runtime/files/regular-file.ts'
import { systemCode } from '../../runtime/process/startup-error.ts'
import { StoreError } from '../record/store-error.ts'

/** The paths of a store's files, which stand beside its database: where `store.db` is a link, at the other end of it. */
export interface StoreFiles {
  /** As it was named, for messages. */
  readonly directory: string
  readonly database: string
  /** The write-ahead log. */
  readonly log: string
  readonly mark: string
  readonly reserve: string
  readonly lock: string
  /** The note that names the holder of the lock. */
  readonly holder: string
}

/** Finds the files of a store in a directory that exists. Throws StoreError, and what the file system throws. */
export function storeFiles(directory: string): StoreFiles {
  const database = databaseOf(join(realpathSync(directory), 'store.db'))
  const stem = database.replace(/\.db$/, '')
  const files = {
    database,
    log: `${database}-wal`,
    mark: `${stem}.mark`,
    reserve: `${stem}.reserve`,
    lock: `${stem}.lock`,
    holder: `${stem}.pid`,
  }
  // SQLite looks for its journal and its shared memory too.
  for (const path of [...Object.values(files), `${database}-journal`, `${database}-shm`]) {
    try {
      assertRegularFile(path)
    } catch (cause) {
      throw new StoreError('irregular', cause instanceof Error ? cause.message : String(cause), { cause })
    }
  }
  return { directory, ...files }
}

function databaseOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path
    throw new StoreError('missing', `${path} links to ${readlinkSync(path)}, which is missing`, { cause: error })
  }
}
