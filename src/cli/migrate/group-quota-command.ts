import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { withAccessFlags } from '../access/cluster-flags.ts'
import { path } from '../flag-values.ts'
import type { GroupQuotaFlags, GroupQuotaReader } from './print-custom-quotas.ts'

/** A command that prints GlobalCustomQuotas for the quotas of another system. It changes nothing. */
export function groupQuotaCommand(
  name: string,
  quotas: string,
  context: CliContext,
  reader: () => Promise<GroupQuotaReader>,
): Command {
  const command = new Command(name)
    .summary(`print GlobalCustomQuotas for ${quotas}`)
    .description(
      `Prints a GlobalCustomQuota for each limit of ${quotas}, and says on standard error what cannot be carried over. It changes nothing.`,
    )
    .argument('<files...>', `manifests with ${quotas}; - for standard input`)
    .option('--report <file>', 'write what cannot be carried over to this file, too, as YAML', path)
  const server = 'an API server that is asked about kinds that are not of Kubernetes itself'
  return withAccessFlags(command, server).action(async (files: readonly string[], flags: GroupQuotaFlags) => {
    const { printCustomQuotas } = await import('./print-custom-quotas.ts')
    await printCustomQuotas(files, flags, await reader(), context)
  })
}
