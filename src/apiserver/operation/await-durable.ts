import type { StoredRecord } from '../../store/record/record.ts'
import { StoreConflict } from '../../store/record/store-error.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'

/** The stored objects, as accepted and as on the disk. */
type DurableObjects = Pick<StoredObjects, 'get' | 'latest' | 'whenFlushed'>

/**
 * Waits until the last accepted state of a key is durable, or a state at least as new as `revision`. An answer must not
 * tell of a write that may still fail. (A refusal, or an update that changes nothing, has no write of its own to wait
 * for.)
 */
export async function untilDurable(
  store: DurableObjects,
  bucket: string,
  key: string,
  revision = Infinity,
): Promise<void> {
  const published = (): number => store.get(bucket, key)?.revision ?? 0
  while (published() < revision && published() !== (store.latest(bucket, key)?.revision ?? 0)) await store.whenFlushed()
}

/** Waits until an accepted record is durable. Throws StoreConflict when it was undone, or another has taken its place. */
export async function assertDurable(store: DurableObjects, { bucket, key, revision }: StoredRecord): Promise<void> {
  await untilDurable(store, bucket, key, revision)
  const current = store.get(bucket, key)
  if (current?.revision !== revision) throw new StoreConflict(0, bucket, key, current)
}

/** Is there nothing under a key, on the disk too? Waits for a deletion that is on its way there. */
export async function isAbsent(store: DurableObjects, bucket: string, key: string): Promise<boolean> {
  await untilDurable(store, bucket, key)
  return store.get(bucket, key) === undefined
}
