import type { Event } from '../../builtin/core-v1.ts'
import { TimeSlice } from '../../runtime/tasks/time-slice.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import { StoreConflict } from '../../store/record/store-error.ts'
import type { WatchHandle } from '../../store/revision/watchers.ts'
import { textAt, textOf } from '../../machinery/read.ts'

const BUCKET = 'events'
/** The next end is not looked for more often than this, nor awaited for longer than a timer can wait. */
const PAUSE_MS = { shortest: 1000, longest: 2 ** 31 - 1 } as const
const BATCH = 256

interface Life {
  readonly revision: number
  /** When it ends, by the clock that nobody can set. */
  readonly end: number
}

export interface ExpiryClock {
  /** Milliseconds since the epoch: what stored Events are dated by. */
  readonly now: () => number
  /** Milliseconds that only ever grow: what lives are measured by. */
  readonly monotonic: () => number
}

export interface ExpiryOptions {
  readonly store: Pick<StoredObjects, 'get' | 'latest' | 'list' | 'watch' | 'whenFlushed'>
  /** Deletes an Event as it was read. Throws StoreConflict when it has changed. */
  readonly expire: (record: StoredRecord) => Promise<void>
  readonly clock: ExpiryClock
  /** How long an Event lives after its last write. */
  readonly seconds: number
  readonly onError: (key: string, error: unknown) => void
}

/**
 * Deletes Events that nobody has written for a while (upstream `--event-ttl`: each write renews the time). As all of them
 * get the same time, they end in the order of their last writes: the first of the queue says when to look again. As with the
 * leases of etcd, a wall clock that is set neither shortens nor prolongs a life.
 */
export class EventExpiry {
  readonly #store: ExpiryOptions['store']
  readonly #expire: ExpiryOptions['expire']
  readonly #clock: ExpiryClock
  readonly #life: number
  readonly #onError: (key: string, error: unknown) => void
  readonly #slice = new TimeSlice()
  readonly #watch: WatchHandle
  /** In the order of their ends: what is written goes to the back. */
  #lives = new Map<string, Life>()
  #timer: NodeJS.Timeout | undefined
  #sweeping: Promise<void> | undefined
  #stopped = false

  constructor(options: ExpiryOptions) {
    this.#store = options.store
    this.#expire = options.expire
    this.#clock = options.clock
    this.#life = options.seconds * 1000
    this.#onError = options.onError
    this.#watch = this.#store.watch({ bucket: BUCKET }, ({ type, record }) => {
      this.#lives.delete(record.key)
      if (type === 'deleted') return
      this.#lives.set(record.key, { revision: record.revision, end: this.#clock.monotonic() + this.#life })
      this.#await()
    })
    this.#sweeping = this.#load()
      .catch((error: unknown) => this.#onError(BUCKET, error))
      .finally(() => this.#rest())
  }

  /** Deletes what has ended. Resolves when that is done. */
  async sweep(): Promise<void> {
    await this.#sweeping
    this.#sweeping = this.#sweepOnce()
      .catch((error: unknown) => this.#onError(BUCKET, error))
      .finally(() => this.#rest())
    await this.#sweeping
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#watch.close()
    await this.#sweeping
  }

  /** The times of Events that were stored before show when they were written. */
  async #load(): Promise<void> {
    const found: (readonly [string, Life])[] = []
    for (const { key } of this.#store.list(BUCKET).records) {
      const turn = this.#slice.next()
      if (turn !== undefined) await turn
      if (this.#stopped) return
      const record = this.#store.get(BUCKET, key)
      if (record === undefined || this.#lives.has(key)) continue
      const now = this.#clock.now()
      const age = now - lastWrite(record.object, now)
      found.push([key, { revision: record.revision, end: this.#clock.monotonic() - age + this.#life }])
    }
    const later = this.#lives
    const earlier = found.filter(
      ([key, { revision }]) => !later.has(key) && this.#store.get(BUCKET, key)?.revision === revision,
    )
    this.#lives = new Map([...earlier.toSorted(([, a], [, b]) => a.end - b.end), ...later])
  }

  async #sweepOnce(): Promise<void> {
    for (let ended = this.#ended(); ended.length > 0 && !this.#stopped; ended = this.#ended()) {
      await Promise.all(ended.map(([key, { revision }]) => this.#delete(key, revision)))
      await this.#slice.next()
    }
  }

  /** The first that have ended, not more than a batch. */
  #ended(): readonly (readonly [string, Life])[] {
    const now = this.#clock.monotonic()
    const ended: (readonly [string, Life])[] = []
    for (const entry of this.#lives) {
      if (entry[1].end > now || ended.length === BATCH) break
      ended.push(entry)
    }
    return ended
  }

  async #delete(key: string, revision: number): Promise<void> {
    try {
      const record = this.#store.latest(BUCKET, key)
      if (record?.revision === revision) await this.#expire(record)
      else await this.#store.whenFlushed()
    } catch (error) {
      // Somebody has renewed it, or deleted it.
      if (!(error instanceof StoreConflict)) throw error
      await this.#store.whenFlushed()
    }
  }

  #rest(): void {
    this.#sweeping = undefined
    this.#await()
  }

  #await(): void {
    if (this.#timer !== undefined || this.#sweeping !== undefined || this.#stopped) return
    const [first] = this.#lives.values()
    if (first === undefined) return
    const pause = Math.min(Math.max(first.end - this.#clock.monotonic(), PAUSE_MS.shortest), PAUSE_MS.longest)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.sweep()
    }, pause).unref()
  }
}

/** The latest time that an Event of core/v1 carries and that is not to come, in milliseconds since the epoch. */
export function lastWrite(event: Event, now: number): number {
  const { creationTimestamp, managedFields = [] } = event.metadata
  const times = [
    creationTimestamp,
    textOf(event.firstTimestamp),
    textOf(event.lastTimestamp),
    textOf(event.eventTime),
    textAt(event, 'series', 'lastObservedTime'),
    ...managedFields.map((entry) => textOf(entry['time'])),
  ].map((text) => Date.parse(text ?? ''))
  return Math.max(0, ...times.filter((time) => time <= now))
}
