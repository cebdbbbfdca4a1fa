interface Reads<T> {
  /** The read under way. */
  current: Promise<T>
  /** The next read. It begins when the current one has ended, and serves all who asked meanwhile. */
  next: Promise<T> | undefined
}

/**
 * Reads that begin after they are asked for. A read serves everybody who asks before it begins. At most one read of a
 * key runs at a time.
 */
export class JoinedReads<T> {
  readonly #read: (key: string) => Promise<T>
  readonly #reads = new Map<string, Reads<T>>()

  constructor(read: (key: string) => Promise<T>) {
    this.#read = read
  }

  /** Rejects as the read does. */
  of(key: string): Promise<T> {
    const known = this.#reads.get(key)
    if (known === undefined) return this.#begin(key)
    known.next ??= known.current.then(
      () => this.#begin(key),
      () => this.#begin(key),
    )
    return known.next
  }

  #begin(key: string): Promise<T> {
    const current = this.#read(key)
    const reads: Reads<T> = { current, next: undefined }
    this.#reads.set(key, reads)
    const end = (): void => {
      if (reads.next === undefined && this.#reads.get(key) === reads) this.#reads.delete(key)
    }
    current.then(end, end)
    return current
  }
}
