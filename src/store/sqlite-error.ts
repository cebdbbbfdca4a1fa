import { StoreError, type StoreErrorCode } from './store-error.ts'

/** Result codes of SQLite, https://sqlite.org/rescode.html; extended codes carry these in their low byte. */
const byResultCode: Readonly<Record<number, StoreErrorCode>> = {
  5: 'locked',
  6: 'locked',
  8: 'unavailable',
  10: 'unavailable',
  11: 'damaged',
  13: 'disk-full',
  14: 'unavailable',
  26: 'damaged',
}

/** The StoreError for what SQLite or the file system threw while a store was opened. */
export function openingError(directory: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const code = byResultCode[resultCode(error) ?? 0] ?? 'unavailable'
  const what = code === 'damaged' ? 'is damaged' : code === 'disk-full' ? 'is on a full disk' : 'cannot be opened'
  return new StoreError(code, `the store in ${directory} ${what}: ${reason(error)}`, { cause: error })
}

/**
 * The StoreError for a failed batch. Only where SQLite promises that the database is as before does the store go on:
 * after a failed fsync or a read error nobody knows what is on the disk.
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
