import type { AmountBook } from '../../grants/pools/amount-book.ts'
import { strayOutcome } from '../../grants/pools/choose-pool.ts'
import type { ClaimQueue } from './claim-queue.ts'
import type { PoolCaches } from './pool-caches.ts'
import { homePool } from './pool-view.ts'

export interface StrayClaimControllerOptions {
  readonly caches: PoolCaches
  readonly claims: ClaimQueue
  readonly book: AmountBook
  /** Asks for a look at a namespace of a pool. */
  readonly lookAt: (pool: string, namespace: string) => void
}

/** Sees to claims that no pool decides about: they say why, and go to a pool as soon as there is one for them. */
export class StrayClaimController {
  readonly #options: StrayClaimControllerOptions

  constructor(options: StrayClaimControllerOptions) {
    this.#options = options
  }

  /** `key`: `namespace/name` of the claim. */
  reconcile(key: string): void {
    const { caches, claims, book, lookAt } = this.#options
    const [namespace = '', name = ''] = key.split('/')
    const claim = caches.claims.get(namespace, name)
    if (claim === undefined) return
    const home = homePool(caches, claim, book)
    if (home !== undefined) return lookAt(home.metadata.name ?? '', namespace)
    claims.put([strayOutcome(claim, caches.pools.list())], undefined)
  }
}
