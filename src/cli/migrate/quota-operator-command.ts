import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { objectName } from '../flag-values.ts'
import { runTakeover, takeoverCommand, type TakeoverFlags } from './takeover-command.ts'

/** `allot migrate quota-operator`. */
export function quotaOperatorCommand(context: CliContext): Command {
  return takeoverCommand('quota-operator', 'the quota operator')
    .description(
      'Takes the place of the quota operator of openmcp. Increases and quotas stay as they are, and its definitions become a QuotaServiceConfig, which allot follows. When something fails, the quota operator is put back.',
    )
    .option(
      '--quota-service-config <name>',
      'the QuotaServiceConfig that allot follows; made from the configuration file where there is none',
      objectName,
      'quota-operator',
    )
    .action(async (flags: TakeoverFlags & { readonly quotaServiceConfig: string }) => {
      const { QUOTA_OPERATOR } = await import('../../migrate/takeover/peer.ts')
      const { prepareDefinitions } = await import('./peer-definitions.ts')
      await runTakeover(QUOTA_OPERATOR, flags, context, (work) => ({
        prepare: (facts) => prepareDefinitions(work, facts, flags.quotaServiceConfig),
      }))
    })
}
