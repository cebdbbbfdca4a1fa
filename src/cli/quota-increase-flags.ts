import { type Command, Option } from 'commander'
import type { QuotaIncreaseOptions } from '../operator/quota-increase/quota-increase-options.ts'
import { definitionsIn, textOfDefinitions } from '../operator/quota-increase/definitions-file.ts'
import { path } from './flag-values.ts'

/** The flags of quota increases. */
export interface QuotaIncreaseFlags {
  readonly quotaDefinitions?: string
  readonly quotaServiceConfig?: string
  readonly prune?: boolean
}

/** Adds the flags of quota increases to a command. */
export function withQuotaIncreaseFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--quota-definitions <file>',
        'base quotas that QuotaIncreases raise, as the quota operator reads them',
      )
        .argParser(path)
        .conflicts('quotaServiceConfig'),
    )
    .option('--quota-service-config <name>', 'the QuotaServiceConfig that holds the base quotas, instead of a file')
    .option(
      '--prune',
      'follow definitions of base quotas although some that are in use are missing, and delete the quotas of these',
      false,
    )
}

/** The options of the system of quota increases that the flags set. Throws StartupError where the file cannot be used. */
export function quotaIncreaseOptions(
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
