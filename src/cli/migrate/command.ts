import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { tenantsCommand } from './tenants-command.ts'
import { type TakeoverFlags, runTakeover, takeoverCommand } from './takeover-command.ts'
import { groupQuotaCommand } from './group-quota-command.ts'
import { objectName } from '../flag-values.ts'

const COMMANDS = [tenantsCommand, capsuleCommand, quotaOperatorCommand, crqCommand, hrqCommand]

/** `allot migrate`: a command for each system that allot takes the place of. */
export function migrateCommand(context: CliContext): Command {
  const migrate = new Command('migrate')
    .summary('move in from another quota system')
    .description('Moves quotas of other systems to allot.')
  for (const command of COMMANDS) migrate.addCommand(command(context))
  return migrate
}

/** `allot migrate capsule`. */
function capsuleCommand(context: CliContext): Command {
  return takeoverCommand('capsule', 'Capsule')
    .description(
      'Takes the place of the controller of Capsule. Pools, claims, custom quotas and ledgers stay as they are, and what was limited stays limited throughout. When something fails, Capsule is put back.',
    )
    .option('--leave-unserved', 'go on although nobody will look after Tenants and other kinds of Capsule', false)
    .action(async (flags: TakeoverFlags) => {
      const { CAPSULE } = await import('../../migrate/takeover/peer.ts')
      await runTakeover(CAPSULE, flags, context)
    })
}

/** `allot migrate crq`. */
function crqCommand(context: CliContext): Command {
  return groupQuotaCommand('crq', 'ClusterResourceQuotas of OpenShift', context, async () => {
    const { isClusterResourceQuota, readClusterResourceQuota } =
      await import('../../migrate/group-quota/cluster-resource-quota.ts')
    return { isOurs: isClusterResourceQuota, read: readClusterResourceQuota }
  })
}

/** `allot migrate hrq`. */
function hrqCommand(context: CliContext): Command {
  return groupQuotaCommand('hrq', 'HierarchicalResourceQuotas of HNC', context, async () => {
    const { isHierarchicalResourceQuota, readHierarchicalResourceQuota } =
      await import('../../migrate/group-quota/hierarchical-resource-quota.ts')
    return { isOurs: isHierarchicalResourceQuota, read: readHierarchicalResourceQuota }
  })
}

/** `allot migrate quota-operator`. */
function quotaOperatorCommand(context: CliContext): Command {
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
