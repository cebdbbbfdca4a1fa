import { type Command, Option } from 'commander'
import { objectName, path } from './flag-values.ts'

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
    .option(
      '--quota-service-config <name>',
      'the QuotaServiceConfig that holds the base quotas, instead of a file',
      objectName,
    )
    .option(
      '--prune',
      'follow definitions of base quotas although some that are in use are missing, and delete the quotas of these',
      false,
    )
}
