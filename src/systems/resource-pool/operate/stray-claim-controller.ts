import { strayOutcome } from '../decide/choose-pool.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import type { Controller, ReconcileResult } from '../../../operator/shell/controller.ts'
import type { ClaimController } from './claim-controller.ts'
import { STRAYS } from './pool-controllers.ts'
import type { PoolCaches } from './pool-caches.ts'
import { homePool } from './pool-view.ts'

export interface StrayClaimControllerOptions {
  readonly caches: PoolCaches
  readonly claims: ClaimController
  readonly clock: Pick<Clock, 'now'>
  /** Asks for a look at a namespace of a pool. */
  readonly lookAtPool: (pool: string, namespace: string) => void
}

/** Handles claims that no pool decides about. It writes the reason to their status, and assigns a pool as soon as there is one for them. */
export class StrayClaimController implements Controller {
  readonly name = STRAYS
  readonly sources = []
  readonly #options: StrayClaimControllerOptions

  constructor(options: StrayClaimControllerOptions) {
    this.#options = options
  }

  /** `key`: `namespace/name` of the claim. */
  async reconcile(key: string): Promise<ReconcileResult> {
    const { caches, claims, clock, lookAtPool } = this.#options
    const [namespace = '', name = ''] = key.split('/')
    const claim = caches.claims.get(namespace, name)
    if (claim === undefined) return {}
    const home = homePool(caches, claim)
    if (home === undefined)
      claims.put(
        [strayOutcome(claim, caches.pools.list(), caches.namespaces.get('', namespace), clock.now())],
        undefined,
      )
    else lookAtPool(home.metadata.name ?? '', namespace)
    return {}
  }
}
