import type { StoredRecord } from '../../store/record/record.ts'
import type { Store } from '../../store/store.ts'
import type { Write } from '../../store/record/write.ts'

/**
 * The one door through which the server writes to its store. Quota admission and the quota controller hold it, and nothing
 * else does: so no write can change what is used of a quota without its usage.
 */
export class StoreWriter {
  readonly #store: Pick<Store, 'commit'>

  constructor(store: Pick<Store, 'commit'>) {
    this.#store = store
  }

  /** Stores all writes in one transaction, or none. Gives the records in their order; rejects as the store does. */
  commit(writes: readonly Write[]): Promise<readonly StoredRecord[]> {
    return this.#store.commit(writes)
  }
}
