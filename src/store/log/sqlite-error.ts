import { StoreError, type StoreErrorCode } from '../record/store-error.ts'

/** SQLITE_READONLY. */
const readOnly = 8

/** Result codes of SQLite, https://sqlite.org/rescode.html; extended codes carry these in their low byte. */
const byResultCode: Readonly<Record<number, StoreErrorCode>> = {
  3: 'unavailable',
  5: 'locked',
  6: 'locked',
  7: 'unavailable',
  8: 'unavailable',
  10: 'unavailable',
  11: 'damaged',
  13: 'disk-full',
  14: 'unavailable',
  22: 'unavailable',
  23: 'unavailable',
  26: 'damaged',
}

/**
 * The StoreError for what SQLite or the file system threw while a store was opened; `writable`: may this process write the
 * database by the file system's word?
 */
export function openingError(directory: string, error: unknown, writable: boolean): StoreError {
  if (error instanceof StoreError) return error
  const code = openingCode(error, writable)
  const what = code === 'damaged' ? 'is damaged' : code === 'disk-full' ? 'is on a full disk' : 'cannot be opened'
  return new StoreError(code, `the store in ${directory} ${what}: ${reason(error)}`, { cause: error })
}

/**
 * The statements never change. If SQLite refuses one on a reachable file, the file is damaged. A writable file that
 * SQLite calls read-only is damaged, too.
 */
function openingCode(error: unknown, writable: boolean): StoreErrorCode {
  const result = resultCode(error)
  if (result === undefined) return 'unavailable'
  if (result === readOnly && writable) return 'damaged'
  return byResultCode[result] ?? 'damaged'
}

/**
 * Returns the StoreError for a failed batch. The store goes on only after errors that leave the database unchanged.
 * After a failed fsync or a read error, the content of the disk is unknown.
 */
export function writingError(directory: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const code = byResultCode[resultCode(error) ?? 0]
  if (code === 'disk-full')
    return new StoreError(code, `the disk of the store in ${directory} is full`, { cause: error })
  if (code === undefined || code === 'locked')
    return new StoreError('write-failed', `the store in ${directory} refused a write: ${reason(error)}`, {
      cause: error,
    })
  return new StoreError('failed', `the store in ${directory} can no longer be written: ${reason(error)}`, {
    cause: error,
  })
}

export function isBusy(error: unknown): boolean {
  return byResultCode[resultCode(error) ?? 0] === 'locked'
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
