import type { Registry } from '@prometheus-io/client'
import type { ResourcePool } from '../api/resource-pool.ts'
import { claimSeries } from '../decide/claim-series.ts'
import { CLAIM_METRICS, POOL_METRICS, poolMetrics, type Sample } from '../decide/pool-metrics.ts'
import { QuantityError } from '../../../quantity/quantity.ts'
import { showGauges } from '../../../operator/shell/read-gauges.ts'
import type { PoolCaches } from './pool-caches.ts'

/** Shows Prometheus what pools and claims are like. */
export function showPoolMetrics(registry: Registry, caches: PoolCaches): void {
  showGauges(registry, { ...POOL_METRICS, ...CLAIM_METRICS }, () => samplesOf(caches))
}

function* samplesOf(caches: PoolCaches): Iterable<Sample> {
  for (const pool of caches.pools.list()) yield* readable(pool)
  yield* claimSeries(caches.claims.list())
}

/** A pool with an invalid amount has no figures. */
function readable(pool: ResourcePool): readonly Sample[] {
  try {
    return poolMetrics(pool)
  } catch (error) {
    if (error instanceof QuantityError) return []
    throw error
  }
}
