import type { StoredRecord } from './record.ts'

/** One write as watchers see it. */
export interface StoreEvent {
  readonly type: 'added' | 'modified' | 'deleted'
  readonly revision: number
  /** The new state; for `deleted` the last one, whose `metadata.resourceVersion` is the revision of the deletion. */
  readonly record: StoredRecord
  /** The record that it replaces; absent for `added`. */
  readonly previous?: StoredRecord | undefined
}
