import type { ResourcePool, ResourcePoolStatus } from '../api/resource-pool.ts'

interface Tried {
  readonly why: string
  readonly tries: number
  /** Not before this time of the monotonic clock is it tried again. */
  readonly notBefore: number
}

/** After the first vain try; each further one takes twice as long, up to `MAX_MS`. */
const FIRST_MS = 5_000
const MAX_MS = 60_000

/** A namespace and its obstacle, as the status of a pool lists them. */
export interface ListedObstacle {
  readonly name: string
  readonly message: string
}

/**
 * The namespaces in which a pool cannot write its object, with the time of the next try. No event reports that an
 * obstacle goes, since it may lack the labels of the pool. After a restart the status of the pool shows the known
 * obstacles.
 */
export class NamespaceObstacles {
  readonly #pools = new Map<string, Map<string, Tried>>()
  readonly #listed: (status: ResourcePoolStatus) => readonly ListedObstacle[] | undefined

  /** `listed`: the obstacles in the status of a pool. */
  constructor(listed: (status: ResourcePoolStatus) => readonly ListedObstacle[] | undefined) {
    this.#listed = listed
  }

  /** Why the pool does not have what it keeps, by namespace. */
  of(pool: ResourcePool): ReadonlyMap<string, string> {
    return new Map([...this.#of(pool)].map(([namespace, { why }]) => [namespace, why]))
  }

  /** May it be written there at this time of the monotonic clock? */
  mayTry(pool: ResourcePool, namespace: string, at: number): boolean {
    return (this.#of(pool).get(namespace)?.notBefore ?? 0) <= at
  }

  /**
   * After how many milliseconds the first of them that may not be tried at `looked` may be; undefined where none waits. `looked`: the time that
   * `mayTry` was asked about. With a later one, a try that came due meanwhile would be lost.
   */
  nextTry(pool: ResourcePool, looked: number): number | undefined {
    const waits = [...this.#of(pool).values()].map(({ notBefore }) => notBefore - looked).filter((ms) => ms > 0)
    return waits.length === 0 ? undefined : Math.min(...waits)
  }

  /** It was tried in vain. Gives whether this was not known. */
  failed(pool: ResourcePool, namespace: string, why: string, now: number): boolean {
    const before = this.#of(pool).get(namespace)
    const tries = (before?.tries ?? 0) + 1
    const ms = Math.min(FIRST_MS * 2 ** (tries - 1), MAX_MS)
    this.#of(pool).set(namespace, { why, tries, notBefore: now + ms })
    return before?.why !== why
  }

  /** Nothing is in the way there any more. */
  clear(pool: ResourcePool, namespace: string): void {
    this.#of(pool).delete(namespace)
  }

  /** The pool is gone. */
  forget(name: string): void {
    this.#pools.delete(name)
  }

  #of({ metadata: { name = '' }, status }: ResourcePool): Map<string, Tried> {
    const known = this.#pools.get(name)
    if (known !== undefined) return known
    const obstacles = new Map(
      ((status && this.#listed(status)) ?? []).map((one) => [one.name, { why: one.message, tries: 0, notBefore: 0 }]),
    )
    this.#pools.set(name, obstacles)
    return obstacles
  }
}
