import type { Place, World } from './world.ts'

/** The garbage collector: what an object owned goes with it, unless it has another owner. */
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
      this.#world.remove(next)
      left.push(
        ...this.#world.ownedBy(object.metadata.uid ?? '').filter((one) => this.#isOrphan(one, object.metadata.uid)),
      )
    }
  }

  /** Has an object no owner but the one that is gone? */
  #isOrphan({ of, namespace, name }: Place, gone: string | undefined): boolean {
    const owners = this.#world.find(of, namespace, name)?.metadata.ownerReferences ?? []
    return owners.every(({ uid }) => uid === gone || !this.#world.has(uid))
  }
}
