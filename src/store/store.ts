import type { EventPlace } from './revision/bucket.ts'
import { CommitQueue } from './commit-queue.ts'
import { historyBounds } from './revision/history.ts'
import { type Log, memoryLog } from './log/log.ts'
import type { LogFaults } from './log/faults.ts'
import { ObjectCache } from './record/object-cache.ts'
import type { StoredRecord } from './record/record.ts'
import {
  RevisionedIndex,
  type StoreList,
  type StoreListOptions,
  type StoreWatchOptions,
} from './revision/revisioned-index.ts'
import { StoreError } from './record/store-error.ts'
import type { Listener, WatchHandle } from './revision/watchers.ts'
import { openWorkerLog } from './log/worker-log.ts'
import { prepareWrite, type Write } from './record/write.ts'

export type { StoreEvent } from './record/event.ts'
export type { StoreList, StoreListOptions, StoreWatchOptions } from './revision/revisioned-index.ts'
export type { Listener, WatchHandle } from './revision/watchers.ts'
export type { Delete, Expectation, Put, Write } from './record/write.ts'

export type StoreLocation = { readonly directory: string } | { readonly memory: true }

export interface StoreOptions {
  /** How many events watches can resume over and lists can look back; default: as many as memory allows. */
  readonly historyEvents?: number
  /** How many characters of text those may take, 256 more for each; default 32 Mi, and 16 Mi behind five minutes. */
  readonly historyText?: number
  /** How many characters of text may be kept parsed; default 32 Mi. */
  readonly parsedText?: number
  /** Deeply freeze every object and insist on plain JSON: for tests. */
  readonly freeze?: boolean
  /** Called once when the log has become unusable: reads go on, every commit is refused. */
  readonly onFailed?: (error: StoreError) => void
  /** Called for each batch that became durable: its writes, and the seconds that it took. */
  readonly onCommitted?: (writes: number, seconds: number) => void
  /** Bytes of the disk that are kept free for deletions, so that they succeed on a full disk. Default: none. */
  readonly reserve?: number
  /** How often a full disk is checked for free space, in milliseconds. Default: 1,000. */
  readonly reserveEveryMs?: number
  /** Called when the disk is full, and with undefined when it has space again. */
  readonly onFull?: (error: StoreError | undefined) => void
  /** How often to look whether the files are still those that were opened, in milliseconds; default 1,000. */
  readonly checkEveryMs?: number
  /** Go on with what is left when acknowledged writes were lost; default: refuse. */
  readonly acceptLostWrites?: boolean
  /** Called with the loss that was accepted. */
  readonly onLost?: (message: string) => void
  /** The faults to inject into the log, for tests. */
  readonly faults?: LogFaults
}

/**
 * Every object of the embedded API server, by bucket (kind) and key (`namespace/name` or `name`): a revisioned index in
 * memory over a durable log. Acknowledged writes are on the disk, and `get`, `list` and
 * `watch` show only writes that are on the disk.
 */
export class Store {
  readonly #index: RevisionedIndex
  readonly #queue: CommitQueue
  readonly #onFailed: ((error: StoreError) => void) | undefined
  #next: number
  #failed: StoreError | undefined
  readonly #log: Log
  readonly #options: StoreOptions
  #full: StoreError | undefined
  #looking: NodeJS.Timeout | undefined
  #checking: NodeJS.Timeout | undefined
  #reserveLook: Promise<void> = Promise.resolve()
  #closing: Promise<void> | undefined

  private constructor(log: Log, index: RevisionedIndex, options: StoreOptions) {
    const { onFailed, onCommitted } = options
    this.#log = log
    this.#options = options
    this.#index = index
    this.#onFailed = onFailed
    this.#next = index.published + 1
    this.#queue = new CommitQueue(log, index.sweeper, {
      publish: (places: readonly EventPlace[]) => index.publish(places),
      undo: (place: EventPlace) => index.undo(place),
      committed: (writes, seconds) => onCommitted?.(writes, seconds),
      full: () => this.#noteReserve(false),
      isFull: () => this.#full !== undefined,
      fail: (error: StoreError) => this.#fail(error),
    })
  }

  /** Opens the store of a directory (made when it does not exist), or an empty one in memory. Throws StoreError. */
  static async open(location: StoreLocation, options: StoreOptions = {}): Promise<Store> {
    const cache = new ObjectCache((options.parsedText ?? 32 * 1024 * 1024) / 2, options.freeze ?? false)
    const bounds = historyBounds({ events: options.historyEvents, text: options.historyText })
    if ('memory' in location) return new Store(memoryLog, new RevisionedIndex(cache, bounds, 0), options)
    const { reserve = 0, acceptLostWrites = false } = options
    const logOptions = { reserve, acceptLostWrites }
    const { log, floor, lost, rows } = await openWorkerLog(location.directory, options.faults ?? {}, logOptions)
    const index = new RevisionedIndex(cache, bounds, floor)
    for await (const chunk of rows) for (const row of chunk) index.load(row, floor)
    const store = new Store(log, index, options)
    if (lost !== undefined) options.onLost?.(lost)
    if (reserve > 0) store.#reserveLook = store.#look()
    store.#checking = setInterval(() => void store.#check(), options.checkEveryMs ?? 1000).unref()
    return store
  }

  /** The newest published revision; 0 for a store that was never written to. */
  get revision(): number {
    return this.#index.published
  }

  /** The newest accepted revision, durable or not. */
  get accepted(): number {
    return this.#next - 1
  }

  /** Why nothing can be written any more. */
  get failed(): StoreError | undefined {
    return this.#failed
  }

  /** Why nothing but deletions can be written now: the disk is full. */
  get full(): StoreError | undefined {
    return this.#full
  }

  /** Why not everything can be written now, in words that may be shown to anybody. */
  get obstacle(): string | undefined {
    if (this.#failed?.code === 'gone') return 'its files were removed or replaced while it was open'
    if (this.#failed !== undefined) return 'it can no longer be written'
    return this.#full === undefined ? undefined : 'the disk is full'
  }

  /** Why these writes are refused on a full disk. Undefined if the disk has space, or if the writes free some. */
  refusalFor(writes: readonly Write[]): StoreError | undefined {
    if (this.#full === undefined) return undefined
    const goes = (write: Write): boolean =>
      write.type === 'delete' || write.object.metadata.deletionTimestamp !== undefined
    // Objects that are written along, such as quotas with their usage, must be there already.
    const frees =
      writes.some(goes) && writes.every((write) => goes(write) || this.latest(write.bucket, write.key) !== undefined)
    return frees ? undefined : this.#full
  }

  /** Are there accepted writes that are not durable yet? A caller that can wait should decide after them. */
  get inFlight(): boolean {
    return this.#queue.inFlight
  }

  /** Resolves when the batch that is being written has succeeded or failed; at once when there is none. Never rejects. */
  whenFlushed(): Promise<void> {
    return this.#queue.whenFlushed()
  }

  /** The published state of a key. */
  get(bucket: string, key: string): StoredRecord | undefined {
    return this.#index.get(bucket, key)
  }

  /** The newest accepted state of a key, durable or not: what the next commit builds upon. */
  latest(bucket: string, key: string): StoredRecord | undefined {
    return this.#index.latest(bucket, key)
  }

  /** The newest accepted states of a bucket (of a namespace), ordered by key; commits in between are seen ahead only. */
  latestIn(bucket: string, namespace: string | undefined): Iterable<StoredRecord> {
    return this.#index.latestIn(bucket, namespace)
  }

  /** The state of a bucket at one revision, ordered by key. Throws StoreExpired and StoreFuture. */
  list(bucket: string, options: StoreListOptions = {}): StoreList {
    return this.#index.list(bucket, options)
  }

  /**
   * Calls `listener` with the events of a bucket in revision order: what happened after `from` before this returns, then
   * what is published. Throws StoreExpired and StoreFuture.
   */
  watch(options: StoreWatchOptions, listener: Listener): WatchHandle {
    if (this.#closing !== undefined) throw new StoreError('closed', 'the store is closed')
    return this.#index.watch(options, listener)
  }

  /**
   * Writes all or nothing. The expectations are checked before this returns, against the newest accepted states, in call
   * order; each write gets the next revision. Resolves with the records when they are durable and published. Rejects
   * without effect: StoreConflict, or another StoreError.
   */
  commit(writes: readonly Write[]): Promise<readonly StoredRecord[]> {
    const refusal = this.#closing === undefined ? this.#failed : new StoreError('closed', 'the store is closed')
    if (refusal !== undefined) return Promise.reject(refusal)
    if (writes.length === 0) return Promise.resolve([])
    const full = this.refusalFor(writes)
    if (full !== undefined) return Promise.reject(full)
    try {
      const events = prepareWrite(writes, this.#next, (bucket, key) => this.latest(bucket, key), this.#index.cache)
      this.#next += events.length
      return this.#queue.add(this.#index.accept(events))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Resolves when it is known whether the disk has the space for deletions. Never rejects. */
  whenReserveKnown(): Promise<void> {
    return this.#reserveLook
  }

  /**
   * Ends the watches, refuses new commits, writes what was accepted and closes the log. Rejects with StoreError when the
   * directory does not hold what was acknowledged.
   */
  close(): Promise<void> {
    clearTimeout(this.#looking)
    clearInterval(this.#checking)
    this.#closing ??= this.#queue.close().finally(() => this.#index.close())
    return this.#closing
  }

  #noteReserve(isHeld: boolean): void {
    if ((this.#options.reserve ?? 0) === 0 || this.#closing !== undefined) return
    if (!isHeld) {
      this.#lookIn(this.#lookEvery)
    }
    if (isHeld === (this.#full === undefined)) return
    this.#full = isHeld ? undefined : new StoreError('disk-full', 'the disk of the store is full')
    this.#options.onFull?.(this.#full)
  }

  get #lookEvery(): number {
    return this.#options.reserveEveryMs ?? 1000
  }

  #lookIn(milliseconds: number): void {
    clearTimeout(this.#looking)
    this.#looking = setTimeout(() => void this.#look(), milliseconds).unref()
  }

  /** Looks whether the disk has space again. */
  async #look(): Promise<void> {
    try {
      this.#noteReserve((await this.#log.takeReserve()).hasReserve)
    } catch {
      // The log has ended; writers get the error.
    }
  }

  /** Are the files still there? */
  async #check(): Promise<void> {
    try {
      await this.#log.check()
    } catch (error) {
      if (error instanceof StoreError && this.#closing === undefined) this.#fail(error)
    }
  }

  #fail(error: StoreError): void {
    if (this.#failed !== undefined) return
    this.#failed = error
    this.#onFailed?.(error)
  }
}
