import type { Command } from 'commander'
import { DEFAULT_BOUNDS } from '../charges/custom-quota/quota-bounds.ts'
import type { CustomQuotaOptions } from '../operator/custom-quota/custom-quota-options.ts'
import { count } from './flag-values.ts'

/** The flags of custom quotas. */
export interface CustomQuotaFlags {
  readonly strictPaths: boolean
  readonly customQuotasPerNamespace: number
  readonly customQuotaSources: number
  readonly customQuotaSelectors: number
  readonly customQuotaExpressions: number
}

const QUOTAS_PER_NAMESPACE = 64

/** Adds the flags of custom quotas to a command. */
export function withCustomQuotaFlags(command: Command): Command {
  return command
    .option('--strict-paths', 'a quantity path that finds nothing is an error, as in Capsule, rather than 0', false)
    .option(
      '--custom-quotas-per-namespace <n>',
      'how many CustomQuotas a namespace may have',
      count,
      QUOTAS_PER_NAMESPACE,
    )
    .option('--custom-quota-sources <n>', 'how many sources a custom quota may have', count, DEFAULT_BOUNDS.sources)
    .option(
      '--custom-quota-selectors <n>',
      'how many entries each list of selectors of a custom quota may have',
      count,
      DEFAULT_BOUNDS.selectors,
    )
    .option(
      '--custom-quota-expressions <n>',
      'how many field selectors and CEL expressions a custom quota may have',
      count,
      DEFAULT_BOUNDS.expressions,
    )
}

/** The options of the system of custom quotas that the flags set. */
export function customQuotaOptions(flags: CustomQuotaFlags, workers: number): CustomQuotaOptions {
  return {
    strictPaths: flags.strictPaths,
    quotasPerNamespace: flags.customQuotasPerNamespace,
    bounds: {
      sources: flags.customQuotaSources,
      selectors: flags.customQuotaSelectors,
      expressions: flags.customQuotaExpressions,
    },
    workers,
  }
}
