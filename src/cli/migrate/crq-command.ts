import type { Command } from 'commander'
import type { CliSurroundings } from '../cli-surroundings.ts'
import { groupQuotaCommand } from './group-quota-command.ts'

/** `allot migrate crq`. */
export const crqCommand = (surroundings: CliSurroundings): Command =>
  groupQuotaCommand('crq', 'ClusterResourceQuotas of OpenShift', surroundings, async () => {
    const { isClusterResourceQuota, readClusterResourceQuota } =
      await import('../../migrate/group-quota/cluster-resource-quota.ts')
    return { isOurs: isClusterResourceQuota, read: readClusterResourceQuota }
  })
