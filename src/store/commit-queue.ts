import type { EventPlace } from './revision/bucket.ts'
import { type Log, type Sweep, toLogRow } from './log/log.ts'
import type { StoredRecord } from './record/record.ts'
import { isFinal, StoreError } from './record/store-error.ts'
import type { Sweeper } from './revision/sweeper.ts'

interface Accepted {
  readonly places: readonly EventPlace[]
  readonly resolve: (records: readonly StoredRecord[]) => void
  readonly reject: (error: StoreError) => void
}

export interface CommitEffects {
  /** These writes are durable, in order. Called before their commits resolve. */
  publish(places: readonly EventPlace[]): void
  /** These writes have not happened, newest first. Called before their commits reject. */
  undo(place: EventPlace): void
  /** So many writes became durable together, after so many seconds. */
  committed(writes: number, seconds: number): void
  /** The disk is full: only what is kept for deletions is left. */
  full(): void
  /** Whether the disk is full, so that only writes that free space are written. */
  isFull(): boolean
  /** The log is unusable: nothing will be written any more. */
  fail(error: StoreError): void
}

/** One transaction of the log holds at most so many writes (and always a whole commit). */
const largestBatch = 4096
/** How long after the last write the superfluous rows are swept, in milliseconds. */
const idleDelay = 50

/** Group commit: while one batch is written, further commits collect into the next. */
export class CommitQueue {
  readonly #log: Log
  readonly #sweeper: Sweeper
  readonly #effects: CommitEffects
  #waiting: Accepted[] = []
  #writing: Promise<void> | undefined
  #scheduled: Promise<void> | undefined
  #idle: NodeJS.Timeout | undefined
  #closed = false

  constructor(log: Log, sweeper: Sweeper, effects: CommitEffects) {
    this.#log = log
    this.#sweeper = sweeper
    this.#effects = effects
  }

  /** Are there accepted writes that are not durable yet? */
  get inFlight(): boolean {
    return this.#writing !== undefined || this.#waiting.length > 0
  }

  /** Resolves when the batch that is being written (or about to be) has succeeded or failed; at once when there is none. */
  whenFlushed(): Promise<void> {
    return this.#writing ?? this.#scheduled ?? Promise.resolve()
  }

  /** Queues an accepted commit; resolves with its records when they are published. */
  add(places: readonly EventPlace[]): Promise<readonly StoredRecord[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ places, resolve, reject })
      // A microtask later: commits that are made in one go share a batch.
      if (this.#writing === undefined) this.#scheduled ??= Promise.resolve().then(() => this.#next())
    })
  }

  /** Writes what was accepted and everything there is to sweep, then closes the log. */
  async close(): Promise<void> {
    while (this.inFlight) await this.whenFlushed()
    this.#closed = true
    clearTimeout(this.#idle)
    while (this.#sweeper.due(true) && (await this.#sweep()));
    await this.#log.close()
  }

  /** Starts the next batch, if there is something to write; resolves when that batch has ended. */
  #next(): Promise<void> {
    this.#scheduled = undefined
    clearTimeout(this.#idle)
    if (this.#waiting.length > 0) this.#writing = this.#write(this.#takeBatch())
    else {
      this.#writing = undefined
      this.#sweepWhenIdle()
    }
    return this.#writing ?? Promise.resolve()
  }

  #takeBatch(): readonly Accepted[] {
    let size = 0
    let count = 0
    for (const { places } of this.#waiting) {
      size += places.length
      if (count > 0 && size > largestBatch) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #write(batch: readonly Accepted[]): Promise<void> {
    const places = batch.flatMap((accepted) => accepted.places)
    const full = this.#effects.isFull()
    const sweep = this.#sweeper.due(full) ? this.#sweeper.take(places.length) : undefined
    const events = places.map(({ event }) => event)
    const started = performance.now()
    try {
      const { hasReserve } = await this.#log.append({
        rows: events.map((event) => toLogRow(event, full)),
        sweep: full ? this.#sweeper.withReplaced(sweep, events) : sweep,
      })
      if (!hasReserve) this.#effects.full()
    } catch (error) {
      this.#reject(batch, sweep, asStoreError(error))
      return
    }
    this.#effects.committed(places.length, (performance.now() - started) / 1000)
    this.#effects.publish(places)
    for (const { places: own, resolve } of batch) resolve(own.map(({ event }) => event.record))
    void this.#next()
  }

  /** Writes that were accepted after the failed batch may build upon it: they are refused with it. */
  #reject(batch: readonly Accepted[], sweep: Sweep | undefined, error: StoreError): void {
    if (sweep !== undefined) this.#sweeper.putBack(sweep)
    const refused = [...batch, ...this.#waiting]
    this.#waiting = []
    for (const { places } of refused.toReversed()) for (const place of places.toReversed()) this.#effects.undo(place)
    if (isFinal(error)) this.#effects.fail(error)
    if (error.code === 'disk-full') this.#effects.full()
    for (const { reject } of refused) reject(error)
    void this.#next()
  }

  #sweepWhenIdle(): void {
    if (this.#closed || !this.#sweeper.due(true)) return
    this.#idle = setTimeout(() => {
      if (this.inFlight || this.#closed) return
      this.#writing = this.#sweep().then(() => void this.#next())
    }, idleDelay).unref()
  }

  /** One step of the sweep on its own; false when it failed, which a later write will notice too. */
  async #sweep(): Promise<boolean> {
    const sweep = this.#sweeper.take(0)
    try {
      await this.#log.append({ rows: [], sweep })
      return true
    } catch (error) {
      this.#sweeper.putBack(sweep)
      const failure = asStoreError(error)
      if (isFinal(failure)) this.#effects.fail(failure)
      return false
    }
  }
}

function asStoreError(error: unknown): StoreError {
  return error instanceof StoreError ? error : new StoreError('failed', 'the log failed', { cause: error })
}
