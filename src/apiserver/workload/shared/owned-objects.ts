import type { KubeObject, OwnerReference } from '../../../machinery/object.ts'
import type { StoreEvent } from '../../../store/event.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import type { WatchHandle } from '../../../store/watchers.ts'

/** The owner that manages an object; undefined for one that nobody does. */
export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)

/** A reference by which `owner` manages an object. */
export function controllerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name = '', uid = '' } = metadata
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** The object, managed by `owner` from now on. */
export function adopted(object: KubeObject, owner: KubeObject): KubeObject {
  const { ownerReferences = [], ...metadata } = object.metadata
  return { ...object, metadata: { ...metadata, ownerReferences: [...ownerReferences, controllerReference(owner)] } }
}

/** Which objects of a bucket who manages, kept from the store's events: finding one owner's objects costs only these. */
export class OwnedObjects {
  readonly #store: WorkloadPort['store']
  readonly #bucket: string
  readonly #owned = new Map<string, Set<string>>()
  /** Those that nobody manages, by namespace. */
  readonly #orphans = new Map<string, Set<string>>()
  readonly #watch: WatchHandle

  constructor(store: WorkloadPort['store'], bucket: string) {
    this.#store = store
    this.#bucket = bucket
    this.#watch = store.watch({ bucket }, (event) => this.#notice(event))
    for (const { key, object } of store.latestIn(bucket, undefined)) this.#add(key, object)
  }

  /** The newest states of what an owner manages. */
  of(uid: string | undefined): readonly KubeObject[] {
    return this.#latest(this.#owned.get(uid ?? '')).filter((object) => controllerOf(object)?.uid === uid)
  }

  /** The newest states of what nobody manages in a namespace. */
  orphansIn(namespace: string): readonly KubeObject[] {
    return this.#latest(this.#orphans.get(namespace)).filter((object) => controllerOf(object) === undefined)
  }

  stop(): void {
    this.#watch.close()
  }

  #latest(keys: ReadonlySet<string> = new Set()): readonly KubeObject[] {
    return [...keys].flatMap((key) => this.#store.latest(this.#bucket, key)?.object ?? [])
  }

  #notice({ type, record, previous }: StoreEvent): void {
    if (previous !== undefined) this.#remove(record.key, previous.object)
    if (type !== 'deleted') this.#add(record.key, record.object)
  }

  #add(key: string, object: KubeObject): void {
    const [group, name] = this.#groupOf(object)
    const known = group.get(name)
    if (known === undefined) group.set(name, new Set([key]))
    else known.add(key)
  }

  #remove(key: string, object: KubeObject): void {
    const [group, name] = this.#groupOf(object)
    const known = group.get(name)
    known?.delete(key)
    if (known?.size === 0) group.delete(name)
  }

  #groupOf(object: KubeObject): readonly [Map<string, Set<string>>, string] {
    const uid = controllerOf(object)?.uid
    return uid === undefined ? [this.#orphans, object.metadata.namespace ?? ''] : [this.#owned, uid]
  }
}
