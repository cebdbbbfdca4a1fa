import { type Registry, Counter, Gauge } from '@prometheus-io/client'
import type { Clock } from '../../../kube/time/clock.ts'
import type { Logger } from '../../../runtime/process/logger.ts'
import { CallerGate, type CallerGateOptions } from './gate.ts'
import { ProbeTickets, type TextSeal } from './probe-tickets.ts'

export interface CallersOptions extends Pick<CallerGateOptions, 'isProbe' | 'enough'> {
  /** Of a key that all replicas share. */
  readonly seal: TextSeal
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>
  readonly logger: Logger
  readonly registry: Registry
  /** Sends a probe with a ticket, as `CallerGateOptions` says. */
  readonly probe: (ticket: () => string, signal: AbortSignal) => Promise<boolean>
}

/** The gate before the webhooks, and the tickets for probes of other purposes. */
export interface Callers {
  readonly gate: CallerGate
  readonly ticket: () => string
}

/** Has probes show which callers of the webhooks are API servers, until the gate is stopped. */
export function openCallers({ seal, clock, logger, registry, isProbe, enough, probe }: CallersOptions): Callers {
  const tickets = new ProbeTickets({ seal, now: clock.now })
  const ticket = (): string => tickets.make()
  const gate = new CallerGate({
    tickets,
    isProbe,
    enough,
    probe: (signal) => probe(ticket, signal),
    clock,
    logger,
    onUnprovable: () => metrics.unprovable(),
  })
  const metrics = new CallerMetrics(registry, gate)
  gate.start()
  return { gate, ticket }
}

/**
 * Shows Prometheus what probes say about the callers of the webhooks.
 *
 * @public for the reference of metrics
 */
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
