import { conditionOf } from '../../../../api/condition.ts'
import { BOUND } from '../../api/pool-names.ts'
import type { ResourcePoolClaim } from '../../api/claim.ts'
import type { ResourceQuotaStatus } from '../../../../kinds/resource-quota/resource-quota.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../../../quantity/resource-list.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import type { ClaimState } from './state.ts'
import { knownUse } from './memory.ts'
import { claimedUsage, selectUsedClaims } from './used.ts'

/** A claim and what it has. */
export interface Holding {
  readonly claim: ResourcePoolClaim
  readonly request: ResourceList
}

/** Reads from the quotas of a pool's namespaces which claims are used. */
export class UsageReader {
  readonly #statuses: Readonly<Record<string, ResourceQuotaStatus>>
  readonly #hard: ResourceList
  readonly #defaults: ResourceList

  constructor(statuses: Readonly<Record<string, ResourceQuotaStatus>>, hard: ResourceList, defaults: ResourceList) {
    this.#statuses = statuses
    this.#hard = hard
    this.#defaults = defaults
  }

  /**
   * Returns the used claims; `claims` come in the order of `byAge`. Returns undefined while the quota does not yet
   * allow all that they got. Readers of the condition rely on a claim that is reported as unused.
   */
  inUse(namespace: string, claims: readonly ClaimState[], claimed: ResourceList): ReadonlySet<ClaimState> | undefined {
    const status = this.#statusOf(namespace)
    if (status === undefined) return undefined
    return knownUse(status, claims, [claimed, this.#defaults, this.#hard], () =>
      this.#allows(status, claimed) ? selectUsedClaims(claims, this.#usage(status)) : undefined,
    )
  }

  /** Returns the claims that are used as far as is known: by the quota, else by their last condition. */
  usedNow(namespace: string, claims: readonly Holding[]): ReadonlySet<ResourcePoolClaim> {
    const status = this.#statusOf(namespace)
    const used =
      status?.used === undefined
        ? claims.filter(({ claim }) => isBound(claim))
        : [...selectUsedClaims(claims, this.#usage(status))]
    return new Set(used.map(({ claim }) => claim))
  }

  /**
   * Reports whether these amounts cover what workloads use of the resources of a claim. It is false while the usage is
   * not known.
   */
  isCovered(namespace: string, amounts: ResourceList, claim: ResourceList): boolean {
    const status = this.#statusOf(namespace)
    if (status?.used === undefined) return false
    const usage = this.#usage(status)
    return Object.entries(claim).every(([name, amount]) => {
      const used = quantityOf(usage, name)
      if (used === undefined || amount.sign() <= 0) return true
      return (quantityOf(amounts, name) ?? Quantity.zero).cmp(used) >= 0
    })
  }

  #statusOf(namespace: string): ResourceQuotaStatus | undefined {
    return Object.hasOwn(this.#statuses, namespace) ? this.#statuses[namespace] : undefined
  }

  #usage({ used }: ResourceQuotaStatus): ResourceList {
    return claimedUsage(amountsOf(used), this.#defaults, this.#hard)
  }

  #allows({ hard }: ResourceQuotaStatus, claimed: ResourceList): boolean {
    if (hard === undefined) return Object.values(claimed).every((amount) => amount.isZero())
    const allowed = amountsOf(hard)
    return Object.entries(claimed).every(([name, amount]) => {
      if (amount.isZero()) return true
      const limit = quantityOf(allowed, name)
      const extra = quantityOf(this.#defaults, name)
      return limit !== undefined && limit.cmp(extra === undefined ? amount : amount.add(extra)) >= 0
    })
  }
}

/** Is the claim used, as its condition says? */
export function isBound({ status }: Pick<ResourcePoolClaim, 'status'>): boolean {
  return conditionOf(status?.conditions, BOUND)?.status === 'True'
}
