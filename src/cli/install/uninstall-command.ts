import { Command, Option } from 'commander'
import type { AccessFlags } from '../access/access-of-flags.ts'
import type { CliSurroundings } from '../cli-surroundings.ts'
import { namespaceName, path } from '../flag-values.ts'

/** The flags of `allot uninstall`. */
interface UninstallFlags extends AccessFlags {
  readonly namespace: string
  readonly systemNamespace?: string
  readonly generatedQuotas: 'keep' | 'remove'
  readonly crds: boolean
  readonly keepInstalled: boolean
}

/** `allot uninstall`: works whether an operator runs or not, and however often. */
export function uninstallCommand(surroundings: CliSurroundings): Command {
  return new Command('uninstall')
    .summary('remove the operator and all that it keeps from a cluster')
    .description(
      'Stops the operator, deletes its webhooks, and takes everything away that it keeps in the cluster. It works when no operator runs any more, and can be repeated.',
    )
    .option('--namespace <name>', 'where allot runs', namespaceName, 'allot')
    .option(
      '--system-namespace <name>',
      "where the operator's own objects live (default: where it runs)",
      namespaceName,
    )
    .addOption(
      new Option('--generated-quotas <what>', 'whether the ResourceQuotas that allot made stay, as they are, or go')
        .choices(['keep', 'remove'])
        .default('keep'),
    )
    .option('--crds', 'delete the CRDs, and with them all pools, claims, quotas and increases', false)
    .option('--keep-installed', 'leave what `allot install` or Helm has made, which Helm deletes itself', false)
    .option(
      '--kubeconfig <file>',
      'the API server and the user (default: $KUBECONFIG, else the cluster, else ~/.kube/config)',
      path,
    )
    .option('--context <name>', 'the context of the kubeconfig (default: its current one)', path)
    .action(async (flags: UninstallFlags) => remove(flags, surroundings))
}

async function remove(flags: UninstallFlags, { environment, out, stop }: CliSurroundings): Promise<void> {
  const { namespace, systemNamespace = namespace, generatedQuotas, crds, keepInstalled } = flags
  const { systemSurroundings } = await import('../../kube/time/system-surroundings.ts')
  const { openCluster } = await import('../access/open-cluster.ts')
  const { uninstall } = await import('../../uninstall/uninstall.ts')
  const { client, close } = openCluster(flags, { environment })
  try {
    await uninstall({
      client,
      clock: systemSurroundings,
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
