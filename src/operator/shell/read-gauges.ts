import {
  Gauge,
  type GaugeConfiguration,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from '@prometheus-io/client'
import type { Gauges, GaugeSample } from '../../machinery/gauge.ts'

/**
 * Shows Prometheus gauges whose series are computed from objects at each scrape. So no series is stale or outlives its
 * object. `samples` gives the series of all gauges.
 */
export function showGauges(registry: Registry, gauges: Gauges, samples: () => Iterable<GaugeSample>): void {
  const series = new Map<string, GaugeSample[]>()
  for (const [at, [name, { help, labels }]] of Object.entries(gauges).entries()) {
    // The one that is asked first reads the objects for all: a registry asks its metrics in their order.
    const reads = at === 0
    const gauge = new ReadGauge({ name, help, labelNames: [...labels], registers: [] }, () => {
      if (reads) {
        series.clear()
        for (const sample of samples()) {
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
  readonly #read: () => readonly GaugeSample[]

  constructor(configuration: GaugeConfiguration<string>, read: () => readonly GaugeSample[]) {
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
