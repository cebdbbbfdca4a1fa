/** The parts of an object that are to be looked at; undefined: all of it. */
export type Parts = ReadonlySet<string> | undefined

/**
 * The dirty set of a controller: the parts of objects that changed since the last reconcile, such as namespaces of a
 * pool. An object that was not reconciled yet is dirty as a whole.
 */
export class DirtySet {
  readonly #parts = new Map<string, Set<string> | undefined>()

  /** Something changed in a part; without one, anywhere in the object. */
  mark(key: string, part?: string): void {
    if (!this.#parts.has(key)) return
    if (part === undefined) this.#parts.set(key, undefined)
    else this.#parts.get(key)?.add(part)
  }

  markAll(key: string, parts: Iterable<string>): void {
    for (const part of parts) this.mark(key, part)
  }

  /** Takes the dirty parts; from here on the key is clean, and marks are for the next time. */
  take(key: string): Parts {
    const parts = this.#parts.get(key)
    this.#parts.set(key, new Set())
    return parts
  }

  /** Marks the taken parts again, because their reconcile failed. */
  restore(key: string, parts: Parts): void {
    if (parts === undefined) this.forget(key)
    else this.markAll(key, parts)
  }

  /** The object is gone, or nothing is known of it any more. */
  forget(key: string): void {
    this.#parts.delete(key)
  }
}
