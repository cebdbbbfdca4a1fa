import { Command, Option } from 'commander'
import { type AccessFlags, withAccessFlags } from '../access/cluster-flags.ts'
import type { CliContext } from '../context.ts'
import { namespaceName, path, paths, RECURSIVE } from '../flag-values.ts'
import { misuse } from '../misuse.ts'

export interface SimulateFlags extends AccessFlags {
  readonly namespace?: string
  readonly filename: readonly string[]
  readonly recursive?: true
  readonly deleteFilename: readonly string[]
  readonly state: readonly string[]
  readonly quotaDefinitions?: string
  readonly output: 'text' | 'json'
}

const OUTCOMES = `
Verdicts and exit codes:
  fits     0  every manifest is admitted, and everything gets what it wants
  stalls   3  a claim waits, or a workload, an increase or a quota does not come about
  refused  3  a manifest is refused
  unknown  1  something that decides was not seen, or is not simulated
           1  the command could not do its work
           2  the command line makes no sense`

const EXAMPLES = `
Examples:
  allot simulate -f changes.yaml
  helm template shop ./shop | allot simulate -n shop -f -
  allot simulate -f changes/ --state cluster.yaml`

/** `allot simulate`: what changes would do, before anybody makes them. */
export function simulateCommand(context: CliContext): Command {
  const command = new Command('simulate')
    .summary('say what quotas, pools, claims and workloads would come to with changes')
    .description(
      'Tries manifests in their order, as kubectl apply would make them, on what the cluster has, or on the objects of files. Says what is refused, how limits and allocations change, which claims wait, and which workloads stall. It writes nothing.',
    )
    .addOption(
      new Option('-f, --filename <file>', 'manifests to apply: a file, a folder, - for standard input')
        .argParser(paths)
        .default([], 'none'),
    )
    .addOption(
      new Option('--delete-filename <file>', 'manifests to delete after that').argParser(paths).default([], 'none'),
    )
    .addOption(
      new Option(
        '--state <file>',
        'try them on the objects of this file or folder, - for standard input, instead of the cluster',
      )
        .argParser(paths)
        .default([], 'none')
        .conflicts(['kubeconfig', 'context']),
    )
    .option(...RECURSIVE)
    .option('--quota-definitions <file>', 'the definitions of base quotas, where allot has them from a file', path)
    .option('-n, --namespace <name>', 'the namespace of manifests that name none', namespaceName)
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'))
  return withAccessFlags(command)
    .addHelpText('after', OUTCOMES)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: SimulateFlags) => {
      const { filename, deleteFilename, state } = flags
      if (filename.length + deleteFilename.length === 0)
        misuse(command, 'there is nothing to simulate: give manifests with --filename')
      if ([...filename, ...deleteFilename, ...state].filter((file) => file === '-').length > 1)
        misuse(command, 'standard input can be read only once')
      const { runSimulate } = await import('./run.ts')
      await runSimulate(flags, context)
    })
}
