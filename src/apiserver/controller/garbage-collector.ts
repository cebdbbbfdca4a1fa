import type { KubeObject } from '../../machinery/object.ts'
import { isConflict, isForbidden, isNotFound } from '../../machinery/status.ts'
import { inTurns, TimeSlice } from '../../runtime/tasks/time-slice.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import type { StoreEvent } from '../../store/record/event.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { WatchHandle } from '../../store/revision/watchers.ts'
import { systemCaller } from '../../machinery/caller.ts'
import { FOREGROUND, ORPHAN } from '../operation/deletion-finalizers.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { type StoredPlace, waitsForItself } from './circular-wait.ts'
import {
  awaits,
  type CollectionDecision,
  decideCollection,
  type FoundOwner,
  unblocking,
  withoutFinalizer,
  withoutOwners,
} from '../operation/collection-decision.ts'
import { OwnerLookup } from './owner-lookup.ts'
import { OwnershipIndex } from './ownership-index.ts'
import type { EventWriter } from '../event/writer.ts'

/** Events own nothing, are owned by nothing and go by themselves. */
const IGNORED: ReadonlySet<string> = new Set(['events'])
const WORKERS = 32
/** An owner that could not be orphaned because writes to its dependents are on their way is looked at again after this. */
const RETRY_MS = 100

const queueKey = ({ bucket, key }: StoredPlace): string => `${bucket} ${key}`

export interface GarbageCollectorOptions {
  readonly store: StoredObjects
  readonly registry: Registry
  readonly operations: Pick<ObjectOperations, 'changeThis' | 'remove'>
  readonly events: Pick<EventWriter, 'record'>
  readonly onError: (key: string, error: unknown) => void
}

/**
 * Collects garbage by owner references. It deletes objects whose owners are all gone. It removes references to gone
 * owners from objects that have other owners. It completes deletions that wait for dependents (`foregroundDeletion`) or
 * orphan them (`orphan`).
 *
 * The dependency graph follows the events of the store, so the work of an event grows with its own dependents only.
 * Each decision is made from the stored objects, so a restart loses nothing.
 */
export class GarbageCollector {
  readonly #options: GarbageCollectorOptions
  readonly #index = new OwnershipIndex()
  readonly #lookup: OwnerLookup
  readonly #queue: WorkQueue
  readonly #slice = new TimeSlice()
  readonly #watches = new Map<string, WatchHandle>()
  /** The objects that wait for their dependents, by uid. */
  readonly #waiting = new Map<string, StoredPlace>()
  /** The objects that wait until their owners are known. */
  readonly #undecided = new Set<string>()
  /** Nothing may be decided before all dependents are known. */
  #scanned: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: GarbageCollectorOptions) {
    const { store, registry, onError } = options
    this.#options = options
    this.#lookup = new OwnerLookup(registry, store, (uid) => this.#index.isGone(uid))
    this.#queue = new WorkQueue({ work: (key) => this.#work(key), onError, workers: WORKERS })
    this.follow()
  }

  /** Watches what is served now; called again whenever kinds come or go. */
  follow(): void {
    const { registry, store } = this.#options
    const served = new Set(
      registry
        .stored()
        .filter(isCollected)
        .map(({ bucket }) => bucket),
    )
    for (const [bucket, watch] of this.#watches) if (!served.has(bucket)) this.#forget(bucket, watch)
    const fresh = [...served].filter((bucket) => !this.#watches.has(bucket))
    for (const bucket of fresh)
      this.#watches.set(
        bucket,
        store.watch({ bucket }, (event) => this.#notice(event)),
      )
    for (const key of this.#undecided) this.#queue.add(key)
    this.#undecided.clear()
    if (fresh.length === 0) return
    const scan = this.#scan(fresh).catch((error: unknown) => this.#options.onError('scan', error))
    this.#scanned = Promise.all([this.#scanned, scan]).then(() => undefined)
  }

  /** Resolves when everything is known and nothing is left to do. */
  async whenIdle(): Promise<void> {
    await this.#scanned
    await this.#queue.whenIdle()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const watch of this.#watches.values()) watch.close()
    await this.#queue.stop()
  }

  #forget(bucket: string, watch: WatchHandle): void {
    watch.close()
    this.#watches.delete(bucket)
    for (const [uid, place] of this.#waiting) if (place.bucket === bucket) this.#waiting.delete(uid)
    this.#release(this.#index.removeBucket(bucket))
  }

  /** Takes up what is stored already. Only what names owners or is being deleted is parsed. */
  async #scan(buckets: readonly string[]): Promise<void> {
    const { store } = this.#options
    for (const bucket of buckets) {
      for (const { key } of store.list(bucket).records) {
        const turn = this.#slice.next()
        if (turn !== undefined) await turn
        if (this.#stopped || !this.#watches.has(bucket)) break
        // Later events are known already, and must not be undone.
        const record = store.get(bucket, key)
        if (record !== undefined && isConcerned(record.text)) this.#take(record)
      }
    }
  }

  #notice({ type, record }: StoreEvent): void {
    if (type === 'deleted') {
      const { uid = '' } = record.object.metadata
      this.#release(this.#index.remove(record.bucket, record.key).freed)
      this.#waiting.delete(uid)
      for (const dependent of this.#index.leave(uid)) this.#queue.add(queueKey(dependent))
    } else {
      const owners = this.#take(record)
      if (owners !== undefined) this.#warn(record.object, owners)
    }
  }

  /** Takes note of an object as it is now. Gives its owners where they are others than before. */
  #take(record: StoredRecord): readonly FoundOwner[] | undefined {
    const { bucket, key, object } = record
    const { uid = '', ownerReferences } = object.metadata
    const { changed, freed } = this.#index.put(bucket, key, uid, ownerReferences)
    this.#release(freed)
    const awaited = awaits(object.metadata)
    if (awaited === 'dependents') {
      if (!this.#waiting.has(uid))
        for (const dependent of this.#index.dependentsOf(uid)) this.#queue.add(queueKey(dependent))
      this.#waiting.set(uid, { bucket, key })
    } else if (this.#waiting.size > 0) this.#waiting.delete(uid)
    const owners = changed ? this.#ownersOf(object) : undefined
    if (awaited !== undefined || (owners !== undefined && this.#decide(object, owners).type !== 'keep'))
      this.#queue.add(queueKey(record))
    return owners
  }

  /** Owners that no dependent keeps any more may go, if they wait for that. */
  #release(uids: readonly string[]): void {
    for (const uid of uids) {
      const place = this.#waiting.get(uid)
      if (place !== undefined) this.#queue.add(queueKey(place))
    }
  }

  /** Each owner is looked up once for all that is decided about the object now. */
  #ownersOf({ metadata: { namespace = '', ownerReferences = [] } }: KubeObject): readonly FoundOwner[] {
    return ownerReferences.map((reference) => ({ reference, state: this.#lookup.stateOf(reference, namespace) }))
  }

  #decide({ metadata }: KubeObject, owners: readonly FoundOwner[]): CollectionDecision {
    if (metadata.deletionTimestamp !== undefined) return { type: 'keep' }
    const hasDependents = this.#index.dependentsOf(metadata.uid ?? '').size > 0
    return decideCollection(metadata.finalizers, owners, hasDependents)
  }

  async #work(queued: string): Promise<void> {
    await this.#scanned
    await this.#slice.next()
    const [bucket = '', key = ''] = queued.split(' ')
    const resource = this.#options.registry.ofBucket(bucket)
    const object = this.#options.store.latest(bucket, key)?.object
    if (resource === undefined || object === undefined) return
    try {
      await this.#process(resource, object, queued)
    } catch (error) {
      if (isNotFound(error)) return
      if (!isConflict(error)) throw error
      this.#queue.add(queued)
    }
  }

  async #process(resource: Resource, object: KubeObject, queued: string): Promise<void> {
    const { uid = '', resourceVersion = '' } = object.metadata
    const awaited = awaits(object.metadata)
    if (awaited === 'orphans') return await this.#orphanDependents(resource, object, queued)
    if (awaited === 'dependents') return await this.#finish(resource, object)
    const decision = this.#decide(object, this.#ownersOf(object))
    switch (decision.type) {
      case 'keep':
        return
      case 'undecided':
        this.#undecided.add(queued)
        return
      case 'detach':
        return await this.#change(resource, object, (current) => withoutOwners(current, decision.uids))
      case 'delete': {
        // Were the references others meanwhile, so would be the decision.
        const options = { uid, resourceVersion, propagationPolicy: decision.policy }
        await this.#options.operations.remove(this.#request(resource, object), options)
      }
    }
  }

  /** Takes the references to an owner from all its dependents, and then lets it go. */
  async #orphanDependents(resource: Resource, owner: KubeObject, queued: string): Promise<void> {
    const { registry, store } = this.#options
    const { uid = '' } = owner.metadata
    const uids = new Set([uid])
    await inTurns([...this.#index.dependentsOf(uid)], WORKERS, async ({ bucket, key }) => {
      const of = registry.ofBucket(bucket)
      const dependent = store.latest(bucket, key)?.object
      if (of === undefined || dependent === undefined) return
      try {
        await this.#change(of, dependent, (current) => withoutOwners(current, uids))
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    })
    // A dependent that is being written just now is not known before it is stored.
    await store.whenFlushed()
    if (this.#index.dependentsOf(uid).size > 0) return this.#queue.addAfter(queued, RETRY_MS)
    await this.#change(resource, owner, (current) => withoutFinalizer(current, ORPHAN))
  }

  /** Lets an owner go that no dependent keeps. Where dependents keep each other, one of them gives way. */
  async #finish(resource: Resource, owner: KubeObject): Promise<void> {
    const { uid = '' } = owner.metadata
    if (this.#index.blockersOf(uid) === 0)
      return await this.#change(resource, owner, (current) => withoutFinalizer(current, FOREGROUND))
    if (waitsForItself(uid, this.#index, this.#waiting)) await this.#change(resource, owner, unblocking)
  }

  /** Changes an object; another one of the same name is not found. */
  async #change(resource: Resource, object: KubeObject, change: (current: KubeObject) => KubeObject): Promise<void> {
    await this.#options.operations.changeThis({ ...this.#request(resource, object), manager: MANAGER }, object, change)
  }

  #request(resource: Resource, { metadata: { name = '', namespace = '' } }: KubeObject): ObjectRequest {
    return {
      resource,
      namespace,
      name,
      subresource: '',
      caller: systemCaller('generic-garbage-collector'),
      dryRun: false,
    }
  }

  /** Warns of owners in other namespaces, which an object may not have. */
  #warn(object: KubeObject, owners: readonly FoundOwner[]): void {
    const { namespace = '' } = object.metadata
    for (const { reference, state } of owners) {
      const { apiVersion, kind, name, uid } = reference
      if (state === 'present' || state === 'waiting' || !this.#lookup.isForeign(reference, namespace)) continue
      const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
      const message = `ownerRef ${owner} does not exist in namespace "${namespace}"`
      const details = {
        type: 'Warning',
        reason: 'OwnerRefInvalidNamespace',
        message,
        component: 'garbage-collector-controller',
      } as const
      this.#options.events.record(object, details).catch((error: unknown) => {
        if (!isForbidden(error) && !isNotFound(error)) this.#options.onError(name, error)
      })
    }
  }
}

/** The field manager of upstream's collector. The owners of fields that it removes lose them. */
const MANAGER = 'kube-controller-manager'

const isCollected = ({ bucket, served }: Resource): boolean => !IGNORED.has(bucket) && served.verbs.includes('delete')

/** Within texts of a JSON value quotation marks are escaped: only the names of fields match. */
const isConcerned = (text: string): boolean =>
  text.includes('"ownerReferences":[') || text.includes('"deletionTimestamp":"')
