import type { KubeObject } from '../../machinery/object.ts'
import type { StoreEvent } from './event.ts'
import type { ObjectCache } from './object-cache.ts'
import { StoredRecord } from './record.ts'
import { StoreConflict, StoreTooLarge } from './store-error.ts'

/** The most that the JSON of one object may take, in bytes of UTF-8: what etcd takes in one request (1.5 MiB). */
export const LARGEST_OBJECT = 1_572_864

/** The condition of a write on the newest accepted state of its key; `undefined`: none (for a deletion: that it is present). */
export type Expectation = 'absent' | 'present' | { readonly revision: number } | undefined

export interface Put {
  readonly type: 'put'
  readonly bucket: string
  readonly key: string
  /** Plain JSON, not to be changed any more; the store sets `metadata.resourceVersion` in its own copy. */
  readonly object: KubeObject
  readonly expect?: Expectation
}

export interface Delete {
  readonly type: 'delete'
  readonly bucket: string
  readonly key: string
  /** The last state to show to watchers; default: the one that is deleted. */
  readonly object?: KubeObject
  readonly expect?: Expectation
}

export type Write = Put | Delete

/**
 * Checks the writes of one commit in order, each against the newest accepted state and the writes before it, and makes
 * their events with the revisions from `first` on. Has no effect of its own. Throws StoreConflict, StoreTooLarge, and a
 * TypeError for objects that JSON cannot carry.
 */
export function prepareWrite(
  writes: readonly Write[],
  first: number,
  latest: (bucket: string, key: string) => StoredRecord | undefined,
  cache: ObjectCache,
): readonly StoreEvent[] {
  const events: StoreEvent[] = []
  const own = writes.length > 1 ? new Map<string, Map<string, StoreEvent>>() : undefined
  for (const [index, write] of writes.entries()) {
    const { bucket, key } = write
    const earlier = own?.get(bucket)?.get(key)
    const current =
      earlier === undefined ? latest(bucket, key) : earlier.type === 'deleted' ? undefined : earlier.record
    if (!met(write, current)) throw new StoreConflict(index, bucket, key, current)
    const event = toEvent(write, first + index, current, cache)
    if (write.type === 'put') {
      const bytes = sizeOf(event.record.text)
      if (bytes > LARGEST_OBJECT) throw new StoreTooLarge(index, bucket, key, bytes, LARGEST_OBJECT)
    }
    if (own !== undefined) remember(own, event)
    events.push(event)
  }
  return events
}

function remember(own: Map<string, Map<string, StoreEvent>>, event: StoreEvent): void {
  const { bucket, key } = event.record
  const known = own.get(bucket)
  if (known === undefined) own.set(bucket, new Map([[key, event]]))
  else known.set(key, event)
}

/** In bytes; of what is small in any case only an upper bound, which is had for nothing. */
const sizeOf = (text: string): number => (text.length * 3 <= LARGEST_OBJECT ? text.length * 3 : Buffer.byteLength(text))

function met({ type, expect }: Write, current: StoredRecord | undefined): boolean {
  if (expect === undefined) return type === 'put' || current !== undefined
  if (expect === 'absent') return type === 'put' && current === undefined
  if (expect === 'present') return current !== undefined
  return current?.revision === expect.revision
}

function toEvent(write: Write, revision: number, previous: StoredRecord | undefined, cache: ObjectCache): StoreEvent {
  const given = write.object ?? previous?.object
  if (given === undefined) throw new TypeError(`${write.bucket} "${write.key}": nothing to store`)
  const object = { ...given, metadata: { ...given.metadata, resourceVersion: String(revision) } }
  const created = previous?.created ?? revision
  const record = new StoredRecord(cache, write.bucket, write.key, revision, created, JSON.stringify(object), object)
  if (write.type === 'delete') return { type: 'deleted', revision, record, previous }
  return { type: previous === undefined ? 'added' : 'modified', revision, record, previous }
}
