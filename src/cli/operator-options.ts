import { hostname } from 'node:os'
import type { Registry } from '@prometheus-io/client'
import { resourcePool } from '../systems/resource-pool/api/resource-pool.ts'
import { CERTIFICATE_SECRET } from '../install/installed-names.ts'
import type { UsageHistory } from '../insight/history/usage-history.ts'
import type { KubeClient } from '../kube/client/kube-client.ts'
import { systemContext } from '../kube/time/system-context.ts'
import { keepWebhookCertificate } from '../kube/webhook-certificates/webhook-certificates.ts'
import type { OperatorOptions } from '../operator/operator.ts'
import { operatorSystems } from '../systems/systems.ts'
import { type IpPrefix, ipAddressOf } from '../machinery/ip-address.ts'
import { AuthorityFile } from '../runtime/certificate/authority-file.ts'
import type { CertificateExpiry } from '../runtime/certificate/expiry.ts'
import { keepCertificateFiles } from '../runtime/certificate/files.ts'
import type { Logger } from '../runtime/process/logger.ts'
import type { ClockSteps } from '../runtime/time/clock-steps.ts'
import type { OperatorSettings } from './operator-settings.ts'

/** The address of each port. */
export interface OperatorHosts {
  readonly webhooks: string
  readonly metrics: string
  readonly health: string
  /** The flags that these were given by. */
  readonly flags: Readonly<Record<'webhooks' | 'metrics' | 'health', string>>
  /** Where any port will do for the webhooks, the one to take if it is free. */
  readonly usualWebhookPort?: number | undefined
}

export interface CommandContext {
  readonly client: KubeClient
  readonly logger: Logger
  /** Where webhooks, metrics and health are served. */
  readonly hosts: OperatorHosts
  /** The metrics, where only users that the API server authenticates may read them. */
  readonly metrics: Pick<OperatorOptions['metrics'], 'secured' | 'tls' | 'names' | 'presented'>
  readonly noticeMs: number
  /** The roles of people that the operator brings; left out: none. */
  readonly people?: OperatorOptions['people']
  /** Is there one API server for certain? */
  readonly hasOneServer: boolean
  /** Of this operator among others. */
  readonly identity: string
  readonly registry: Registry
  readonly history: UsageHistory
  readonly clockSteps: ClockSteps
  /** Shows when certificates expire. */
  readonly expiry: CertificateExpiry
}

/** The options of the operator with these settings. */
export function operatorOptions(settings: OperatorSettings, context: CommandContext): OperatorOptions {
  const { client, logger, hosts, noticeMs, registry, history, identity, metrics, expiry, people } = context
  const { flags, names } = settings
  const { webhookPort, metricsPort, healthPort, workers, warnAt } = flags
  return {
    client,
    logger,
    context: systemContext,
    systems: operatorSystems({
      workers,
      customQuotas: settings.customQuotas,
      quotaIncreases: settings.quotaIncreases,
      resourceQuotas: { ...settings.resourceQuotas, warnAt },
      refusalEvents: flags.refusalEvents,
      karmadaQuotas: { requestTimeoutMs: flags.apiserverRequestTimeout, workers, warnAt },
    }),
    registry,
    history,
    warnAt,
    expiry,
    systemNamespace: flags.systemNamespace,
    crds: flags.crds,
    ...(people === undefined ? {} : { people }),
    webhooks: {
      host: hosts.webhooks,
      port: webhookPort,
      flags: { host: hosts.flags.webhooks, port: '--webhook-port', usualPort: hosts.usualWebhookPort },
    },
    metrics: {
      host: hosts.metrics,
      port: metricsPort,
      flags: { host: hosts.flags.metrics, port: '--metrics-port' },
      ...metrics,
    },
    health: { host: hosts.health, port: healthPort, flags: { host: hosts.flags.health, port: '--health-port' } },
    names: [...names, hostname()],
    address: settings.address,
    certificate: certificateOf(settings, context),
    ...(flags.webhookClientCa === undefined ? {} : { clientAuthority: authorityIn(flags.webhookClientCa, logger) }),
    webhookTimeoutSeconds: flags.webhookTimeout,
    ...(flags.webhookCallers === 'proven' ? { callers: context.hasOneServer ? { enough: 1 } : {} } : {}),
    ...(flags.webhookPeers === undefined ? {} : { isPeer: isIn(flags.webhookPeers) }),
    leaderElect: flags.leaderElect,
    leaseTimes: settings.leaseTimes,
    identity,
    probe: {
      kind: resourcePool,
      object: {
        apiVersion: resourcePool.apiVersion,
        kind: resourcePool.kind,
        metadata: { generateName: 'allot-probe-' },
        spec: { quota: {} },
      },
    },
    noticeMs,
  }
}

const isIn =
  (peers: readonly IpPrefix[]): NonNullable<OperatorOptions['isPeer']> =>
  (text) => {
    const address = ipAddressOf(text)
    return address !== undefined && peers.some((peer) => peer.contains(address))
  }

const authorityIn =
  (file: string, logger: Logger): NonNullable<OperatorOptions['clientAuthority']> =>
  (signal) =>
    AuthorityFile.open({ file, ...systemContext, logger }, signal)

function certificateOf(
  { flags, names, certificate: files }: OperatorSettings,
  { client, logger, clockSteps }: CommandContext,
): OperatorOptions['certificate'] {
  const context = systemContext
  if (files !== undefined) return (signal) => keepCertificateFiles({ files, ...context, clockSteps, logger }, signal)
  const secret = { namespace: flags.systemNamespace, name: CERTIFICATE_SECRET }
  return (signal) => keepWebhookCertificate({ client, secret, names, context, clockSteps, logger }, signal)
}
