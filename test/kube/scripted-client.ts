import { ServerUnreachable } from '../../src/kube/transport/server-unreachable.ts'
import type {
  DeleteCallOptions,
  KubeClient,
  ListCallOptions,
  Listed,
  ObjectName,
  Patch,
  ResourceKind,
  WatchCallOptions,
  WatchEvent,
  WriteCallOptions,
} from '../../src/kube/client/kube-client.ts'
import { isObject, type KubeObject, type ObjectMeta } from '../../src/machinery/object.ts'
import { jsonEqual } from '../../src/machinery/json-value.ts'
import { mergePatch } from '../../src/schema/patch/merge.ts'
import { parseLabelQuery } from '../../src/machinery/selector/label-query.ts'
import { alreadyExists, conflict, expired, notFound, tooLarge } from '../../src/machinery/status.ts'

export type Verb = 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'watch'

const WRITES: ReadonlySet<Verb> = new Set(['create', 'update', 'patch', 'delete'])

interface LogEntry {
  readonly revision: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: KubeObject
  readonly before: KubeObject | undefined
}

interface OpenWatch {
  readonly options: WatchCallOptions
  readonly queue: (WatchEvent<KubeObject> | { readonly end: Error | undefined })[]
  position: number
  wake: () => void
}

export const UNREACHABLE = new ServerUnreachable('refused', 'the server cannot be reached: the connection was refused')

/**
 * An API server of one kind in memory, that fails when and how a test says; and the client of it. As a server does, it refuses writes
 * that expect another version, keeps the status apart from the rest, and keeps a deleted object until its finalizers are gone.
 */
export class ScriptedClient implements KubeClient {
  readonly #kind: { readonly group: string; readonly resource: string }
  #objects = new Map<string, KubeObject>()
  #log: LogEntry[] = []
  #revision = 10
  #compacted = 0
  #uids = 0
  #restores = 0
  #snapshots: { objects: Map<string, KubeObject>; revision: number; log: LogEntry[] }[] = []
  readonly #watches = new Set<OpenWatch>()
  readonly #failures: { verb: Verb; error: Error; after: boolean }[] = []
  /** Every call so far, as `verb` or, for lists and watches, `verb@version`. */
  readonly calls: string[] = []
  /** Every write that expected no version: it would have overwritten what somebody else wrote meanwhile. */
  readonly unconditional: string[] = []
  /** A larger object is refused. */
  mostBytes = Infinity
  /** While it is set, no call is answered. */
  outage: Error | undefined
  /** While it is set, watches send nothing. */
  muted = false
  /** The answer to a write waits for this, so that watches show the write before. */
  untilAnswer: (() => Promise<void>) | undefined
  /** Lists wait for this before they are answered, having been read before. */
  listGate: Promise<void> | undefined

  constructor(kind: ResourceKind) {
    this.#kind = kind
  }

  get revision(): string {
    return String(this.#revision)
  }

  get openWatches(): number {
    return this.#watches.size
  }

  /** The objects as they are, by namespace and name. */
  get state(): ReadonlyMap<string, KubeObject> {
    return this.#objects
  }

  /** The next call of that verb fails; `after` it has taken effect, when asked so. */
  failNext(verb: Verb, error: Error, after = false): void {
    this.#failures.push({ verb, error, after })
  }

  /** Forgets the failures that no call has met yet. */
  failNoMore(): void {
    this.#failures.length = 0
  }

  /** Ends every watch, with an error or as the server does it. Events that were not sent yet are lost with the connection. */
  endWatches(error?: Error): void {
    for (const watch of this.#watches) {
      watch.queue.length = 0
      watch.queue.push({ end: error })
      watch.wake()
    }
    this.#watches.clear()
  }

  /** A watch from before this version gets 410. */
  compact(): void {
    this.#compacted = this.#revision
  }

  bookmark(): void {
    this.deliver()
    for (const watch of this.#watches) {
      watch.queue.push({ type: 'BOOKMARK', resourceVersion: this.revision })
      watch.wake()
    }
  }

  /** Something else in the cluster is written. */
  tick(revisions: number): void {
    this.#revision += revisions
  }

  backup(): void {
    this.#snapshots.push({ objects: new Map(this.#objects), revision: this.#revision, log: [...this.#log] })
  }

  /** The state of the last backup, as after a restore of etcd: connections and calls end. */
  restore(): void {
    const snapshot = this.#snapshots.at(-1)
    if (snapshot === undefined) return
    this.#objects = new Map(snapshot.objects)
    this.#log = [...snapshot.log]
    this.#revision = snapshot.revision
    this.#restores++
    this.#compacted = Math.min(this.#compacted, snapshot.revision)
    this.endWatches(UNREACHABLE)
  }

  /** Sends watches the events since, or the first of them, although they are muted. */
  deliver(count = Infinity): void {
    for (const watch of this.#watches) {
      let left = count
      for (const entry of this.#log) {
        if (entry.revision <= watch.position || left-- <= 0) continue
        watch.position = entry.revision
        const event = seenThrough(watch.options, entry)
        if (event !== undefined) watch.queue.push(event)
      }
      watch.wake()
    }
  }

  /** Creates or replaces. */
  put(object: KubeObject): KubeObject {
    const key = keyOf(object.metadata)
    const before = this.#objects.get(key)
    this.#revision++
    const metadata = {
      ...object.metadata,
      uid: before?.metadata.uid ?? `uid-${++this.#uids}`,
      resourceVersion: this.revision,
    }
    const stored: KubeObject = { ...object, metadata }
    this.#objects.set(key, stored)
    this.#happened({
      revision: this.#revision,
      type: before === undefined ? 'ADDED' : 'MODIFIED',
      object: stored,
      before,
    })
    return stored
  }

  remove(name: ObjectName): void {
    const before = this.#objects.get(keyOf(name))
    if (before === undefined) return
    this.#revision++
    this.#objects.delete(keyOf(name))
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: this.revision } }
    this.#happened({ revision: this.#revision, type: 'DELETED', object, before })
  }

  get<T extends KubeObject>(_: ResourceKind, name: ObjectName): Promise<T> {
    return this.#call('get', 'get', () => this.#existing(name) as unknown as T)
  }

  async getMetadata(kind: ResourceKind, name: ObjectName): Promise<ObjectMeta> {
    return (await this.get(kind, name)).metadata
  }

  async list<T extends KubeObject>(kind: ResourceKind, options: ListCallOptions = {}): Promise<Listed<T>> {
    const pages = await Array.fromAsync(this.listPages<T>(kind, options))
    return { items: pages.flatMap(({ items }) => items), resourceVersion: pages[0]?.resourceVersion ?? '' }
  }

  async *listPages<T extends KubeObject>(_: ResourceKind, options: ListCallOptions = {}): AsyncGenerator<Listed<T>> {
    const { pageSize = 3 } = options
    const resourceVersion = this.revision
    const era = this.#restores
    const all = [...this.#objects.values()].filter((object) => isSeen(options, object))
    const size = pageSize === 0 ? Math.max(1, all.length) : pageSize
    for (let start = 0; start === 0 || start < all.length; start += size) {
      const items = all.slice(start, start + size) as unknown as T[]
      const what = pageSize === 1 ? 'probe' : 'list'
      const page = await this.#call('list', what, () => {
        if (start > 0 && Number(resourceVersion) < this.#compacted)
          throw expired('The provided continue parameter is too old')
        return { items, resourceVersion }
      })
      if (this.listGate !== undefined) await Promise.race([this.listGate, abortOf(options.signal)])
      options.signal?.throwIfAborted()
      if (era !== this.#restores) throw UNREACHABLE
      yield page
    }
  }

  create<T extends KubeObject>(_: ResourceKind, object: T, options: WriteCallOptions = {}): Promise<T> {
    return this.#call('create', 'create', () => {
      const { name = '' } = object.metadata
      if (this.#objects.has(keyOf(object.metadata))) throw alreadyExists(this.#kind, name)
      const { status: _status, ...created } = object as KubeObject
      return this.#write(created, undefined, options) as unknown as T
    })
  }

  update<T extends KubeObject>(_: ResourceKind, object: T, options: WriteCallOptions = {}): Promise<T> {
    return this.#call('update', 'update', () => {
      const { namespace = '', name = '' } = object.metadata
      const before = this.#expected('update', { namespace, name }, object.metadata)
      return this.#write(object, before, options) as unknown as T
    })
  }

  patch<T extends KubeObject>(
    _: ResourceKind,
    name: ObjectName,
    patch: Patch,
    options: WriteCallOptions = {},
  ): Promise<T> {
    return this.#call('patch', 'patch', () => {
      const { metadata = {} } = patch.body as { readonly metadata?: ObjectMeta }
      const before = this.#expected('patch', name, metadata)
      const patched = mergePatch(before, patch.body)
      if (!isObject(patched)) throw new Error('only merge patches are understood')
      return this.#write(patched as unknown as KubeObject, before, options) as unknown as T
    })
  }

  async patchMetadata(
    kind: ResourceKind,
    name: ObjectName,
    patch: Patch,
    options: WriteCallOptions = {},
  ): Promise<ObjectMeta> {
    return (await this.patch(kind, name, patch, options)).metadata
  }

  delete(_: ResourceKind, name: ObjectName, options: DeleteCallOptions = {}): Promise<void> {
    return this.#call('delete', 'delete', () => {
      const before = this.#expected('delete', name, options)
      if (options.dryRun === true) return
      const { finalizers = [], deletionTimestamp } = before.metadata
      if (finalizers.length === 0) this.remove(name)
      else if (deletionTimestamp === undefined)
        this.put({ ...before, metadata: { ...before.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })
    })
  }

  async *watch<T extends KubeObject>(_: ResourceKind, options: WatchCallOptions): AsyncGenerator<WatchEvent<T>> {
    await this.#call('watch', `watch@${options.resourceVersion}`, () => {
      options.signal?.throwIfAborted()
      if (Number(options.resourceVersion) < this.#compacted) throw expired('too old resource version')
    })
    const queue: OpenWatch['queue'] = []
    const watch: OpenWatch = { options, queue, position: Number(options.resourceVersion), wake: () => {} }
    this.#watches.add(watch)
    options.opened?.()
    const aborted = (): void => {
      queue.push({ end: options.signal?.reason as Error })
      watch.wake()
    }
    options.signal?.addEventListener('abort', aborted)
    if (options.signal?.aborted === true) aborted()
    if (!this.muted) this.deliver()
    try {
      for (;;) {
        const event = queue.shift()
        if (event === undefined) await new Promise<void>((resolve) => (watch.wake = resolve))
        else if (!('end' in event)) yield (options.metadataOnly === true ? leanEvent(event) : event) as WatchEvent<T>
        else if (event.end === undefined) return
        else throw event.end
      }
    } finally {
      this.#watches.delete(watch)
      options.signal?.removeEventListener('abort', aborted)
    }
  }

  request(): Promise<unknown> {
    return Promise.reject(new Error('not scripted'))
  }

  #existing(name: ObjectName): KubeObject {
    const object = this.#objects.get(keyOf(name))
    if (object === undefined) throw notFound(this.#kind, name.name)
    return object
  }

  /** The object that a write is for, if it is as the write expects. */
  #expected(
    verb: Verb,
    name: ObjectName,
    { uid, resourceVersion }: Pick<DeleteCallOptions, 'uid' | 'resourceVersion'>,
  ): KubeObject {
    if (resourceVersion === undefined) this.unconditional.push(`${verb} ${keyOf(name)}`)
    const object = this.#existing(name)
    const { metadata } = object
    if (
      (uid ?? metadata.uid) !== metadata.uid ||
      (resourceVersion ?? metadata.resourceVersion) !== metadata.resourceVersion
    )
      throw conflict(this.#kind, name.name)
    return object
  }

  /** Stores what a client sent, as far as it is the client's to write there. */
  #write(sent: KubeObject, before: KubeObject | undefined, { subresource = '', dryRun }: WriteCallOptions): KubeObject {
    if (this.mostBytes < Infinity && JSON.stringify(sent).length > this.mostBytes) throw tooLarge(this.mostBytes)
    if (dryRun === true) return sent
    if (before === undefined) return this.put(sent)
    const { metadata, status, ...rest } = sent
    const { metadata: metadataBefore, status: statusBefore, ...restBefore } = before
    const isStatus = subresource === 'status'
    const statusAfter = isStatus ? status : statusBefore
    const { generation } = metadataBefore
    const isChanged = !isStatus && typeof generation === 'number' && !jsonEqual(rest, restBefore)
    const { uid, resourceVersion, deletionTimestamp } = metadataBefore
    const kept = { uid, resourceVersion, deletionTimestamp, generation: isChanged ? generation + 1 : generation }
    const known = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined))
    const after: KubeObject = {
      ...(isStatus ? restBefore : rest),
      apiVersion: before.apiVersion,
      kind: before.kind,
      metadata: { ...metadata, ...known },
      ...(statusAfter === undefined ? {} : { status: statusAfter }),
    }
    const { namespace = '', name = '', finalizers = [] } = after.metadata
    if (deletionTimestamp !== undefined && finalizers.length === 0) {
      this.remove({ namespace, name })
      return after
    }
    // A write that changes nothing makes no version.
    return jsonEqual(after, before) ? before : this.put(after)
  }

  async #call<R>(verb: Verb, call: string, effect: () => R): Promise<R> {
    this.calls.push(call)
    await Promise.resolve()
    if (this.outage !== undefined) throw this.outage
    const index = this.#failures.findIndex((failure) => failure.verb === verb)
    const [failure] = index < 0 ? [] : this.#failures.splice(index, 1)
    if (failure?.after === false) throw failure.error
    const result = effect()
    if (WRITES.has(verb)) await this.untilAnswer?.()
    if (failure !== undefined) throw failure.error
    return result
  }

  #happened(entry: LogEntry): void {
    this.#log.push(entry)
    if (!this.muted) this.deliver()
  }
}

const abortOf = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))

const keyOf = ({ namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string }): string =>
  `${namespace}/${name}`

function isSeen({ namespace = '', labelSelector = '' }: ListCallOptions, object: KubeObject): boolean {
  return (
    (namespace === '' || object.metadata.namespace === namespace) &&
    parseLabelQuery(labelSelector).matches(object.metadata.labels ?? {})
  )
}

function leanEvent(event: WatchEvent<KubeObject>): WatchEvent<KubeObject> {
  if (event.type === 'BOOKMARK') return event
  const object = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: event.object.metadata }
  return { type: event.type, object }
}

/** Returns the event of a watch for a change: an object that begins to be selected is added, one that no longer is is deleted. */
function seenThrough(
  options: WatchCallOptions,
  { type, object, before }: LogEntry,
): WatchEvent<KubeObject> | undefined {
  const was = before !== undefined && isSeen(options, before)
  const is = type !== 'DELETED' && isSeen(options, object)
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object }
  if (!was) return undefined
  return {
    type: 'DELETED',
    object: { ...before, metadata: { ...before.metadata, resourceVersion: object.metadata.resourceVersion ?? '' } },
  }
}
