import type { PoolRelease, ResourcePool } from '../../api/resource-pool.ts'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../../../quantity/resource-list.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { sumOf } from '../ledger/sums.ts'
import { entriesOf, releaseOf } from '../ledger/entries.ts'

/** On a ResourceQuota of ours: the token of the release for which it was written last. */
export const RELEASE_TOKEN = 'allot.dev/release-token'

/** The pool's ResourceQuotas, by namespace, as they were last seen. */
export type Quotas = ReadonlyMap<string, ResourceQuota>

/**
 * The amounts that the ledger grants one namespace, and those that its ResourceQuota allows. All amounts are claimed parts: limits less
 * the pool's defaults. A resource that a quota does not limit has no claimed part.
 */
export class NamespaceView {
  readonly namespace: string
  readonly quota: ResourceQuota | undefined
  /** The sum of its claims. */
  readonly target: ResourceList
  readonly release: PoolRelease | undefined
  /** The amounts that it gave back. */
  readonly room: ResourceList
  readonly #defaults: ResourceList
  readonly #asked: ResourceList
  readonly #enforced: ResourceList
  readonly #used: ResourceList

  constructor(pool: ResourcePool, namespace: string, quota: ResourceQuota | undefined) {
    this.namespace = namespace
    this.quota = quota
    this.target = sumOf(entriesOf(pool.status?.claims, namespace))
    this.release = releaseOf(pool.status?.releasing, namespace)
    this.room = amountsOf(this.release?.room)
    this.#defaults = amountsOf(pool.spec.defaults)
    this.#asked = amountsOf(quota?.spec?.hard)
    this.#enforced = amountsOf(quota?.status?.hard)
    this.#used = amountsOf(quota?.status?.used)
  }

  /** Has the quota been written since the ledger took the release up? Then no older write can come after it. */
  get isFenced(): boolean {
    const token = this.release?.token
    return token !== undefined && this.quota?.metadata.annotations?.[RELEASE_TOKEN] === token
  }

  targetOf(name: string): Quantity {
    return quantityOf(this.target, name) ?? Quantity.zero
  }

  roomOf(name: string): Quantity {
    return quantityOf(this.room, name) ?? Quantity.zero
  }

  /** The claimed part of `spec.hard`; undefined where it does not limit the resource. */
  askedOf(name: string): Quantity | undefined {
    return this.#claimedPart(this.#asked, name)
  }

  /** The most that is or may become allowed: by `status.hard`, or by `spec.hard` before the server has taken it over. */
  allowedOf(name: string): Quantity {
    const asked = this.askedOf(name) ?? Quantity.zero
    const enforced = this.#claimedPart(this.#enforced, name) ?? Quantity.zero
    return asked.cmp(enforced) > 0 ? asked : enforced
  }

  /**
   * How much of the room workloads use: what is used beyond the target, at most the room. Undefined while the server has not
   * counted the resource. A resource that it limits but never counts cannot be used.
   */
  occupiedOf(name: string): Quantity | undefined {
    if (quantityOf(this.#enforced, name) === undefined) return undefined
    const used = this.#claimedPart(this.#used, name) ?? Quantity.zero
    const beyond = used.sub(this.targetOf(name))
    const room = this.roomOf(name)
    if (beyond.sign() <= 0) return Quantity.zero
    return beyond.cmp(room) < 0 ? beyond : room
  }

  #claimedPart(list: ResourceList, name: string): Quantity | undefined {
    const amount = quantityOf(list, name)
    const extra = quantityOf(this.#defaults, name)
    return amount === undefined || extra === undefined ? amount : amount.sub(extra)
  }
}
