import { type IndexDefinition, ObjectIndex } from './object-index.ts'
import type { StoredObjects } from './stored-objects.ts'

/** The indexes over stored objects. Each is made when somebody first asks for it, and shared by all who do. */
export class ObjectIndexes {
  readonly #store: Pick<StoredObjects, 'latest' | 'latestIn' | 'watch'>
  readonly #indexes = new Map<IndexDefinition, ObjectIndex>()

  constructor(store: Pick<StoredObjects, 'latest' | 'latestIn' | 'watch'>) {
    this.#store = store
  }

  /** The index of this very definition. */
  of(definition: IndexDefinition): ObjectIndex {
    let index = this.#indexes.get(definition)
    if (index === undefined) this.#indexes.set(definition, (index = new ObjectIndex(this.#store, definition)))
    return index
  }

  stop(): void {
    for (const index of this.#indexes.values()) index.stop()
    this.#indexes.clear()
  }
}
