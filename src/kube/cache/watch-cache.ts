import type { KubeObject } from '../../machinery/object.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { type Clock, pause } from '../time/clock.ts'
import { isNotFound } from '../../machinery/status.ts'
import type { KubeClient, Listed, ObjectName, ResourceKind } from '../client/kube-client.ts'
import { linkedAbort } from '../time/linked-abort.ts'
import { type Entry, type IndexFunctions, ObjectStore, type Stored } from './object-store.ts'
import { OwnWrites } from './own-writes.ts'
import { Reflector, type ReflectorSink, type WatchScope, type WatchSource } from './reflector.ts'
import { compareVersions, isOlder } from '../../machinery/resource-version.ts'
import { scopeTest } from './watch-scope.ts'
import { type StringPool, stringPool } from './string-pool.ts'

/** How long an own write may keep the watch waiting. */
const OWN_WRITE_MS = 2_000
/** The reason of an abort that nobody reads: without one, each abort makes an error with its stack. */
const WAITED = 'waited long enough'

export interface WatchCacheOptions<T, I extends string, O extends KubeObject> {
  readonly client: KubeClient
  readonly kind: ResourceKind
  /** '' or left out: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /**
   * Returns the part of an object that is kept in memory. `share` gives a string that occurs in many objects once; `old` is what
   * was kept of the object before, whose unchanged parts may be kept on (`keepEqual`). Pure, as are the functions of the
   * indexes.
   */
  readonly keep: (object: O, share: StringPool, old: T | undefined) => T
  /** Under which keys a value is found with `by`. */
  readonly indexes?: IndexFunctions<NoInfer<T>, I>
  readonly clock: Clock
  readonly logger: Logger
  /** Objects that are read at a time; left out the client decides. */
  readonly pageSize?: number
  /**
   * For large objects that mostly this process changes. Only their metadata is watched. An object is read if its
   * version differs from the cached one. Before that, the cache waits for the result of this function: a write whose
   * answer is on its way.
   */
  readonly ownWrite?: (name: ObjectName) => Promise<unknown> | undefined
  /** Lists and watches for the cache; left out: a reflector of its own. */
  readonly follow?: (scope: WatchScope, sink: ReflectorSink<O>) => WatchSource
}

/**
 * Handles a change: `old` is `undefined` for a new object, `current` for a deleted one. Called at once and one at a time,
 * after the cache has changed; it must not throw. The replacement of an object by another of the same name is reported as two changes.
 */
export type ChangeHandler<T> = (old: T | undefined, current: T | undefined, change: ChangeInfo) => void

/** Of which object a change is. */
export interface ChangeInfo extends ObjectName {
  /** The writer, where that was this process (`observeWrite`). */
  readonly by: string | undefined
}

/**
 * The objects of one kind as the server has them, a moment ago: listed once and then watched. Whatever fails meanwhile, it
 * comes to the server's state, and the changes that handlers get add up to it.
 */
export class WatchCache<T, I extends string = never, O extends KubeObject = KubeObject> {
  readonly #options: WatchCacheOptions<T, I, O>
  readonly #store: ObjectStore<T, I>
  readonly #reflector: WatchSource
  readonly #share: StringPool = stringPool()
  #scope: WatchScope
  #inScope: (object: KubeObject) => boolean
  readonly #abort = new AbortController()
  readonly #synced = Promise.withResolvers<void>()
  readonly #tellings: (() => void)[] = []
  readonly #changes = new OwnWrites<T>(
    (old, current, name, by) => this.#report(old, current, { ...name, by }),
    () => void this.#sweep(),
  )
  #isSweeping = false
  /** Those that were put in by `observed` since the list began that is under way. */
  readonly #ahead = new Set<Entry<T>>()
  #handlers: readonly ChangeHandler<T>[] = []
  #isSynced = false
  #isTelling = false
  /** Counts how often the kept part of objects changed. The next list keeps all objects anew. */
  #kept = 0
  #listed = Promise.withResolvers<void>()
  /** Counts the lists; it shows that the last list did not have an object. */
  #round = 0
  /** Of the list that is under way. */
  #listVersion = ''
  #running: Promise<void> = Promise.resolve()

  constructor(options: WatchCacheOptions<T, I, O>) {
    const { client, clock, logger, kind, namespace, labelSelector, fieldSelector, pageSize } = options
    const scope: WatchScope = {
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(options.ownWrite === undefined ? {} : { metadataOnly: true }),
    }
    this.#options = options
    this.#store = new ObjectStore<T, I>(options.indexes)
    this.#scope = scope
    this.#inScope = scopeTest(scope)
    const sink: ReflectorSink<O> = {
      listBegins: () => this.#listBegins(),
      page: (page) => this.#page(page),
      listEnds: () => this.#listEnds(),
      event: (type, object) => this.#event(type, object),
      ...(options.ownWrite === undefined
        ? {}
        : { completed: (object: O, signal: AbortSignal) => this.#completed(object, signal) }),
    }
    this.#reflector =
      options.follow?.(scope, sink) ??
      new Reflector({ client, clock, logger, scope, sink, ...(pageSize === undefined ? {} : { pageSize }) })
    this.#synced.promise.catch(() => {})
    this.#listed.promise.catch(() => {})
  }

  /**
   * Lists anew, and keeps every object anew: what `keep` gives has changed, or which objects are watched. Resolves when the
   * list is in the cache; rejects when the cache is stopped before.
   */
  relist(selection: Pick<WatchScope, 'labelSelector' | 'fieldSelector'>): Promise<void> {
    const { labelSelector: _, fieldSelector: __, ...rest } = this.#scope
    this.#scope = { ...rest, ...selection }
    this.#inScope = scopeTest(this.#scope)
    this.#kept++
    this.#reflector.relist(this.#scope)
    return this.#listed.promise
  }

  /** Lists anew what is watched. Resolves and rejects as `relist`. */
  refresh(): Promise<void> {
    this.#reflector.relist(this.#scope)
    return this.#listed.promise
  }

  addIndex(name: I, keysOf: (value: T) => readonly string[]): void {
    this.#store.addIndex(name, keysOf)
  }

  removeIndex(name: I): void {
    this.#store.removeIndex(name)
  }

  /** Begins to list and watch. */
  start(): void {
    this.#running = this.#reflector.run(this.#abort.signal)
  }

  /** Resolves when nothing is under way any more; what is in the cache stays readable. */
  async stop(): Promise<void> {
    this.#abort.abort()
    const stopped = new Error(`the cache of ${this.#options.kind.resource} was stopped before it was filled`)
    this.#synced.reject(stopped)
    this.#listed.reject(stopped)
    await this.#running
  }

  /** Resolves once the whole of a list is in the cache; rejects when the cache is stopped before. */
  whenSynced(): Promise<void> {
    return this.#synced.promise
  }

  get synced(): boolean {
    return this.#isSynced
  }

  /** For how many milliseconds nothing was heard from the server: minutes are normal where little happens. */
  get silenceMs(): number {
    return this.#reflector.silenceMs
  }

  /** The version up to which everything is in the cache; undefined while a list is needed or under way. */
  get version(): string | undefined {
    return this.#reflector.version
  }

  /** Why the cache is not being kept up to date now, if it is not. */
  get problem(): unknown {
    return this.#reflector.problem
  }

  get size(): number {
    return this.#store.size
  }

  /** `namespace` is '' for what is in none. */
  get(namespace: string, name: string): T | undefined {
    return this.#store.entry(namespace, name)?.value
  }

  /** All, or those of one namespace; the cost is that of the answer. */
  list(namespace?: string): readonly T[] {
    return Array.from(this.#store.entries(namespace), ({ value }) => value)
  }

  /** Those that an index has under a key; the cost is that of the answer. */
  by(index: I, key: string): readonly T[] {
    return this.#store.by(index, key)
  }

  /** Under which keys an index has anything. */
  keysOf(index: I): readonly string[] {
    return this.#store.keysOf(index)
  }

  /** Calls a handler first with each existing object, then with every change. Returns a function that ends this. */
  onChange(handler: ChangeHandler<T>): () => void {
    this.#changes.releaseAll()
    this.#handlers = [...this.#handlers, handler]
    for (const { namespace, name, value } of this.#store.entries())
      handler(undefined, value, { namespace, name, by: undefined })
    return () => {
      this.#handlers = this.#handlers.filter((other) => other !== handler)
    }
  }

  /**
   * Writes an object and takes the server's answer, as `observed` does. Handlers get the writer, `by`, whether the watch or the answer
   * shows the write first. Rejects as `write`.
   */
  async observeWrite<W extends O>(name: ObjectName, by: string, write: () => Promise<W>): Promise<W> {
    const end = this.#changes.begin(name)
    try {
      const written = await write()
      this.#changes.answered(name, written.metadata.resourceVersion ?? '', by)
      this.observed(written, by)
      return written
    } finally {
      end()
    }
  }

  /** Changes withheld for a write that hangs are reported after twice `OWN_WRITE_MS` at most. One timer serves all writes. */
  async #sweep(): Promise<void> {
    if (this.#isSweeping) return
    this.#isSweeping = true
    do await pause(this.#options.clock, OWN_WRITE_MS, this.#abort.signal)
    while (this.#changes.sweep())
    this.#isSweeping = false
  }

  /**
   * Takes the server's answer to a request, so that it is read here at once. It is ignored if the watch has been past
   * it, and is left to the watch where versions cannot be compared. `by` is the writer, as handlers get it.
   */
  observed(object: O, by?: string): void {
    const { namespace = '', name = '', resourceVersion = '' } = object.metadata
    const seen = this.#reflector.version
    const entry = this.#store.entry(namespace, name)
    if (compareVersions(resourceVersion, resourceVersion) === undefined) return
    if (seen !== undefined && !isOlder(seen, resourceVersion)) return
    if (by !== undefined) entry?.ownVersions?.add(resourceVersion)
    if (entry !== undefined && !isOlder(entry.version, resourceVersion)) return
    if (!this.#inScope(object)) return
    this.#reflector.reached(resourceVersion)
    if (seen === undefined) this.#ahead.add(this.#put(object, entry?.round ?? 0, by))
    else this.#put(object, this.#round, by)
  }

  #listBegins(): void {
    this.#round++
    this.#ahead.clear()
  }

  #page({ items, resourceVersion }: Listed<O>): void {
    for (const item of items) {
      const { namespace = '', name = '' } = item.metadata
      const entry = this.#store.entry(namespace, name)
      // A write of ours after the server took the snapshot is newer than its page.
      if (entry !== undefined && this.#isAhead(entry, resourceVersion)) {
        entry.round = this.#round
        continue
      }
      if (entry !== undefined && entry.version === item.metadata.resourceVersion)
        this.#reportMissed(entry, entry.version)
      this.#put(item, this.#round)
    }
    this.#listVersion = resourceVersion
  }

  #listEnds(): void {
    for (const entry of this.#store.entries())
      if (entry.round !== this.#round && !this.#isAhead(entry, this.#listVersion)) this.#remove(entry)
    this.#ahead.clear()
    this.#isSynced = true
    this.#synced.resolve()
    this.#listed.resolve()
    this.#listed = Promise.withResolvers<void>()
    this.#listed.promise.catch(() => {})
  }

  #isAhead(entry: Entry<T>, version: string): boolean {
    return this.#ahead.has(entry) && isOlder(version, entry.version)
  }

  #event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: O): void {
    const { namespace = '', name = '', resourceVersion = '' } = object.metadata
    const entry = this.#store.entry(namespace, name)
    // The cache is ahead of the watch by our own writes.
    if (entry !== undefined && isOlder(resourceVersion, entry.version)) {
      if (entry.ownVersions?.has(resourceVersion) === false) this.#reportMissed(entry, resourceVersion)
      return
    }
    if (type !== 'DELETED') this.#put(object, this.#round)
    else if (entry !== undefined) this.#remove(entry)
  }

  /** The answer to a write of our own may have shown a change of others, too, which was then reported as our own. */
  #reportMissed({ namespace, name, value, ownVersions }: Entry<T>, version: string): void {
    if (ownVersions !== undefined) this.#changes.changed(value, value, { namespace, name }, version)
  }

  /** The metadata shows whether the cache has the object already. */
  async #completed(object: O, signal: AbortSignal): Promise<O | undefined> {
    const { client, clock, kind, ownWrite } = this.#options
    const { namespace = '', name = '' } = object.metadata
    if (this.#has(object)) return object
    const write = ownWrite?.({ namespace, name })
    if (write !== undefined) {
      using wait = linkedAbort(signal)
      await Promise.race([write.catch(() => undefined), pause(clock, OWN_WRITE_MS, wait.controller.signal)])
      wait.controller.abort(WAITED)
      if (this.#has(object)) return object
    }
    try {
      const whole = await client.get<O>(kind, { namespace, name }, { signal })
      this.#reflector.reached(whole.metadata.resourceVersion ?? '')
      // The watch reports an object that has left the scope meanwhile.
      return this.#inScope(whole) ? whole : undefined
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  #has({ metadata: { namespace = '', name = '', uid = '', resourceVersion = '' } }: O): boolean {
    const entry = this.#store.entry(namespace, name)
    if (entry?.uid !== uid || entry.kept !== this.#kept) return false
    return entry.version === resourceVersion || isOlder(resourceVersion, entry.version)
  }

  #put(object: O, round: number, by?: string): Entry<T> {
    const { namespace = '', name = '', uid = '', resourceVersion: version = '' } = object.metadata
    const entry = this.#store.entry(namespace, name)
    if (entry?.uid === uid) {
      entry.round = round
      entry.ownVersions = by === undefined ? undefined : (entry.ownVersions ?? new Set<string>()).add(version)
      if (entry.version === version && entry.kept === this.#kept) return entry
      const old = entry.value
      this.#store.change(entry, { version, value: this.#options.keep(object, this.#share, old), kept: this.#kept })
      this.#changes.changed(old, entry.value, { namespace, name }, version, by)
      return entry
    }
    if (entry !== undefined) this.#remove(entry)
    const value = this.#options.keep(object, this.#share, undefined)
    const stored: Stored<T> = { namespace: this.#share(namespace), name, uid, version, value, kept: this.#kept }
    const added = this.#store.add(stored, round)
    if (by !== undefined) added.ownVersions = new Set([version])
    this.#changes.changed(undefined, value, { namespace, name }, version, by)
    return added
  }

  #remove(entry: Entry<T>): void {
    this.#store.remove(entry)
    this.#ahead.delete(entry)
    this.#changes.gone(entry.value, { namespace: entry.namespace, name: entry.name })
  }

  /** A handler may write and call `observed`: that change is reported after the current one. */
  #report(old: T | undefined, current: T | undefined, change: ChangeInfo): void {
    for (const handler of this.#handlers) this.#tellings.push(() => handler(old, current, change))
    if (this.#isTelling) return
    this.#isTelling = true
    try {
      for (let next = this.#tellings.shift(); next !== undefined; next = this.#tellings.shift()) next()
    } finally {
      this.#isTelling = false
    }
  }
}
