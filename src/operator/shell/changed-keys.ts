type KeyHandler = (key: string) => void

/** Gathers the keys of objects that change in one turn of the event loop, and reports each of them once. */
export class ChangedKeys {
  readonly #handlers = new Set<KeyHandler>()
  readonly #changed = new Set<string>()

  add(key: string): void {
    if (this.#changed.size === 0) setImmediate(() => this.#report())
    this.#changed.add(key)
  }

  /** Has every change been reported? */
  get isReported(): boolean {
    return this.#changed.size === 0
  }

  /** Calls a handler with the keys that are known, and from then on with those that change. Returns a function that ends this. */
  onChange(handler: KeyHandler, known: Iterable<string>): () => void {
    this.#handlers.add(handler)
    for (const key of known) handler(key)
    return () => void this.#handlers.delete(handler)
  }

  #report(): void {
    const keys = [...this.#changed]
    this.#changed.clear()
    for (const key of keys) for (const handler of this.#handlers) handler(key)
  }
}
