import { isLaterPool } from './later-pools.ts'
import { resourcePool } from '../api/resource-pool.ts'
import { resourcePoolClaim } from '../api/claim.ts'
import { type LimitReading, limitReadings } from '../../../insight/history/limit-reading.ts'
import { POOL_NEEDS } from '../../../install/rbac/system-needs.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { Controller } from '../../../operator/shell/controller.ts'
import type { Enqueue, RunningSystem } from '../../../operator/shell/running-system.ts'
import type { OperatorContext, OperatorSystem } from '../../../operator/system.ts'
import { ClaimController } from './claim-controller.ts'
import { ClaimWriter } from './claim-writer.ts'
import { CLAIMS, IDLE_CLAIMS, IDLE_POOLS, POOLS, QUOTA_STATUSES, STRAYS } from './pool-controllers.ts'
import { PoolCaches } from './pool-caches.ts'
import { PoolController } from './pool-controller.ts'
import { poolHooks } from './pool-hooks.ts'
import { IdleLimitKeeper } from '../../generated-quota/operate/idle-limit-keeper.ts'
import { claimLimits, poolLimits } from '../decide/idle-pool-limits.ts'
import { AdmittedUsage } from '../../generated-quota/operate/admitted-usage.ts'
import { QuotaStatusKeeper } from '../../generated-quota/operate/quota-status-keeper.ts'
import { QuotaWriter } from './quota-writer.ts'
import { StrayClaimController } from './stray-claim-controller.ts'
import type { Registry } from '@prometheus-io/client'
import { claimSeries } from '../decide/claim-series.ts'
import { CLAIM_METRICS, POOL_METRICS, type PoolSample, poolMetrics } from '../decide/pool-metrics.ts'
import { ifReadable } from '../../../quantity/quantity.ts'
import { showGauges } from '../../../operator/shell/read-gauges.ts'

/** ResourcePools and ResourcePoolClaims. `workers`: how many pools are reconciled at a time; `admitted`: what allot admits for their quotas. */
export function poolSystem(workers: number, admitted = new AdmittedUsage()): OperatorSystem {
  return {
    name: 'resource-pools',
    crds: [resourcePool.crd, resourcePoolClaim.crd] as unknown as readonly KubeObject[],
    needs: POOL_NEEDS,
    start: (context) => new RunningPools(context, workers, admitted),
  }
}

class RunningPools implements RunningSystem {
  readonly #context: OperatorContext
  readonly #workers: number
  readonly #caches: PoolCaches
  readonly #limits: LimitCheck

  constructor(context: OperatorContext, workers: number, admitted: AdmittedUsage) {
    const { client, clock, webhooks, registry, ownName } = context
    this.#context = context
    this.#workers = workers
    this.#caches = new PoolCaches(context.caches, admitted)
    const limits = new LimitCheck({ client, clock })
    this.#limits = limits
    const hook = (): void => webhooks.set(...poolHooks({ client, limits, clock, caches: this.#caches, ownName }))
    hook()
    // The name of the operator is heard with the first proof.
    webhooks.onLive(hook)
    showPoolMetrics(registry, this.#caches)
  }

  controllers(enqueue: Enqueue): readonly Controller[] {
    const context = this.#context
    const caches = this.#caches
    const lookAtPool = (key: string, part: string): void => enqueue(POOLS, { key, part })
    const lookAtStray = (key: string): void => enqueue(STRAYS, { key })
    const claims = new ClaimController({
      writer: new ClaimWriter(context, caches),
      clock: context.clock,
      enqueue: (request) => enqueue(CLAIMS, request),
      lookAtPool,
      lookAtStray,
    })
    const quotas = new QuotaWriter(context, caches)
    return [
      claims,
      new PoolController({ context, caches, claims, quotas, workers: this.#workers, lookAtStray }),
      new StrayClaimController({ caches, claims, clock: context.clock, lookAtPool }),
      new QuotaStatusKeeper({ name: QUOTA_STATUSES, context, quotas: caches.quotas }),
      new IdleLimitKeeper({
        name: IDLE_POOLS,
        context,
        kind: resourcePool,
        objects: caches.pools,
        limits: this.#limits,
        limitsOf: (pool) => poolLimits(pool, undefined),
        conditionsOf: ({ status }) => status?.conditions,
        leaves: isLaterPool,
      }),
      new IdleLimitKeeper({
        name: IDLE_CLAIMS,
        context,
        kind: resourcePoolClaim,
        objects: caches.claims,
        limits: this.#limits,
        limitsOf: (claim) => claimLimits(claim, undefined),
        conditionsOf: ({ status }) => status?.conditions,
      }),
    ]
  }

  *readings(): Generator<LimitReading> {
    for (const { kind, metadata, status } of this.#caches.pools.list())
      yield* limitReadings(kind, metadata, status?.allocation?.hard, status?.allocation?.used)
  }
}

/** Shows Prometheus what pools and claims are like. */
function showPoolMetrics(registry: Registry, caches: PoolCaches): void {
  showGauges(registry, { ...POOL_METRICS, ...CLAIM_METRICS }, () => samplesOf(caches))
}

function* samplesOf(caches: PoolCaches): Iterable<PoolSample> {
  // A pool with an invalid amount has no figures.
  for (const pool of caches.pools.list()) yield* ifReadable(() => poolMetrics(pool), [])
  yield* claimSeries(caches.claims.list())
}
