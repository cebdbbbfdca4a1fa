import type { ControlPlane } from '../../apiserver/control-plane.ts'
import { personaRoles, withheldRoles } from '../../install/rbac/persona-roles.ts'
import { leaseIdentity } from '../../kube/election/leader-election.ts'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import { Operator, type OperatorPorts } from '../../operator/operator.ts'
import { directoryId } from '../../runtime/certificate/identity.ts'
import type { DataDirectory } from '../../runtime/files/data-directory.ts'
import { isLoopback } from '../../runtime/http/listen-address.ts'
import { localAccess } from '../access/local.ts'
import { operatorOptions } from '../operator-options.ts'
import type { OperatorSettings } from '../operator-settings.ts'
import { packageVersion } from '../package-version.ts'
import type { ApiPort } from './api-port.ts'
import type { LongStart } from './long-start.ts'
import type { UpContext } from './context.ts'

const HOST_FLAGS = { webhooks: '--webhook-host', metrics: '--metrics-host', health: '--health-host' }

/** The parts that the operator runs beside. */
export interface Served {
  readonly port: ApiPort
  readonly plane: ControlPlane
  readonly directory: DataDirectory
  readonly long: LongStart
}

/** The operator beside the control plane. */
export interface OperatorBeside {
  /** Undefined if the process was told to stop before the operator was ready. */
  readonly ports: OperatorPorts | undefined
  readonly releaseLease: () => Promise<void>
}

/** Runs the operator against the API that is served. Rejects when it cannot start. */
export async function runBeside(
  { options, logger, registry, history, clockSteps, closing }: UpContext,
  settings: OperatorSettings,
  { port, plane, directory, long }: Served,
  stop: AbortSignal,
): Promise<OperatorBeside> {
  const { webhookHost, metricsHost, healthHost, systemNamespace, qps, burst, tenantsMayCreate } = options
  port.gate.admit(plane)
  long.admitted(() => plane.obstacle)
  const access = localAccess({
    url: port.url,
    ca: () => port.current.authority.certificate,
    token: port.first.adminToken,
    systemNamespace,
  })
  const hosts = { webhooks: webhookHost, metrics: metricsHost, health: healthHost }
  for (const [what, host] of Object.entries(hosts))
    if (!isLoopback(host)) logger.warn({ what, host }, 'a port of the operator is reachable from outside this machine')
  const { client, close } = openKubeClient({
    access,
    environment: {},
    version: packageVersion(),
    rate: { qps, burst },
  })
  closing.defer(close)
  const usual = new UsualPort(directory)
  const operator = new Operator(
    operatorOptions(settings, {
      client,
      logger,
      hosts: { ...hosts, flags: HOST_FLAGS, usualWebhookPort: usual.port },
      // A token is not to cross a network in clear.
      metrics: { secured: true, ...(isLoopback(metricsHost) ? {} : { tls: port.current.server }) },
      noticeMs: 0,
      hasOneServer: true,
      people: { wanted: personaRoles(tenantsMayCreate), withheld: withheldRoles(tenantsMayCreate) },
      registry,
      history,
      clockSteps,
      expiry: port.expiry,
      identity: leaseIdentity('allot-up', directoryId(port.first)),
    }),
  )
  port.renewMetricsOf(operator)
  closing.defer(() => operator.stop())
  const releaseLease = (): Promise<void> => operator.releaseLease()
  try {
    const ports = await operator.start(stop)
    usual.keep(ports.webhookPort)
    return { ports, releaseLease }
  } catch (error) {
    if (stop.aborted) return { ports: undefined, releaseLease }
    long.report()
    throw error
  }
}

const FILE = 'webhook-port'
const HIGHEST = 65_535

/**
 * The port of the webhooks in earlier runs. Stored configurations name it until they are written again: with another port each time, creates
 * would fail after a restart until then.
 */
class UsualPort {
  readonly #directory: Pick<DataDirectory, 'read' | 'write'>
  readonly port: number | undefined

  constructor(directory: Pick<DataDirectory, 'read' | 'write'>) {
    this.#directory = directory
    const port = Number(directory.read(FILE)?.trim() ?? '')
    this.port = Number.isSafeInteger(port) && port > 0 && port <= HIGHEST ? port : undefined
  }

  /** Sets the port of the next runs. */
  keep(port: number): void {
    if (port !== this.port) this.#directory.write(FILE, `${port}\n`)
  }
}
