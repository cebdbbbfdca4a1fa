import type { PoolRelease, ResourcePool } from '../../api/resource-pool.ts'
import { setOwn } from '../../../../machinery/json-value.ts'
import type { Quantity } from '../../../../quantity/quantity.ts'
import { formatResourceList, isZero, type ResourceList, resourceNames } from '../../../../quantity/resource-list.ts'
import { NamespaceView, type Quotas } from './view.ts'

export interface LowerInput {
  readonly pool: ResourcePool
  readonly quotas: Quotas
  /**
   * Namespaces that the pool has left, and that have no ResourceQuota of it by a live read after the pool was read. A
   * cache does not prove this, because it may not have seen a new quota yet.
   */
  readonly gone?: ReadonlySet<string>
  /** The namespaces whose quotas are given; left out: all. Other releases stay as they are. */
  readonly within?: ReadonlySet<string>
}

/**
 * Returns the pool with its releases brought up to date. `allocate` can then give the freed room to others in the same
 * compare-and-swap. A release shrinks to what its quota still allows or workloads still use. The token on the quota
 * proves that nobody who read an older pool can raise the quota again; a low limit alone does not. Returns the same
 * object if nothing changes.
 */
export function lowerReleases({ pool, quotas, gone, within }: LowerInput): ResourcePool {
  const { status } = pool
  if (status?.releasing === undefined) return pool
  const served = new Set(status.namespaces ?? [])
  const after: Record<string, PoolRelease> = {}
  let isChanged = false
  for (const [namespace, release] of Object.entries(status.releasing)) {
    if (within?.has(namespace) === false) {
      setOwn(after, namespace, release)
      continue
    }
    const view = new NamespaceView(pool, namespace, quotas.get(namespace))
    const isGone = !served.has(namespace) && gone?.has(namespace) === true
    const next = isGone ? undefined : lowered(view, release, pool.metadata.resourceVersion ?? '')
    isChanged ||= next !== release
    if (next !== undefined) setOwn(after, namespace, next)
  }
  if (!isChanged) return pool
  const { releasing: _, ...others } = status
  const releasing = Object.keys(after).length === 0 ? {} : { releasing: after }
  return { ...pool, status: { ...others, ...releasing } }
}

/** How one release goes on: undefined when it is over, itself when it stays as it is. */
function lowered(view: NamespaceView, release: PoolRelease, token: string): PoolRelease | undefined {
  if (release.token === undefined) return isOccupied(view) ? release : { ...release, token }
  if (!view.isFenced) return release
  const names = resourceNames(view.room)
  const rest = names.map((name) => [name, restOf(view, name)] as const)
  const room: ResourceList = Object.fromEntries(rest.filter(([, amount]) => !amount.isZero()))
  if (isZero(room)) return undefined
  // The rest is used, as far as it is no longer being lowered: it stays, and needs no token until less of it is used.
  const isLowered = resourceNames(room).every((name) => {
    const occupied = view.occupiedOf(name)
    return occupied !== undefined && occupied.equals(restOf(view, name))
  })
  if (!isLowered && names.every((name) => restOf(view, name).equals(view.roomOf(name)))) return release
  return { room: formatResourceList(room), ...(isLowered ? {} : { token: release.token }) }
}

/** Returns the part of a release that must stay: the quota's limit beyond the target, and the usage of it, at most the room. */
function restOf(view: NamespaceView, name: string): Quantity {
  const room = view.roomOf(name)
  const occupied = view.occupiedOf(name)
  if (occupied === undefined) return room
  const allowed = view.allowedOf(name).sub(view.targetOf(name))
  const rest = allowed.cmp(occupied) > 0 ? allowed : occupied
  return rest.cmp(room) < 0 ? rest : room
}

/** Reports whether workloads still use all of the room that was left to them. An unknown usage counts as used. */
function isOccupied(view: NamespaceView): boolean {
  return resourceNames(view.room).every((name) => view.occupiedOf(name)?.equals(view.roomOf(name)) ?? true)
}
