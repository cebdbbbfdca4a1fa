import type { StoreEvent } from '../record/event.ts'
import { type KeyRange, OrderedEntries } from './ordered-entries.ts'
import type { StoredRecord } from '../record/record.ts'

interface Version {
  readonly record: StoredRecord
  readonly deleted: boolean
  older: Version | undefined
}

interface Entry {
  readonly key: string
  head: Version
}

/** Where an event stands in its bucket: what `undo` and `forgetOlder` need to find it again without searching. */
export interface EventPlace {
  readonly event: StoreEvent
  readonly bucket: Bucket
  readonly entry: Entry
  readonly version: Version
}

export interface StorePage {
  readonly records: readonly StoredRecord[]
  /** Go on after this key; absent when the list is complete. */
  readonly next?: string | undefined
  /** How many records follow this page; absent when the list is complete or filtered. */
  readonly remaining?: number | undefined
}

/**
 * The objects of one kind with the versions that the history still needs. Each key has a chain from the newest accepted
 * version to the oldest one that a list at a past revision may ask for. A tombstone stays as long as the history does.
 */
export class Bucket {
  readonly #entries = new Map<string, Entry>()
  readonly #ordered = new OrderedEntries<Entry>()
  /** Entries with more than one version: the only ones whose presence depends on the revision asked for. */
  readonly #changed = new Set<Entry>()
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** The newest accepted version. */
  latest(key: string): StoredRecord | undefined {
    const head = this.#entries.get(key)?.head
    return head === undefined || head.deleted ? undefined : head.record
  }

  at(key: string, revision: number): StoredRecord | undefined {
    return visible(this.#entries.get(key)?.head, revision)
  }

  *latestIn(range: KeyRange): Generator<StoredRecord, void, undefined> {
    for (const { head } of this.#ordered.range(range)) if (!head.deleted) yield head.record
  }

  list(
    range: KeyRange,
    revision: number,
    limit: number,
    matches: ((record: StoredRecord) => boolean) | undefined,
  ): StorePage {
    const records: StoredRecord[] = []
    let last = ''
    for (const entry of this.#ordered.range(range)) {
      const record = visible(entry.head, revision)
      if (record === undefined) continue
      // As a real server's, a filtered page that is full names a next one without knowing whether anything there matches.
      if (records.length >= limit) {
        const rest = matches === undefined ? this.#count({ from: `${last}\0`, to: range.to }, revision) : undefined
        return { records, next: last, remaining: rest }
      }
      if (matches !== undefined && !matches(record)) continue
      records.push(record)
      last = record.key
    }
    return { records }
  }

  /** Makes the event's record the newest version of its key. */
  push(event: StoreEvent): EventPlace {
    const { record } = event
    const version: Version = { record, deleted: event.type === 'deleted', older: undefined }
    let entry = this.#entries.get(record.key)
    if (entry === undefined) {
      entry = { key: record.key, head: version }
      this.#entries.set(record.key, entry)
      this.#ordered.insert(entry)
    } else {
      version.older = entry.head
      entry.head = version
    }
    this.#changed.add(entry)
    return { event, bucket: this, entry, version }
  }

  /** Takes back the newest version of its key; `floor`: the revision up to which the history has been dropped. */
  undo({ entry, version }: EventPlace, floor: number): void {
    if (version.older === undefined) {
      this.#remove(entry)
      return
    }
    entry.head = version.older
    if (entry.head.record.revision > floor) return
    this.#changed.delete(entry)
    if (entry.head.deleted) this.#remove(entry)
  }

  /** The event has left the history: nobody can ask for what was before it any more. */
  forgetOlder({ entry, version }: EventPlace): void {
    version.older = undefined
    if (entry.head !== version) return
    this.#changed.delete(entry)
    if (version.deleted) this.#remove(entry)
  }

  #remove(entry: Entry): void {
    this.#changed.delete(entry)
    this.#entries.delete(entry.key)
    this.#ordered.delete(entry.key)
  }

  #count(range: KeyRange, revision: number): number {
    let count = this.#ordered.count(range)
    for (const { key, head } of this.#changed)
      if (key >= range.from && (range.to === undefined || key < range.to) && visible(head, revision) === undefined)
        count--
    return count
  }
}

function visible(head: Version | undefined, revision: number): StoredRecord | undefined {
  let version = head
  while (version !== undefined && version.record.revision > revision) version = version.older
  return version === undefined || version.deleted ? undefined : version.record
}
