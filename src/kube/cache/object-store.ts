/** One object of a store. It stays the same one while the object changes, so that indexes need no update. */
export interface Entry<T> {
  readonly namespace: string
  readonly name: string
  uid: string
  /** Its `metadata.resourceVersion`. */
  version: string
  value: T
  /** By which of the functions that were asked for in turn its value was kept. */
  kept: number
  /** Of which list it was a part last. */
  round: number
  /** The versions that this process has written, and the watch has not shown yet. */
  ownVersions?: Set<string> | undefined
}

export type IndexFunctions<T, I extends string> = Readonly<Record<I, (value: T) => readonly string[]>>

/** The facts about an object to put. */
export type Stored<T> = Omit<Entry<T>, 'round' | 'ownVersions'>

/** Objects by namespace and name, and by the keys that index functions give them. */
export class ObjectStore<T, I extends string> {
  readonly #namespaces = new Map<string, Map<string, Entry<T>>>()
  readonly #indexes: Map<string, Index<T>>
  #size = 0

  constructor(functions?: IndexFunctions<T, I>) {
    this.#indexes = new Map(
      Object.entries<(value: T) => readonly string[]>(functions ?? {}).map(([name, keysOf]) => [
        name,
        new Index(keysOf),
      ]),
    )
  }

  get size(): number {
    return this.#size
  }

  entry(namespace: string, name: string): Entry<T> | undefined {
    return this.#namespaces.get(namespace)?.get(name)
  }

  /** Those of one namespace, or all. */
  *entries(namespace?: string): Generator<Entry<T>> {
    const all =
      namespace === undefined ? this.#namespaces.values() : [this.#namespaces.get(namespace) ?? new Map<never, never>()]
    for (const names of all) yield* names.values()
  }

  add(stored: Stored<T>, round: number): Entry<T> {
    const entry: Entry<T> = { ...stored, round }
    const names = this.#namespaces.get(entry.namespace)
    if (names === undefined) this.#namespaces.set(entry.namespace, new Map([[entry.name, entry]]))
    else names.set(entry.name, entry)
    this.#size++
    for (const index of this.#indexes.values()) index.move(entry, undefined, entry.value)
    return entry
  }

  /** Gives an entry another state of the same object. */
  change(entry: Entry<T>, { version, value, kept }: Pick<Entry<T>, 'version' | 'value' | 'kept'>): void {
    const old = entry.value
    entry.kept = kept
    entry.version = version
    entry.value = value
    for (const index of this.#indexes.values()) index.move(entry, old, value)
  }

  remove(entry: Entry<T>): void {
    const names = this.#namespaces.get(entry.namespace)
    if (names?.get(entry.name) !== entry) return
    names.delete(entry.name)
    if (names.size === 0) this.#namespaces.delete(entry.namespace)
    this.#size--
    for (const index of this.#indexes.values()) index.move(entry, entry.value, undefined)
  }

  /** Adds an index; it has what is there already. */
  addIndex(name: I, keysOf: (value: T) => readonly string[]): void {
    const index = new Index(keysOf)
    for (const entry of this.entries()) index.move(entry, undefined, entry.value)
    this.#indexes.set(name, index)
  }

  removeIndex(name: I): void {
    this.#indexes.delete(name)
  }

  /** The values with this key; the cost is that of the answer. */
  by(index: I, key: string): readonly T[] {
    return Array.from(this.#indexes.get(index)?.get(key) ?? [], ({ value }) => value)
  }

  keysOf(index: I): readonly string[] {
    return [...(this.#indexes.get(index)?.keys() ?? [])]
  }
}

class Index<T> {
  readonly #keysOf: (value: T) => readonly string[]
  readonly #buckets = new Map<string, Set<Entry<T>>>()

  constructor(keysOf: (value: T) => readonly string[]) {
    this.#keysOf = keysOf
  }

  get(key: string): ReadonlySet<Entry<T>> | undefined {
    return this.#buckets.get(key)
  }

  keys(): Iterable<string> {
    return this.#buckets.keys()
  }

  /** Takes an entry from the keys of its old value to those of its new one. */
  move(entry: Entry<T>, old: T | undefined, value: T | undefined): void {
    const before = old === undefined ? [] : this.#keysOf(old)
    const after = value === undefined ? [] : this.#keysOf(value)
    for (const key of before) if (!after.includes(key)) this.#drop(key, entry)
    for (const key of after) {
      const bucket = this.#buckets.get(key)
      if (bucket === undefined) this.#buckets.set(key, new Set([entry]))
      else bucket.add(entry)
    }
  }

  #drop(key: string, entry: Entry<T>): void {
    const bucket = this.#buckets.get(key)
    bucket?.delete(entry)
    if (bucket?.size === 0) this.#buckets.delete(key)
  }
}
