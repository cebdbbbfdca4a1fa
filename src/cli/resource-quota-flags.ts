import { type Command, Option } from 'commander'
import {
  ENFORCE_RESOURCE_QUOTA,
  type EnforceResourceQuota,
  type ResourceQuotaOptions,
} from '../systems/resource-quota/operate/options.ts'
import type { CustomQuotaFlags } from './custom-quota-flags.ts'

/** The flags of ResourceQuotas on clusters that do not enforce them. `allot up` enforces them itself. */
export interface ResourceQuotaFlags {
  readonly enforceResourcequota?: EnforceResourceQuota
}

/** Adds the flags of ResourceQuotas to a command. */
export function withResourceQuotaFlags(command: Command): Command {
  return command.addOption(
    new Option(
      '--enforce-resourcequota <how>',
      'enforce ResourceQuotas where the cluster does not: the parts that a probe finds missing, or these in any case',
    )
      .choices(ENFORCE_RESOURCE_QUOTA)
      .default('off'),
  )
}

/** The options that the flags set. */
export const resourceQuotaOptions = (
  flags: ResourceQuotaFlags & Pick<CustomQuotaFlags, 'apiserverRequestTimeout'>,
  workers: number,
): ResourceQuotaOptions => ({
  enforce: flags.enforceResourcequota ?? 'off',
  warns: flags.enforceResourcequota !== undefined,
  requestTimeoutMs: flags.apiserverRequestTimeout,
  workers,
})
