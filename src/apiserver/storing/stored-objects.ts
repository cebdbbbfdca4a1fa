import type { Store } from '../../store/store.ts'

/** The stored objects, to read and watch. Only `StoreWriter` writes. */
export type StoredObjects = Omit<Store, 'close' | 'commit'>
