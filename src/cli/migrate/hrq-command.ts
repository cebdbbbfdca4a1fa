import type { Command } from 'commander'
import type { CliSurroundings } from '../cli-surroundings.ts'
import { groupQuotaCommand } from './group-quota-command.ts'

/** `allot migrate hrq`. */
export const hrqCommand = (surroundings: CliSurroundings): Command =>
  groupQuotaCommand('hrq', 'HierarchicalResourceQuotas of HNC', surroundings, async () => {
    const { isHierarchicalResourceQuota, readHierarchicalResourceQuota } =
      await import('../../migrate/group-quota/hierarchical-resource-quota.ts')
    return { isOurs: isHierarchicalResourceQuota, read: readHierarchicalResourceQuota }
  })
