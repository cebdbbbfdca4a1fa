import type { Store } from '../../store/store.ts'

/** What is stored, to be read and watched. Only `StoreWriter` writes. */
export type StoredObjects = Omit<Store, 'close' | 'commit'>
