import { type Command, Option } from 'commander'
import { type CustomQuotaFlags, withCustomQuotaFlags } from './custom-quota-flags.ts'
import { type QuotaIncreaseFlags, withQuotaIncreaseFlags } from './quota-increase-flags.ts'
import { CRD_MODES, type CrdMode } from '../operator/cluster/crd-mode.ts'
import { LEASE_TIMES } from '../kube/election/leader-election.ts'
import type { IpPrefix } from '../machinery/ip-address.ts'
import { TIMEOUT_SECONDS } from '../operator/webhook/configuration.ts'
import {
  count,
  duration,
  namespaceName,
  path,
  port,
  prefixes,
  reviewSeconds,
  type ServiceAddress,
  webhookService,
  webhookUrl,
} from './flag-values.ts'

/** Which callers that know a path of a webhook are answered. */
const WEBHOOK_CALLERS = ['proven', 'any'] as const
type WebhookCallers = (typeof WEBHOOK_CALLERS)[number]

/** The flags that `allot run` and `allot up` share. */
export interface OperatorFlags extends CustomQuotaFlags, QuotaIncreaseFlags {
  readonly systemNamespace: string
  readonly crds: CrdMode
  readonly webhookPort: number
  readonly webhookUrl?: string
  readonly webhookService?: ServiceAddress
  /** In seconds. */
  readonly webhookTimeout: number
  /** Of `allot run` only: `allot up` calls its webhooks without a certificate. */
  readonly webhookClientCa?: string
  readonly webhookCallers: WebhookCallers
  readonly webhookPeers?: readonly IpPrefix[]
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly tlsCa?: string
  readonly metricsPort: number
  readonly healthPort: number
  readonly refusalEvents: boolean
  readonly leaderElect: boolean
  /** In milliseconds, as the two below. */
  readonly leaderElectLeaseDuration: number
  readonly leaderElectRenewDeadline: number
  readonly leaderElectRetryPeriod: number
  readonly workers: number
  readonly qps: number
  readonly burst: number
}

const DEFAULT_WORKERS = 8
/** How much the operator may ask of the API server: requests a second on average, and at once. */
export interface DefaultRate {
  readonly qps: number
  readonly burst: number
}

/** Of an API server that others need too. */
export const CLUSTER_RATE: DefaultRate = { qps: 1000, burst: 2000 }
/** Of the API server in the same process, which does nothing faster than the operator can ask. */
export const OWN_SERVER_RATE: DefaultRate = { qps: 10_000, burst: 20_000 }

/** Adds the flags of the operator to a command. */
export function withOperatorFlags(command: Command, rate: DefaultRate, callers: WebhookCallers): Command {
  return withQuotaIncreaseFlags(withCustomQuotaFlags(command))
    .option(
      '--system-namespace <name>',
      "where the operator's own objects live; made when missing",
      namespaceName,
      'allot-system',
    )
    .addOption(
      new Option('--crds <what>', 'install and upgrade the CRDs, check that they are there, or do neither')
        .choices(CRD_MODES)
        .default('apply'),
    )
    .option('--webhook-port <number>', 'port of the admission webhooks; 0 takes a free one', port, 0)
    .addOption(
      new Option('--webhook-url <url>', 'where API servers reach the webhooks, as https://host:port')
        .argParser(webhookUrl)
        .conflicts('webhookService'),
    )
    .option(
      '--webhook-service <namespace/name>',
      'the Service through which API servers reach the webhooks',
      webhookService,
    )
    .option(
      '--webhook-timeout <seconds>',
      'how long API servers wait for the answer of a webhook, from 1 to 30',
      reviewSeconds,
      TIMEOUT_SECONDS,
    )
    .addOption(
      new Option(
        '--webhook-callers <which>',
        'which callers get answers at the URL of a webhook: those at addresses that probes prove to be of API servers, or any',
      )
        .choices(WEBHOOK_CALLERS)
        .default(callers),
    )
    .option(
      '--webhook-peers <cidrs>',
      'addresses from which API servers come, as 10.0.0.0/24,10.1.0.7/32; others get 403 (default: any)',
      prefixes,
    )
    .option('--tls-cert <file>', 'certificate of the webhooks (default: one that all replicas share in a Secret)', path)
    .option('--tls-key <file>', 'its key', path)
    .option('--tls-ca <file>', 'the authority that signed the certificate', path)
    .option('--metrics-port <number>', 'port of /metrics; 0 takes a free one', port, 0)
    .option('--health-port <number>', 'port of /livez and /readyz; 0 takes a free one', port, 0)
    .option('--no-refusal-events', 'record no Events on the owners of workloads whose pods quotas refuse')
    .option('--no-leader-elect', 'reconcile without asking whether another replica does: for a single replica only')
    .addOption(
      new Option(
        '--leader-elect-lease-duration <time>',
        'how long a leader that does not renew its Lease is left alone by the other replicas',
      )
        .argParser(duration)
        .default(LEASE_TIMES.lease, '15s'),
    )
    .addOption(
      new Option(
        '--leader-elect-renew-deadline <time>',
        'how long a leader tries to renew its Lease before it stops leading; shorter than the lease',
      )
        .argParser(duration)
        .default(LEASE_TIMES.renewDeadline, '10s'),
    )
    .addOption(
      new Option(
        '--leader-elect-retry-period <time>',
        'how long replicas wait between two tries; shorter than the deadline',
      )
        .argParser(duration)
        .default(LEASE_TIMES.retryPeriod, '2s'),
    )
    .option('--workers <number>', 'how many objects are reconciled at a time', count, DEFAULT_WORKERS)
    .option('--qps <number>', 'requests that the operator may send a second, on average', count, rate.qps)
    .option('--burst <number>', 'requests that it may send at once', count, rate.burst)
}
