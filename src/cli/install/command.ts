import { Command, InvalidArgumentError, Option } from 'commander'
import type { CliContext } from '../context.ts'
import { isDNS1123Subdomain } from '../../machinery/names.ts'
import { withAccessFlags } from '../access/cluster-flags.ts'
import { namespaceName, path } from '../flag-values.ts'
import type { InstallFlags } from './flags.ts'

const EXAMPLES = `
Examples:
  allot install | kubectl apply --server-side -f -
  allot install --values values.yaml --kube-version 1.31 --api-versions monitoring.coreos.com/v1 > allot.yaml`

/** `allot install`: prints manifests, and changes nothing. */
export function installCommand(context: CliContext): Command {
  const command = new Command('install')
    .summary('print the manifests that install the operator in a cluster')
    .description(
      'Prints the manifests of an installation, the same as the Helm chart in config/chart. What the API server does not offer is left out.',
    )
    .option('--namespace <name>', 'where allot runs; it is among the manifests', namespaceName, 'allot')
    .option('--values <file>', 'values of the chart that are other than its defaults', path)
  const server = 'the API server that is asked what it offers (default: $KUBECONFIG, else ~/.kube/config)'
  return withAccessFlags(command, server)
    .addOption(
      new Option('--kube-version <version>', 'ask no API server: what this version of Kubernetes offers')
        .argParser(minorVersion)
        .conflicts(['kubeconfig', 'context']),
    )
    .option(
      '--api-versions <list>',
      'groups and versions that the API server offers besides, such as monitoring.coreos.com/v1',
      apiVersions,
      [],
    )
    .addHelpText('after', EXAMPLES)
    .action(async (flags: InstallFlags) => {
      const { printInstallation } = await import('./print-installation.ts')
      await printInstallation(flags, context)
    })
}

const OLDEST_MINOR = 20

function minorVersion(text: string): number {
  const minor = Number(/^v?1\.([1-9]\d{0,2})(?:\.\d+)?(?:[-+][-+.\w]*)?$/.exec(text)?.[1] ?? -1)
  if (minor < OLDEST_MINOR) throw new InvalidArgumentError('It must be a version from 1.20 on, such as 1.31.')
  return minor
}

function isGroupVersion(text: string): boolean {
  const [group = '', version = '', ...more] = text.split('/')
  return (
    more.length === 0 &&
    isDNS1123Subdomain(group).length === 0 &&
    /^v[1-9]\d*(?:(?:alpha|beta)[1-9]\d*)?$/.test(version)
  )
}

function apiVersions(text: string, before: readonly string[]): readonly string[] {
  const versions = text.split(',').map((one) => one.trim())
  if (!versions.every((one) => isGroupVersion(one)))
    throw new InvalidArgumentError('It must be groups and versions, such as policy/v1,monitoring.coreos.com/v1.')
  return [...before, ...versions]
}
