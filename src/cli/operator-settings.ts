import type { LeaseTimes } from '../kube/election/leader-election.ts'
import { systemContext } from '../kube/time/system-context.ts'
import { readConfiguredRules } from '../systems/custom-quota/operate/admission/configured-rules.ts'
import type { CustomQuotaOptions } from '../systems/custom-quota/operate/options.ts'
import { definitionsIn, textOfDefinitions } from '../systems/quota-increase/operate/definitions-file.ts'
import type { QuotaIncreaseOptions } from '../systems/quota-increase/operate/options.ts'
import type { ResourceQuotaOptions } from '../systems/resource-quota/operate/options.ts'
import type { HookAddress } from '../operator/webhook/configuration.ts'
import { readAuthorities } from '../runtime/certificate/authority-file.ts'
import { assertCertificateFiles, type CertificateFiles } from '../runtime/certificate/files.ts'
import { readConfigurationFile } from '../runtime/files/configuration-file.ts'
import { isLoopback, localUrl } from '../runtime/http/listen-address.ts'
import { StartupError } from '../runtime/process/startup-error.ts'
import { customQuotaOptions } from './custom-quota-flags.ts'
import { leaseTimesOf } from './lease-times.ts'
import type { OperatorFlags } from './operator-flags.ts'
import type { QuotaIncreaseFlags } from './quota-increase-flags.ts'
import { type ResourceQuotaFlags, resourceQuotaOptions } from './resource-quota-flags.ts'

/** Where the two ends of a webhook call are. */
export interface WebhookPlace {
  /** The address that the webhooks are served on. */
  readonly host: string
  /** The API server's URL; undefined: it runs in this process. */
  readonly server?: string
}

/** All that the flags of the operator say, with the content of the files that they name. */
export interface OperatorSettings {
  readonly flags: OperatorFlags
  readonly customQuotas: CustomQuotaOptions
  readonly quotaIncreases: QuotaIncreaseOptions
  readonly resourceQuotas: ResourceQuotaOptions
  readonly leaseTimes: LeaseTimes
  /** The names that the certificate of the webhooks must have, so that API servers accept it. */
  readonly names: readonly string[]
  /** Where API servers reach the webhooks, which are served on this port. */
  readonly address: (webhookPort: number) => HookAddress
  /** Undefined: the operator makes the certificate of the webhooks itself. */
  readonly certificate: CertificateFiles | undefined
}

/**
 * Reads the flags of the operator and every file that they name. Callers do this before they write anything, so that an error in a
 * file changes nothing. Rejects with StartupError when the operator cannot be started with the flags or a file.
 */
export async function readOperatorSettings(
  flags: OperatorFlags & ResourceQuotaFlags,
  place: WebhookPlace,
): Promise<OperatorSettings> {
  const { systemNamespace, workers } = flags
  const settings = {
    flags,
    customQuotas: customQuotaOptions(flags, workers, configuredRulesOf(flags)),
    quotaIncreases: quotaIncreaseOptions(flags, systemNamespace, workers),
    resourceQuotas: resourceQuotaOptions(flags, workers),
    leaseTimes: leaseTimesOf(flags),
    names: namesOf(flags, place.host),
    address: addressOf(flags, place),
    certificate: certificateFilesOf(flags),
  }
  if (settings.certificate !== undefined)
    await assertCertificateFiles({ files: settings.certificate, ...systemContext })
  if (flags.webhookClientCa !== undefined) await readAuthorities(flags.webhookClientCa, new AbortController().signal)
  return settings
}

function addressOf(
  { webhookUrl, webhookService }: OperatorFlags,
  { host, server }: WebhookPlace,
): OperatorSettings['address'] {
  if (webhookUrl !== undefined) return () => ({ url: webhookUrl })
  if (webhookService !== undefined) return () => ({ service: webhookService })
  if (server === undefined || isLoopback(hostIn(server))) return (port) => ({ url: localUrl(host, port) })
  throw new StartupError('webhook-address-missing', `the API server ${server} needs an address for the webhooks`)
}

function namesOf({ webhookUrl, webhookService }: OperatorFlags, host: string): readonly string[] {
  if (webhookUrl !== undefined) return [hostIn(webhookUrl)]
  if (webhookService === undefined) return [...new Set(['127.0.0.1', 'localhost', hostIn(localUrl(host, 0))])]
  const { name, namespace } = webhookService
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`]
}

const hostIn = (url: string): string => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')

function certificateFilesOf({ tlsCert, tlsKey, tlsCa }: OperatorFlags): CertificateFiles | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  return { certificate: tlsCert, key: tlsKey, ...(tlsCa === undefined ? {} : { authority: tlsCa }) }
}

function configuredRulesOf({ customQuotaWebhook: file }: OperatorFlags): CustomQuotaOptions['configuredRules'] {
  return file === undefined ? undefined : readConfigurationFile(file, '--custom-quota-webhook', readConfiguredRules)
}

/** The options of the system of quota increases that the flags set. Throws StartupError where the file cannot be used. */
function quotaIncreaseOptions(
  { quotaDefinitions, quotaServiceConfig, prune = false }: QuotaIncreaseFlags,
  systemNamespace: string,
  workers: number,
): QuotaIncreaseOptions {
  const common = { prune, systemNamespace, workers }
  if (quotaDefinitions !== undefined) {
    // Before anything else is done.
    definitionsIn(quotaDefinitions, textOfDefinitions(quotaDefinitions))
    return { ...common, definitions: { file: quotaDefinitions } }
  }
  return quotaServiceConfig === undefined ? common : { ...common, definitions: { config: quotaServiceConfig } }
}
