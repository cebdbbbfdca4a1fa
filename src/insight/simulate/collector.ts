import { claimsOf, mayRun } from '../../kinds/core/volume/pod-claims.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { OWN_FINALIZERS } from '../../machinery/own-finalizers.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import type { Place, World } from './world.ts'

const CLAIMS: GroupResource = { group: '', resource: 'persistentvolumeclaims' }
const PODS: GroupResource = { group: '', resource: 'pods' }

/** The garbage collector: what an object owned goes with it, unless it has another owner. A PersistentVolumeClaim stays until no pod needs it. */
export class Collector {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  remove(place: Place): void {
    const left: Place[] = [place]
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const object = this.#world.find(next.of, next.namespace, next.name)
      if (object === undefined) continue
      if (this.#isNeeded(next, object)) {
        const deletionTimestamp = this.#world.timestamp(this.#world.now)
        this.#world.write(next.of, { ...object, metadata: { ...object.metadata, deletionTimestamp } })
        continue
      }
      this.#world.remove(next)
      left.push(...this.#freedBy(next, object))
      left.push(
        ...this.#world.ownedBy(object.metadata.uid ?? '').filter((one) => this.#isOrphan(one, object.metadata.uid)),
      )
    }
  }

  #isNeeded({ of, namespace, name }: Place, { metadata }: KubeObject): boolean {
    if (qualified(of) !== qualified(CLAIMS) || metadata.finalizers?.includes(OWN_FINALIZERS.claim) !== true)
      return false
    return this.#world.list(PODS, namespace).some((pod) => mayRun(pod) && claimsOf(pod).includes(name))
  }

  /** The PersistentVolumeClaims that only waited for a pod to go. */
  #freedBy({ of, namespace }: Place, object: KubeObject): readonly Place[] {
    if (qualified(of) !== qualified(PODS)) return []
    return claimsOf(object)
      .filter((name) => this.#world.find(CLAIMS, namespace, name)?.metadata.deletionTimestamp !== undefined)
      .map((name) => ({ of: CLAIMS, namespace, name }))
  }

  /** Has an object no owner but the one that is gone? */
  #isOrphan({ of, namespace, name }: Place, gone: string | undefined): boolean {
    const owners = this.#world.find(of, namespace, name)?.metadata.ownerReferences ?? []
    return owners.every(({ uid }) => uid === gone || !this.#world.has(uid))
  }
}
