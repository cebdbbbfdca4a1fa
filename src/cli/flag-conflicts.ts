import { isLoopback } from '../runtime/http/listen-address.ts'
import type { DashboardFlags } from './dashboard-flags.ts'
import { leaseTimesConflict } from './lease-times.ts'
import type { OperatorFlags } from './operator-flags.ts'
import type { RunOptions } from './run/options.ts'
import type { UpOptions } from './up/options.ts'

/** Where `allot up` serves the dashboard: without TLS only for its own machine. */
export const DASHBOARD_HOST = '127.0.0.1'

/** A port that a flag names, at the address where it is served. */
interface PortFlag {
  readonly flag: string
  readonly port: number
  readonly host: string
}

/** Where the operator serves, and whether its metrics are served over TLS. */
interface OperatorPlaces {
  readonly webhookHost: string
  readonly metricsHost: string
  readonly healthHost: string
  readonly securedMetrics: boolean
}

/**
 * Returns which flags of `allot up` contradict each other, as a sentence that names them; `undefined` when none do. `ofOperator`: the flags of the
 * operator that are given.
 */
export function upConflict(options: UpOptions, ofOperator: readonly string[]): string | undefined {
  if (options.inMemory && options.acceptLostWrites)
    return '--accept-lost-writes cannot be used with --in-memory, which keeps no writes'
  const { webhookHost, metricsHost, healthHost, host, port } = options
  const others = [{ flag: '--port', port, host }, ...dashboardPorts(options, DASHBOARD_HOST)]
  if (!options.operator)
    return ofOperator.length === 0
      ? (dashboardConflict(options, 'with --no-dashboard') ?? samePort(others))
      : `${ofOperator.join(', ')} cannot be used with --no-operator`
  const places = { webhookHost, metricsHost, healthHost, securedMetrics: !isLoopback(metricsHost) }
  return dashboardConflict(options, 'with --no-dashboard') ?? operatorConflict(options, places, others)
}

/** Returns which flags of `allot run` contradict each other, as a sentence that names them; `undefined` when none do. */
export function runConflict(options: RunOptions): string | undefined {
  const { host, metricsAuth } = options
  const places = { webhookHost: host, metricsHost: host, healthHost: host, securedMetrics: metricsAuth }
  return (
    dashboardConflict(options, 'without --dashboard') ??
    operatorConflict(options, places, dashboardPorts(options, host))
  )
}

/** `missing`: how it is said that no dashboard is served. */
const dashboardConflict = ({ dashboard, dashboardPort }: DashboardFlags, missing: string): string | undefined =>
  dashboardPort !== 0 && !dashboard ? `--dashboard-port cannot be used ${missing}` : undefined

const dashboardPorts = ({ dashboard, dashboardPort: port }: DashboardFlags, host: string): readonly PortFlag[] =>
  dashboard ? [{ flag: '--dashboard-port', port, host }] : []

function operatorConflict(
  flags: OperatorFlags,
  places: OperatorPlaces,
  others: readonly PortFlag[],
): string | undefined {
  return (
    certificateConflict(flags) ??
    (flags.leaderElect ? leaseTimesConflict(flags) : undefined) ??
    portConflict(flags, places, others)
  )
}

function certificateConflict({ tlsCert, tlsKey, tlsCa }: OperatorFlags): string | undefined {
  if (tlsCert !== undefined && tlsKey === undefined) return '--tls-cert cannot be used without --tls-key'
  if (tlsKey !== undefined && tlsCert === undefined) return '--tls-key cannot be used without --tls-cert'
  return tlsCa !== undefined && tlsCert === undefined
    ? '--tls-ca cannot be used without --tls-cert and --tls-key'
    : undefined
}

function portConflict(flags: OperatorFlags, places: OperatorPlaces, others: readonly PortFlag[]): string | undefined {
  const { webhookHost, metricsHost, healthHost, securedMetrics } = places
  const metrics = { flag: '--metrics-port', port: flags.metricsPort, host: metricsHost }
  const health = { flag: '--health-port', port: flags.healthPort, host: healthHost }
  const areOne = !securedMetrics && metricsHost === healthHost && metrics.port === health.port
  const webhooks = { flag: '--webhook-port', port: flags.webhookPort, host: webhookHost }
  return samePort([...others, webhooks, metrics, ...(areOne ? [] : [health])])
}

function samePort(ports: readonly PortFlag[]): string | undefined {
  for (const [at, one] of ports.entries()) {
    const other = ports.slice(0, at).find((before) => overlap(before, one))
    if (other !== undefined) return `${one.flag} must be another port than ${other.flag} (${one.port})`
  }
  return undefined
}

/** An address for all of a machine includes every other one. */
const overlap = (a: PortFlag, b: PortFlag): boolean =>
  a.port !== 0 && a.port === b.port && (a.host === b.host || [a, b].some(({ host }) => ANY_ADDRESS.has(host)))

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])
