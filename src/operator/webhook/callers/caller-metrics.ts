import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { CallerGate } from './caller-gate.ts'

/** Shows Prometheus what probes say about the callers of the webhooks. */
export class CallerMetrics {
  readonly #unprovable: Counter

  constructor(registry: Registry, gate: Pick<CallerGate, 'provenAddresses' | 'refusesStrangers'>) {
    const addresses: Gauge = new Gauge({
      name: 'allot_admission_proven_addresses',
      help: 'Addresses from which probes have shown that API servers call the webhooks.',
      registers: [registry],
      collect: () => addresses.set(gate.provenAddresses),
    })
    const refuses: Gauge = new Gauge({
      name: 'allot_admission_strangers_refused',
      help: 'Whether calls are turned away that come from no address of an API server: 1 or 0.',
      registers: [registry],
      collect: () => refuses.set(gate.refusesStrangers ? 1 : 0),
    })
    this.#unprovable = new Counter({
      name: 'allot_admission_unprovable_calls_total',
      help: 'Calls of the webhooks that were answered although probes do not show which addresses API servers have.',
      registers: [registry],
    })
    this.#unprovable.inc(0)
  }

  unprovable(): void {
    this.#unprovable.inc()
  }
}
