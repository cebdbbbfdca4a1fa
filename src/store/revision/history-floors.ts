/** The number of namespaces of a bucket with a floor of their own; the one that changed longest ago loses its own first. */
const MOST_NAMESPACES = 4096

interface BucketFloor {
  readonly everywhere: number
  /** The floor of the namespaces without one of their own. */
  readonly others: number
  /** In the order of their floors. */
  readonly namespaces: Map<string, number>
}

/**
 * From where on the history of a bucket, or of a namespace in it, is complete. Writes elsewhere do not count:
 * a client that is up to date with a quiet kind must be able to go on, however much was written to others.
 */
export class HistoryFloors {
  readonly #start: number
  readonly #buckets = new Map<string, BucketFloor>()

  /** `start`: what happened up to this revision is in no history. */
  constructor(start: number) {
    this.#start = start
  }

  /** An event has left the history; events leave in the order of their revisions. */
  raise(bucket: string, key: string, revision: number): void {
    const { others, namespaces } = this.#buckets.get(bucket) ?? { others: this.#start, namespaces: new Map() }
    const slash = key.indexOf('/')
    if (slash > 0) {
      const namespace = key.slice(0, slash)
      namespaces.delete(namespace)
      namespaces.set(namespace, revision)
    }
    const [first] = namespaces.size > MOST_NAMESPACES ? namespaces : []
    if (first !== undefined) namespaces.delete(first[0])
    this.#buckets.set(bucket, { everywhere: revision, others: first?.[1] ?? others, namespaces })
  }

  /** Everything behind this revision is in the history. */
  of(bucket: string, namespace: string | undefined): number {
    const floor = this.#buckets.get(bucket)
    if (floor === undefined) return this.#start
    return namespace === undefined ? floor.everywhere : (floor.namespaces.get(namespace) ?? floor.others)
  }
}
