interface Marked {
  /** Undefined: all of the pool's. */
  namespaces: Set<string> | undefined
}

/**
 * In which namespaces of which pool something may not be as it should: what changed since the last look, and what was not at
 * rest then. A pool that was not looked at yet, or that failed, is looked at as a whole.
 */
export class PoolAttention {
  readonly #marked = new Map<string, Marked>()

  /** Something changed in a namespace; without one, anywhere in the pool. */
  mark(pool: string, namespace?: string): void {
    const marked = this.#marked.get(pool)
    if (marked === undefined) return
    if (namespace === undefined) marked.namespaces = undefined
    else marked.namespaces?.add(namespace)
  }

  /** Where to look now, undefined for everywhere; from here on marks are for the next time. */
  take(pool: string): ReadonlySet<string> | undefined {
    const namespaces = this.#marked.get(pool)?.namespaces
    this.#marked.set(pool, { namespaces: new Set() })
    return namespaces
  }

  /** Looks there next time too. */
  keep(pool: string, namespaces: Iterable<string>): void {
    for (const namespace of namespaces) this.mark(pool, namespace)
  }

  /** What was taken was looked at in vain. */
  failed(pool: string, namespaces: ReadonlySet<string> | undefined): void {
    if (namespaces === undefined) this.forget(pool)
    else this.keep(pool, namespaces)
  }

  /** The pool is gone, or nothing is known of it any more. */
  forget(pool: string): void {
    this.#marked.delete(pool)
  }
}
