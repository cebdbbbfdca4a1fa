import { hostname } from 'node:os'
import type { Registry } from '@prometheus-io/client'
import { resourcePool } from '../api/resource-pool/resource-pool.ts'
import type { KubeClient } from '../kube/client/kube-client.ts'
import { systemSurroundings } from '../kube/time/system-surroundings.ts'
import { keepWebhookCertificate } from '../kube/webhook-certificates/webhook-certificates.ts'
import type { OperatorOptions } from '../operator/operator.ts'
import { operatorSystems } from '../operator/systems.ts'
import type { HookAddress } from '../operator/webhook-configuration.ts'
import { keepCertificateFiles } from '../runtime/certificate/certificate-files.ts'
import { isLoopback, localUrl } from '../runtime/http/listen-address.ts'
import type { Logger } from '../runtime/process/logger.ts'
import { StartupError } from '../runtime/process/startup-error.ts'
import { customQuotaOptions } from './custom-quota-flags.ts'
import { leaseTimesOf } from './lease-times.ts'
import type { OperatorFlags } from './operator-flags.ts'
import { quotaIncreaseOptions } from './quota-increase-flags.ts'
import { type ResourceQuotaFlags, resourceQuotaOptions } from './resource-quota-flags.ts'

const CERTIFICATE_SECRET = 'allot-webhook-certificate'

/** The address of each port. */
export interface OperatorHosts {
  readonly webhooks: string
  readonly metrics: string
  readonly health: string
  /** The flags that these were given by. */
  readonly flags: Readonly<Record<'webhooks' | 'metrics' | 'health', string>>
}

export interface OperatorSurroundings {
  readonly client: KubeClient
  readonly logger: Logger
  /** Where webhooks, metrics and health are served. */
  readonly hosts: OperatorHosts
  /** The metrics, where only users that the API server authenticates may read them. */
  readonly metrics: Pick<OperatorOptions['metrics'], 'secured' | 'tls' | 'names'>
  /** The API server's URL. */
  readonly server: string
  readonly noticeMs: number
  /** Of this operator among others. */
  readonly identity: string
  readonly registry: Registry
}

/**
 * The options of the operator that the flags set. Throws StartupError when they do not say how API servers reach the webhooks.
 */
export function operatorOptions(
  flags: OperatorFlags & ResourceQuotaFlags,
  surroundings: OperatorSurroundings,
): OperatorOptions {
  const { client, logger, hosts, server, noticeMs, registry, identity, metrics } = surroundings
  const { webhookPort, metricsPort, healthPort } = flags
  const address = addressOf(flags, hosts.webhooks, server)
  const names = namesOf(flags, hosts.webhooks)
  return {
    client,
    logger,
    surroundings: systemSurroundings,
    systems: operatorSystems(
      flags.workers,
      customQuotaOptions(flags, flags.workers),
      quotaIncreaseOptions(flags, flags.systemNamespace, flags.workers),
      resourceQuotaOptions(flags, flags.workers),
      { requestTimeoutMs: flags.apiserverRequestTimeout, workers: flags.workers },
    ),
    registry,
    systemNamespace: flags.systemNamespace,
    crds: flags.crds,
    webhooks: {
      host: hosts.webhooks,
      port: webhookPort,
      flags: { host: hosts.flags.webhooks, port: '--webhook-port' },
    },
    metrics: {
      host: hosts.metrics,
      port: metricsPort,
      flags: { host: hosts.flags.metrics, port: '--metrics-port' },
      ...metrics,
    },
    health: { host: hosts.health, port: healthPort, flags: { host: hosts.flags.health, port: '--health-port' } },
    names: [...names, hostname()],
    address,
    certificate: certificateOf(flags, names, client, logger),
    leaderElect: flags.leaderElect,
    leaseTimes: leaseTimesOf(flags),
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

function addressOf(
  { webhookUrl, webhookService }: OperatorFlags,
  host: string,
  server: string,
): (port: number) => HookAddress {
  if (webhookUrl !== undefined) return () => ({ url: webhookUrl })
  if (webhookService !== undefined) return () => ({ service: webhookService })
  if (isLoopback(new URL(server).hostname.replace(/^\[(.*)\]$/, '$1'))) return (port) => ({ url: localUrl(host, port) })
  throw new StartupError('webhook-address-missing', `the API server ${server} needs an address for the webhooks`)
}

/** The names that the certificate must have, so that API servers accept it. */
export function namesOf(
  { webhookUrl, webhookService }: Pick<OperatorFlags, 'webhookUrl' | 'webhookService'>,
  host: string,
): readonly string[] {
  if (webhookUrl !== undefined) return [new URL(webhookUrl).hostname.replace(/^\[(.*)\]$/, '$1')]
  if (webhookService === undefined)
    return [...new Set(['127.0.0.1', 'localhost', new URL(localUrl(host, 0)).hostname.replace(/^\[(.*)\]$/, '$1')])]
  const { name, namespace } = webhookService
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`]
}

function certificateOf(
  { tlsCert, tlsKey, tlsCa, systemNamespace }: OperatorFlags,
  names: readonly string[],
  client: KubeClient,
  logger: Logger,
): OperatorOptions['certificate'] {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new StartupError(
      'certificate-unusable',
      '--tls-cert and --tls-key belong together, and one of them is missing',
    )
  if (tlsCert === undefined && tlsCa !== undefined)
    throw new StartupError('certificate-unusable', '--tls-ca belongs to --tls-cert and --tls-key, which are missing')
  if (tlsCert === undefined || tlsKey === undefined)
    return (signal) =>
      keepWebhookCertificate(
        {
          client,
          secret: { namespace: systemNamespace, name: CERTIFICATE_SECRET },
          names,
          surroundings: systemSurroundings,
          logger,
        },
        signal,
      )
  const files = { certificate: tlsCert, key: tlsKey, ...(tlsCa === undefined ? {} : { authority: tlsCa }) }
  return (signal) => keepCertificateFiles({ files, ...systemSurroundings, logger }, signal)
}
