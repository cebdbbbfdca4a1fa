import { basename } from 'node:path'
import { HighWaterMark } from './high-water-mark.ts'
import { StoreError } from '../record/store-error.ts'
import type { StoreFiles } from './store-files.ts'
import { lackOf } from './wal-damage.ts'

/**
 * Does a store that got as far as `newest` hold all that was acknowledged, by its mark? A write-ahead log that is missing, cut
 * or older, or a database that is older, gives a good store of an earlier time, which nothing in it betrays.
 */
export function lostWrites(
  files: StoreFiles,
  newest: number,
): { readonly error?: StoreError; readonly marked: number } {
  let marked: number | undefined
  try {
    marked = HighWaterMark.read(files.mark)
  } catch (error) {
    if (error instanceof StoreError) return { error, marked: 0 }
    throw error
  }
  if (marked === undefined) {
    const message = `${files.mark} is missing, which says how far the store had got`
    return { error: new StoreError('lost', message), marked: 0 }
  }
  if (marked <= newest) return { marked }
  const message = `the store in ${files.directory} has lost writes that were acknowledged: it ends at revision ${newest}, and ${basename(files.mark)} says ${marked}; ${lackOf(files.log)}, or ${basename(files.database)} is an older copy`
  return { error: new StoreError('lost', message), marked }
}
