import { type Command, Option } from 'commander'
import { DEFAULT_BOUNDS } from '../systems/custom-quota/decide/quota-bounds.ts'
import { DEFAULT_WARN_AT } from '../charges/usage-warnings.ts'
import type { CustomQuotaOptions } from '../systems/custom-quota/operate/options.ts'
import { count, path, patience, percentages } from './flag-values.ts'

/** The flags of custom quotas. */
export interface CustomQuotaFlags {
  readonly enforce: 'on' | 'off'
  readonly customQuotaWebhook?: string | undefined
  readonly untilReady: 'refuse' | 'allow'
  readonly warnAt: readonly number[]
  /** In milliseconds. */
  readonly apiserverRequestTimeout: number
  readonly strictPaths: boolean
  readonly customQuotasPerNamespace: number
  readonly customQuotaSources: number
  readonly customQuotaSelectors: number
  readonly customQuotaExpressions: number
}

const REQUEST_TIMEOUT_MS = 60_000
const QUOTAS_PER_NAMESPACE = 64

/** Adds the flags of custom quotas to a command. */
export function withCustomQuotaFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--enforce <how>', 'whether custom quotas refuse what exceeds them; off only counts and reports')
        .choices(['on', 'off'])
        .default('on'),
    )
    .option(
      '--custom-quota-webhook <file>',
      'Helm values whose webhooks.hooks.calculations selects the writes that custom quotas decide on (default: all that they count)',
      path,
    )
    .addOption(
      new Option(
        '--until-ready <how>',
        'whether requests that concern a custom quota that is not ready are refused, to be tried again, or allowed',
      )
        .choices(['refuse', 'allow'])
        .default('refuse'),
    )
    .addOption(
      new Option('--warn-at <percentages>', 'at which percentages of a limit writers are warned; empty: never')
        .argParser(percentages)
        .default(DEFAULT_WARN_AT, DEFAULT_WARN_AT.join(',')),
    )
    .addOption(
      new Option('--apiserver-request-timeout <time>', 'the --request-timeout of the API servers')
        .argParser(patience)
        .default(REQUEST_TIMEOUT_MS, '60s'),
    )
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

/** The options of the system of custom quotas that the flags set. `configuredRules`: what is in the file that one of them names. */
export function customQuotaOptions(
  flags: CustomQuotaFlags,
  workers: number,
  configuredRules?: CustomQuotaOptions['configuredRules'],
): CustomQuotaOptions {
  return {
    enforce: flags.enforce,
    configuredRules,
    untilReady: flags.untilReady,
    warnAt: flags.warnAt,
    requestTimeoutMs: flags.apiserverRequestTimeout,
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
