import type { Registry } from '@prometheus-io/client'
import type { Clock } from '../../../kube/time/clock.ts'
import type { Logger } from '../../../runtime/process/logger.ts'
import { CallerGate, type CallerGateOptions } from './caller-gate.ts'
import { CallerMetrics } from './caller-metrics.ts'
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
