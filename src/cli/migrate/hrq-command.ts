import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { groupQuotaCommand } from './group-quota-command.ts'

/** `allot migrate hrq`. */
export const hrqCommand = (context: CliContext): Command =>
  groupQuotaCommand('hrq', 'HierarchicalResourceQuotas of HNC', context, async () => {
    const { isHierarchicalResourceQuota, readHierarchicalResourceQuota } =
      await import('../../migrate/group-quota/hierarchical-resource-quota.ts')
    return { isOurs: isHierarchicalResourceQuota, read: readHierarchicalResourceQuota }
  })
