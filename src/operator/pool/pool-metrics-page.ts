import {
  Gauge,
  type GaugeConfiguration,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from '@prometheus-io/client'
import { CLAIM_METRICS, claimMetrics, POOL_METRICS, poolMetrics, type Sample } from '../../grants/pools/pool-metrics.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import type { PoolCaches } from './pool-caches.ts'

/**
 * Shows Prometheus what pools and claims are like. The series are made of the objects when they are asked for, so that none
 * is old and none outlives its object.
 */
export function showPoolMetrics(registry: Registry, caches: PoolCaches): void {
  const series = new Map<string, Sample[]>()
  for (const [at, [name, { help, labels }]] of Object.entries({ ...POOL_METRICS, ...CLAIM_METRICS }).entries()) {
    // The one that is asked first reads the objects for all: a registry asks its metrics in their order.
    const reads = at === 0
    const gauge = new ReadGauge({ name, help, labelNames: [...labels], registers: [] }, () => {
      if (reads) {
        series.clear()
        for (const sample of samplesOf(caches)) {
          const known = series.get(sample.name)
          if (known === undefined) series.set(sample.name, [sample])
          else known.push(sample)
        }
      }
      return series.get(name) ?? []
    })
    registry.registerMetric(gauge)
  }
}

/** A gauge that keeps no series but reads them. The library's own looks each label up again for every value that is set. */
class ReadGauge extends Gauge<string> {
  readonly #of: { readonly name: string; readonly help: string }
  readonly #read: () => readonly Sample[]

  constructor(configuration: GaugeConfiguration<string>, read: () => readonly Sample[]) {
    super(configuration)
    this.#of = configuration
    this.#read = read
  }

  override get(): Promise<MetricObjectWithValues<MetricValue<string>>> {
    const { name, help } = this.#of
    const values = this.#read().map(({ labels, value }) => ({ labels, value: Number(value) }))
    return Promise.resolve({ name, help, type: 'gauge', aggregator: 'sum', collect: () => undefined, values })
  }
}

function* samplesOf(caches: PoolCaches): Iterable<Sample> {
  for (const pool of caches.pools.list()) yield* readable(() => poolMetrics(pool))
  for (const claim of caches.claims.list()) yield* readable(() => claimMetrics(claim))
}

/** What holds an amount that is none has no figures. */
function readable(samples: () => readonly Sample[]): readonly Sample[] {
  try {
    return samples()
  } catch (error) {
    if (error instanceof QuantityError) return []
    throw error
  }
}
