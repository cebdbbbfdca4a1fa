import { Bucket, type EventPlace, type StorePage } from './bucket.ts'
import type { StoreEvent } from '../record/event.ts'
import { HistoryFloors } from './history-floors.ts'
import { History, type HistoryBounds } from './history.ts'
import type { LogRow } from '../log/log.ts'
import type { ObjectCache } from '../record/object-cache.ts'
import { keyRange } from './ordered-entries.ts'
import { StoredRecord } from '../record/record.ts'
import { StoreExpired, StoreFuture } from '../record/store-error.ts'
import { Sweeper } from './sweeper.ts'
import { type Listener, notify, type WatchHandle, Watchers } from './watchers.ts'

export interface StoreListOptions {
  readonly namespace?: string | undefined
  /** Go on behind this key. */
  readonly after?: string | undefined
  /** At most so many records; default and 0: all. */
  readonly limit?: number | undefined
  /** The revision whose state is listed; default: the newest. */
  readonly at?: number | undefined
  readonly matches?: ((record: StoredRecord) => boolean) | undefined
}

export interface StoreList extends StorePage {
  /** The revision whose state this is: further pages ask for it, a watch goes on from it. */
  readonly revision: number
}

export interface StoreWatchOptions {
  readonly bucket: string
  readonly namespace?: string | undefined
  /** Replay what happened after this revision first; default: only what happens from now on. */
  readonly from?: number | undefined
}

/** All objects in memory: accepted states on top of published ones, the bounded history, and the watchers. */
export class RevisionedIndex {
  readonly sweeper: Sweeper
  readonly cache: ObjectCache
  readonly #buckets = new Map<string, Bucket>()
  readonly #history: History
  readonly #floors: HistoryFloors
  readonly #watchers: Watchers
  /** The newest revision that readers see. */
  published: number

  /** `floor`: the revision up to which the history of the log has been dropped. */
  constructor(cache: ObjectCache, bounds: HistoryBounds, floor: number) {
    this.cache = cache
    this.sweeper = new Sweeper(floor)
    this.#history = new History(bounds, floor)
    this.#floors = new HistoryFloors(floor)
    this.#watchers = new Watchers(floor)
    this.published = floor
  }

  /** Takes a row of the log; rows come in revision order. Nothing is parsed. */
  load([revision, name, key, created, deleted, text]: LogRow, loggedFloor: number): void {
    const bucket = this.#bucket(name)
    const record = new StoredRecord(this.cache, bucket.name, key, revision, created, text)
    const previous = bucket.latest(key)
    const type = deleted === 1 ? 'deleted' : previous === undefined ? 'added' : 'modified'
    const place = bucket.push({ type, revision, record, previous })
    // Where acknowledged writes were lost, the floor lies above all that is left.
    this.published = Math.max(this.published, revision)
    this.#watchers.delivered = this.published
    // Rows that an interrupted sweep has left behind the floor are not history, they are only swept again.
    if (revision <= loggedFloor) this.#forgetOlder(place)
    else this.#remember(place)
  }

  latest(bucket: string, key: string): StoredRecord | undefined {
    return this.#buckets.get(bucket)?.latest(key)
  }

  latestIn(bucket: string, namespace: string | undefined): Iterable<StoredRecord> {
    return this.#buckets.get(bucket)?.latestIn(keyRange(namespace)) ?? []
  }

  get(bucket: string, key: string): StoredRecord | undefined {
    return this.#buckets.get(bucket)?.at(key, this.published)
  }

  list(bucket: string, { namespace, after, limit = 0, at = this.published, matches }: StoreListOptions): StoreList {
    this.#demand(at, bucket, namespace)
    const most = limit > 0 ? limit : Infinity
    const page = this.#buckets.get(bucket)?.list(keyRange(namespace, after), at, most, matches)
    return { records: [], ...page, revision: at }
  }

  watch({ bucket, namespace, from }: StoreWatchOptions, listener: Listener): WatchHandle {
    if (from !== undefined) {
      this.#demand(from, bucket, namespace)
      const prefix = namespace === undefined ? '' : `${namespace}/`
      for (const { event } of this.#history.after(from)) {
        const { record } = event
        if (record.bucket === bucket && record.key.startsWith(prefix)) notify(listener, event)
      }
    }
    return this.#watchers.add(bucket, namespace, this.published, listener)
  }

  /** Puts events on top of the accepted state; readers do not see them yet. */
  accept(events: readonly StoreEvent[]): readonly EventPlace[] {
    return events.map((event) => this.#bucket(event.record.bucket).push(event))
  }

  /** Shows accepted events, in order: first to readers as a whole, then to watchers. */
  publish(places: readonly EventPlace[]): void {
    const newest = places.at(-1)
    if (newest === undefined) return
    this.published = newest.event.revision
    for (const place of places) this.#remember(place)
    for (const { event } of places) this.#watchers.deliver(event)
  }

  /** Takes back accepted events that have not been published; newest first. */
  undo(place: EventPlace): void {
    place.bucket.undo(place, this.#history.floor)
  }

  /** Ends every watch. */
  close(): void {
    this.#watchers.clear()
  }

  #remember(place: EventPlace): void {
    this.#history.append(place)
    this.#history.trim((dropped) => {
      const { record, revision } = dropped.event
      this.#floors.raise(record.bucket, record.key, revision)
      this.#forgetOlder(dropped)
    })
  }

  #forgetOlder(place: EventPlace): void {
    place.bucket.forgetOlder(place)
    this.sweeper.add(place.event)
  }

  #demand(revision: number, bucket: string, namespace: string | undefined): void {
    if (revision > this.published) throw new StoreFuture(revision, this.published)
    const floor = this.#floors.of(bucket, namespace)
    if (revision < floor) throw new StoreExpired(revision, floor)
  }

  #bucket(name: string): Bucket {
    const found = this.#buckets.get(name)
    if (found !== undefined) return found
    const bucket = new Bucket(name)
    this.#buckets.set(name, bucket)
    return bucket
  }
}
