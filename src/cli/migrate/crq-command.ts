import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { groupQuotaCommand } from './group-quota-command.ts'

/** `allot migrate crq`. */
export const crqCommand = (context: CliContext): Command =>
  groupQuotaCommand('crq', 'ClusterResourceQuotas of OpenShift', context, async () => {
    const { isClusterResourceQuota, readClusterResourceQuota } =
      await import('../../migrate/group-quota/cluster-resource-quota.ts')
    return { isOurs: isClusterResourceQuota, read: readClusterResourceQuota }
  })
