import type { KubeObject } from '../../machinery/object.ts'
import type { StoreEvent } from '../../store/record/event.ts'
import type { WatchHandle } from '../../store/revision/watchers.ts'
import type { StoredObjects } from './stored-objects.ts'

/** By what the objects of a bucket are found. */
export interface IndexDefinition {
  readonly bucket: string
  /** The terms under which an object is found. */
  readonly termsOf: (object: KubeObject) => readonly string[]
}

type Objects = Pick<StoredObjects, 'latest' | 'latestIn' | 'watch'>

/** Finds the stored objects of a bucket by terms, kept from the store's events: finding some costs only these. */
export class ObjectIndex {
  readonly #store: Objects
  readonly #definition: IndexDefinition
  readonly #keys = new Map<string, Set<string>>()
  readonly #watch: WatchHandle

  constructor(store: Objects, definition: IndexDefinition) {
    const { bucket } = definition
    this.#store = store
    this.#definition = definition
    this.#watch = store.watch({ bucket }, (event) => this.#notice(event))
    for (const { key, object } of store.latestIn(bucket, undefined)) this.#add(key, object)
  }

  /** The newest states of the objects that a term finds. */
  find(term: string): readonly KubeObject[] {
    const { bucket, termsOf } = this.#definition
    const found: KubeObject[] = []
    for (const key of this.#keys.get(term) ?? []) {
      const object = this.#store.latest(bucket, key)?.object
      // The store knows accepted writes that are not durable yet; the index does not.
      if (object !== undefined && termsOf(object).includes(term)) found.push(object)
    }
    return found
  }

  stop(): void {
    this.#watch.close()
  }

  #notice({ type, record, previous }: StoreEvent): void {
    if (previous !== undefined) this.#remove(record.key, previous.object)
    if (type !== 'deleted') this.#add(record.key, record.object)
  }

  #add(key: string, object: KubeObject): void {
    for (const term of this.#definition.termsOf(object)) {
      const known = this.#keys.get(term)
      if (known === undefined) this.#keys.set(term, new Set([key]))
      else known.add(key)
    }
  }

  #remove(key: string, object: KubeObject): void {
    for (const term of this.#definition.termsOf(object)) {
      const known = this.#keys.get(term)
      known?.delete(key)
      if (known?.size === 0) this.#keys.delete(term)
    }
  }
}
