import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { Registry } from '@prometheus-io/client'
import { OPERATOR_BOUNDS, UsageHistory } from '../../insight/history/usage-history.ts'
import { pemOf } from '../../kube/access/pem-source.ts'
import { leaseIdentity } from '../../kube/election/leader-election.ts'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import { outageLog } from '../../kube/transport/outage-log.ts'
import { refusalBy } from '../../kube/access/server-refusal.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import { ApiError } from '../../machinery/status.ts'
import type { Dashboard } from '../../dashboard/dashboard.ts'
import { Operator, type OperatorPorts } from '../../operator/operator.ts'
import type { KeyPair } from '../../runtime/certificate/check.ts'
import { CertificateExpiry } from '../../runtime/certificate/expiry.ts'
import { warnOfUnknownParser } from '../../runtime/http/head/http-parser.ts'
import { showBuild } from '../../runtime/process/build-info.ts'
import { giveBackIdleMemory } from '../../runtime/process/idle-memory.ts'
import { createLogger } from '../../runtime/process/logger.ts'
import { collectProcessMetrics } from '../../runtime/process/process-metrics.ts'
import { logClockSteps } from '../../runtime/process/clock-log.ts'
import { clockStepsOf } from '../../runtime/time/clock-steps.ts'
import { accessOfFlags } from '../access/of-flags.ts'
import { operatorOptions } from '../operator-options.ts'
import { readOperatorSettings } from '../operator-settings.ts'
import { packageVersion } from '../package-version.ts'
import type { RunOptions } from './options.ts'
import { reachedNames } from '../../runtime/http/listen-address.ts'
import type { CliContext } from '../context.ts'
import { machineNames } from '../machine-names.ts'
import { webhookPortNotice } from '../webhook-port-notice.ts'

/**
 * Runs the operator until `stop`, then hands the lead over, lets reviews finish and closes everything. Prints what runs
 * where when it is ready. Throws StartupError, KubeconfigError, CredentialError, ServerUnreachable and ServerRefusal when
 * it cannot start.
 */
export async function run(options: RunOptions, { out, stop, environment }: CliContext): Promise<void> {
  const { qps, burst, host, metricsAuth } = options
  const { logger, answered } = outageLog(createLogger(options.logLevel), systemContext.monotonic)
  const registry = new Registry()
  const access = accessOfFlags(options, environment)
  const { server } = access
  const settings = await readOperatorSettings(options, { host, server })
  const notice = webhookPortNotice(options)
  if (notice !== undefined) logger.warn({}, notice)
  warnOfUnknownParser(logger)
  await using closing = new AsyncDisposableStack()
  const clockSteps = clockStepsOf(systemContext.now)
  closing.defer(logClockSteps(clockSteps, logger))
  showBuild(registry, packageVersion())
  const expiry = new CertificateExpiry({ registry, logger, now: systemContext.now, clockSteps })
  closing.defer(() => expiry.stop())
  const certificate = access.clientCertificate?.certificate
  if (certificate !== undefined) expiry.follow('kubeconfig', () => pemOf(certificate, systemContext.readText))
  const { client, close } = openKubeClient({
    access,
    environment,
    version: packageVersion(),
    rate: { qps, burst },
    onAnswer: answered,
  })
  closing.defer(close)
  const metricsNames = [...new Set([...settings.names, hostname(), ...reachedNames(host, machineNames())])]
  const history = new UsageHistory(OPERATOR_BOUNDS)
  const serveDashboard = async (tls: KeyPair): Promise<Dashboard> => {
    const { openDashboard } = await import('../open-dashboard.ts')
    const { dashboardPort, warnAt } = options
    const served = {
      host,
      hostFlag: '--host',
      port: dashboardPort,
      names: settings.names,
      tls,
      warnAt,
      history,
      logger,
    }
    return await openDashboard({ access, environment }, served, closing)
  }
  const first = metricsAuth || options.dashboard ? await firstCertificate(metricsNames) : undefined
  const dashboard = first === undefined || !options.dashboard ? undefined : await serveDashboard(first)
  const operator = new Operator(
    operatorOptions(settings, {
      client,
      logger,
      hosts: { webhooks: host, metrics: host, health: host, flags: HOST_FLAGS },
      metrics: {
        secured: metricsAuth,
        ...(metricsAuth && first !== undefined ? { tls: first } : {}),
        ...(first === undefined ? {} : { names: metricsNames }),
        ...(dashboard === undefined ? {} : { presented: (pair) => dashboard.useCertificate(pair) }),
      },
      noticeMs: options.shutdownDelayDuration,
      hasOneServer: false,
      registry,
      history,
      clockSteps,
      expiry,
      identity: leaseIdentity(hostname(), randomUUID()),
    }),
  )
  closing.defer(() => operator.stop())
  collectProcessMetrics(registry)
  closing.defer(giveBackIdleMemory())
  try {
    const ports = await operator.start(stop)
    out(announcement(server, ports, dashboard?.port))
    logger.info({ server, ...ports, dashboardPort: dashboard?.port }, 'ready')
    if (!stop.aborted) await Promise.race([once(stop, 'abort'), operator.over])
  } catch (error) {
    if (!stop.aborted) throw error instanceof ApiError ? refusalBy(access, error) : error
  }
  logger.info({}, 'stopping')
}

const HOST_FLAGS = { webhooks: '--host', metrics: '--host', health: '--host' }

/**
 * Makes a certificate for metrics and dashboard before the first request to the API server, because tokens must not be
 * sent in clear.
 */
async function firstCertificate(names: readonly string[]): Promise<KeyPair> {
  const { makeAuthority, makeServerCertificate } = await import('../../runtime/certificate/certificates.ts')
  return await makeServerCertificate(await makeAuthority(Date.now()), names, Date.now())
}

const announcement = (
  server: string,
  { webhookPort, metricsPort, healthPort }: OperatorPorts,
  dashboardPort: number | undefined,
): string =>
  `allot ${packageVersion()} is running against ${server}
webhooks on port ${webhookPort}, /metrics on port ${metricsPort}, /readyz on port ${healthPort}${dashboardPort === undefined ? '' : `, dashboard over TLS on port ${dashboardPort}`}
`
