import type {
  KubeClient,
  ListCallOptions,
  Listed,
  ObjectName,
  Patch,
  ResourceKind,
  WatchCallOptions,
  WatchEvent,
} from '../../src/kube/client/kube-client.ts'
import { isObject, type KubeObject, type ObjectMeta } from '../../src/machinery/object.ts'
import { alreadyExists, conflict, notFound } from '../../src/machinery/status.ts'
import { mergePatch } from '../../src/schema/patch/merge.ts'

interface OpenWatch {
  readonly queue: WatchEvent<KubeObject>[]
  wake: () => void
}

interface Collection {
  readonly objects: Map<string, KubeObject>
  readonly watches: Set<OpenWatch>
}

/** An API server in the memory of this process, whose answers cost what decoding them costs: to measure what its client does. */
export class MemoryClient implements KubeClient {
  readonly #collections = new Map<string, Collection>()
  readonly #documents: Readonly<Record<string, unknown>>
  #revision = 1
  /** How often each resource was updated. */
  readonly updates = new Map<string, number>()

  /** `documents`: what is answered at paths, as discovery. */
  constructor(documents: Readonly<Record<string, unknown>>) {
    this.#documents = documents
  }

  /** Stores an object, and has the watches report it. */
  put({ resource }: Pick<ResourceKind, 'resource'>, object: KubeObject): KubeObject {
    const { objects, watches } = this.#of(resource)
    const key = keyOf(object.metadata)
    const before = objects.get(key)
    const stored: KubeObject = {
      ...object,
      metadata: {
        uid: before?.metadata.uid ?? crypto.randomUUID(),
        generation: 1,
        ...object.metadata,
        resourceVersion: String(++this.#revision),
      },
    }
    objects.set(key, stored)
    const type = before === undefined ? 'ADDED' : 'MODIFIED'
    for (const { queue, wake } of watches) {
      queue.push({ type, object: stored })
      wake()
    }
    return stored
  }

  async get<T extends KubeObject>(kind: ResourceKind, name: ObjectName): Promise<T> {
    return decoded(this.#existing(kind, name)) as T
  }

  async getMetadata(kind: ResourceKind, name: ObjectName): Promise<ObjectMeta> {
    return (await this.get(kind, name)).metadata
  }

  async list<T extends KubeObject>(kind: ResourceKind, options: ListCallOptions = {}): Promise<Listed<T>> {
    const pages = await Array.fromAsync(this.listPages<T>(kind, options))
    return { items: pages.flatMap(({ items }) => items), resourceVersion: String(this.#revision) }
  }

  async *listPages<T extends KubeObject>(kind: ResourceKind, options: ListCallOptions = {}): AsyncGenerator<Listed<T>> {
    const { namespace = '', fieldSelector = '', pageSize } = options
    const name = fieldSelector.startsWith('metadata.name=') ? fieldSelector.slice('metadata.name='.length) : undefined
    const items = [...this.#of(kind.resource).objects.values()].filter(
      ({ metadata }) =>
        (namespace === '' || metadata.namespace === namespace) && (name === undefined || metadata.name === name),
    )
    yield {
      items: (pageSize === 1 ? items.slice(0, 1) : items).map((item) => decoded(item)) as T[],
      resourceVersion: String(this.#revision),
    }
  }

  async create<T extends KubeObject>(kind: ResourceKind, object: T): Promise<T> {
    const { objects } = this.#of(kind.resource)
    if (objects.has(keyOf(object.metadata))) throw alreadyExists(kind, object.metadata.name ?? '')
    return decoded(this.put(kind, object)) as T
  }

  async update<T extends KubeObject>(kind: ResourceKind, object: T): Promise<T> {
    const { namespace = '', name = '', resourceVersion } = object.metadata
    const before = this.#existing(kind, { namespace, name })
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) throw conflict(kind, name)
    this.updates.set(kind.resource, (this.updates.get(kind.resource) ?? 0) + 1)
    return decoded(this.put(kind, decoded(object))) as T
  }

  async patch<T extends KubeObject>(kind: ResourceKind, name: ObjectName, patch: Patch): Promise<T> {
    const patched = mergePatch(this.#existing(kind, name), patch.body)
    if (!isObject(patched)) throw new Error('only merge patches are understood')
    return decoded(this.put(kind, patched as unknown as KubeObject)) as T
  }

  async patchMetadata(kind: ResourceKind, name: ObjectName, patch: Patch): Promise<ObjectMeta> {
    return (await this.patch(kind, name, patch)).metadata
  }

  async delete(): Promise<void> {
    throw new Error('nothing is deleted here')
  }

  async *watch<T extends KubeObject>(kind: ResourceKind, { signal }: WatchCallOptions): AsyncGenerator<WatchEvent<T>> {
    const { watches } = this.#of(kind.resource)
    const watch: OpenWatch = { queue: [], wake: () => undefined }
    watches.add(watch)
    signal?.addEventListener('abort', () => watch.wake())
    for (;;) {
      if (signal?.aborted === true) break
      const event = watch.queue.shift()
      if (event === undefined) await new Promise<void>((resolve) => (watch.wake = resolve))
      else yield event as WatchEvent<T>
    }
    watches.delete(watch)
  }

  async request(_: string, path: string): Promise<unknown> {
    const document = this.#documents[path]
    if (document === undefined) throw notFound({ group: '', resource: path }, '')
    return document
  }

  #of(resource: string): Collection {
    const known = this.#collections.get(resource)
    if (known !== undefined) return known
    const made: Collection = { objects: new Map(), watches: new Set() }
    this.#collections.set(resource, made)
    return made
  }

  #existing(kind: ResourceKind, name: ObjectName): KubeObject {
    const object = this.#of(kind.resource).objects.get(keyOf(name))
    if (object === undefined) throw notFound(kind, name.name)
    return object
  }
}

const keyOf = ({ namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string }): string =>
  `${namespace}/${name}`

const decoded = (object: KubeObject): KubeObject => JSON.parse(JSON.stringify(object)) as KubeObject
