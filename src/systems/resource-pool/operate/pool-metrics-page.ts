import type { Registry } from '@prometheus-io/client'
import { CLAIM_METRICS, claimMetrics, POOL_METRICS, poolMetrics, type Sample } from '../decide/pool-metrics.ts'
import { QuantityError } from '../../../quantity/quantity.ts'
import { showGauges } from '../../../operator/shell/read-gauges.ts'
import type { PoolCaches } from './pool-caches.ts'

/** Shows Prometheus what pools and claims are like. */
export function showPoolMetrics(registry: Registry, caches: PoolCaches): void {
  showGauges(registry, { ...POOL_METRICS, ...CLAIM_METRICS }, () => samplesOf(caches))
}

function* samplesOf(caches: PoolCaches): Iterable<Sample> {
  for (const pool of caches.pools.list()) yield* readable(() => poolMetrics(pool))
  for (const claim of caches.claims.list()) yield* readable(() => claimMetrics(claim))
}

/** An object with an invalid amount has no figures. */
function readable(samples: () => readonly Sample[]): readonly Sample[] {
  try {
    return samples()
  } catch (error) {
    if (error instanceof QuantityError) return []
    throw error
  }
}
