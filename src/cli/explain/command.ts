import { Command, Option } from 'commander'
import { type AccessFlags, withAccessFlags } from '../access/cluster-flags.ts'
import type { CliContext } from '../context.ts'
import { namespaceName, paths, RECURSIVE } from '../flag-values.ts'
import { misuse } from '../misuse.ts'
import { namedObject } from './named-object.ts'

export interface ExplainFlags extends AccessFlags {
  readonly namespace?: string
  readonly filename: readonly string[]
  readonly recursive?: true
  readonly output: 'text' | 'json'
}

const EXAMPLES = `
Examples:
  allot explain deployment web -n shop
  allot explain statefulset/db -n shop -o json
  allot explain -n shop -f manifests/ -R
  helm template shop ./shop | allot explain -n shop -f -`

/** `allot explain`: needs nothing of allot in the cluster. */
export function explainCommand(context: CliContext): Command {
  const command = new Command('explain')
    .summary('say why an object does not start, what uses the quota, and what helps')
    .description(
      'Reads one namespace as its user may, and says which quotas and LimitRanges keep an object, or the pods that it makes, from being created. It works on any cluster, also without allot, and changes nothing. Exit code 3: something is in the way.',
    )
    .argument('[kind]', 'the kind of the object, such as deployment or sts, or kind/name')
    .argument('[name]', 'its name')
    .option('-n, --namespace <name>', 'the namespace (default: that of the context)', namespaceName)
    .addOption(
      new Option(
        '-f, --filename <file>',
        'explain manifests that nobody has applied yet: a file, a folder, - for standard input',
      )
        .argParser(paths)
        .default([], 'none'),
    )
    .option(...RECURSIVE)
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'))
  return withAccessFlags(command)
    .addHelpText('after', EXAMPLES)
    .action(async (kind: string | undefined, name: string | undefined, flags: ExplainFlags) => {
      const named = namedObject(kind, name, flags.filename)
      if (typeof named === 'string') misuse(command, named)
      if (named !== undefined && flags.recursive === true)
        misuse(command, "option '-R, --recursive' cannot be used without option '-f, --filename <file>'")
      const { runExplain } = await import('./run.ts')
      await runExplain(named, flags, context)
    })
}
