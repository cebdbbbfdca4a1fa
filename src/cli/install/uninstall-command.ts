import { Command, Option } from 'commander'
import { type AccessFlags, type PlaceFlags, withAccessFlags, withPlaceFlags } from '../access/cluster-flags.ts'
import type { CliContext } from '../context.ts'

/** The flags of `allot uninstall`. */
interface UninstallFlags extends AccessFlags, PlaceFlags {
  readonly generatedQuotas: 'keep' | 'remove'
  readonly crds: boolean
  readonly keepInstalled: boolean
}

/** `allot uninstall`: works whether an operator runs or not, and however often. */
export function uninstallCommand(context: CliContext): Command {
  const command = new Command('uninstall')
    .summary('remove the operator and all that it keeps from a cluster')
    .description(
      'Stops the operator, deletes its webhooks, and takes everything away that it keeps in the cluster. It works when no operator runs any more, and can be repeated.',
    )
  withPlaceFlags(command)
    .addOption(
      new Option('--generated-quotas <what>', 'whether the ResourceQuotas that allot made stay, as they are, or go')
        .choices(['keep', 'remove'])
        .default('keep'),
    )
    .option('--crds', 'delete the CRDs, and with them all pools, claims, quotas and increases', false)
    .option('--keep-installed', 'leave what `allot install` or Helm has made, which Helm deletes itself', false)
  return withAccessFlags(command).action(async (flags: UninstallFlags) => remove(flags, context))
}

async function remove(flags: UninstallFlags, { environment, out, stop }: CliContext): Promise<void> {
  const { namespace, systemNamespace = namespace, generatedQuotas, crds, keepInstalled } = flags
  const { systemContext } = await import('../../kube/time/system-context.ts')
  const { openCluster } = await import('../access/open-cluster.ts')
  const { uninstall } = await import('../../uninstall/uninstall.ts')
  const { client, close } = openCluster(flags, { environment })
  try {
    await uninstall({
      client,
      clock: systemContext,
      signal: stop,
      say: (line) => out(`${line}\n`),
      namespace,
      systemNamespace,
      generatedQuotas,
      crds,
      keepInstalled,
    })
  } finally {
    await close()
  }
}
