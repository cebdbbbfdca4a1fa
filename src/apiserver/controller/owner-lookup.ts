import type { OwnerReference } from '../../machinery/object.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { keyOf } from '../storing/outcome.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import { awaits, type OwnerState } from '../operation/collection-decision.ts'

/** Finds the owners of references, from the served kinds and the stored objects. */
export class OwnerLookup {
  readonly #registry: Registry
  readonly #store: StoredObjects
  /** Was this uid seen to go? Then its kind need not be served any more. */
  readonly #isGone: (uid: string) => boolean
  #kinds: ReadonlyMap<string, Resource> = new Map()
  #generation = -1

  constructor(registry: Registry, store: StoredObjects, isGone: (uid: string) => boolean) {
    this.#registry = registry
    this.#store = store
    this.#isGone = isGone
  }

  /**
   * An object in `namespace` (`''`: in none) may refer to owners in its namespace and to those in none. Another object of
   * the owner's name is not the owner.
   */
  stateOf(reference: OwnerReference, namespace: string): OwnerState {
    const { uid, name } = reference
    const resource = this.#resourceOf(reference)
    if (resource === undefined) return namespace !== '' && this.#isGone(uid) ? 'absent' : 'unknown'
    if (resource.served.namespaced && namespace === '') return 'unknown'
    if (this.#isGone(uid)) return 'absent'
    const owner = this.#store.latest(resource.bucket, keyOf(resource, namespace, name))?.object
    if (owner?.metadata.uid !== uid) return 'absent'
    return awaits(owner.metadata) === 'dependents' ? 'waiting' : 'present'
  }

  /** Is the owner in a namespace from which nothing in `namespace` may be owned? Looks into every namespace. */
  isForeign(reference: OwnerReference, namespace: string): boolean {
    const resource = this.#resourceOf(reference)
    if (resource?.served.namespaced !== true) return false
    for (const { key } of this.#store.latestIn('namespaces', undefined)) {
      if (key === namespace) continue
      const found = this.#store.latest(resource.bucket, keyOf(resource, key, reference.name))
      if (found?.object.metadata.uid === reference.uid) return true
    }
    return false
  }

  #resourceOf({ apiVersion, kind }: OwnerReference): Resource | undefined {
    if (this.#generation !== this.#registry.generation) {
      this.#generation = this.#registry.generation
      this.#kinds = new Map(this.#registry.all().map((one) => [`${one.apiVersion}/${one.served.kind}`, one]))
    }
    return this.#kinds.get(`${apiVersion}/${kind}`)
  }
}
