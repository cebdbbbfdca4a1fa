import type { DataDirectory } from '../../runtime/files/data-directory.ts'
import { Store } from '../../store/store.ts'
import type { UpContext } from './context.ts'

/** The disk space that is kept for deletions: more than the write-ahead log of the store takes. */
export const RESERVE_BYTES = 24 * 1024 * 1024

/**
 * Opens the store and logs its failures. `onUnkept` is called at the end if the directory does not hold every acknowledged
 * write. Throws StoreError.
 */
export async function openStore(
  { options: { inMemory, acceptLostWrites }, logger, metrics, closing }: UpContext,
  directory: DataDirectory,
  onUnkept: (error: unknown) => void,
): Promise<Store> {
  const store = await Store.open(inMemory ? { memory: true } : { directory: directory.path }, {
    onCommitted: (writes, seconds) => metrics.storeCommitted(writes, seconds),
    reserve: RESERVE_BYTES,
    acceptLostWrites,
    onLost: (lost) =>
      logger.warn({ lost }, 'the store has lost acknowledged writes and goes on without them, as was asked for'),
    onFull: (error) =>
      error === undefined
        ? logger.warn({}, 'the disk of the store has room again')
        : logger.error({ error, advice: error.advice }, 'the disk of the store is full: only deletions are written'),
    onFailed: (error) =>
      logger.error({ error, advice: error.advice }, 'the store failed: nothing can be written any more'),
  })
  closing.defer(() => store.close().catch(onUnkept))
  return store
}
