import { Argument, Command, Option } from 'commander'
import { type AccessFlags, withAccessFlags } from '../access/cluster-flags.ts'
import type { CliContext } from '../context.ts'
import { namespaceName, patience } from '../flag-values.ts'
import { demandCompany, flagsOf, isGiven, misuse } from '../misuse.ts'

/** The tables that there are. */
export const TABLES = ['quotas', 'namespaces', 'pools', 'claims'] as const
export type Table = (typeof TABLES)[number]

export interface TopFlags extends AccessFlags {
  readonly namespace?: string
  readonly allNamespaces?: boolean
  readonly watch?: boolean
  /** Milliseconds. */
  readonly over?: number
  /** Milliseconds. */
  readonly interval: number
  readonly output: 'text' | 'json'
}

const EXAMPLES = `
Examples:
  allot top -n shop
  allot top namespaces
  allot top pools --watch
  allot top -n shop --over 5m
  allot top claims -A -o json`

/** `allot top`: needs nothing of allot in the cluster for ResourceQuotas. */
export function topCommand(context: CliContext): Command {
  const command = new Command('top')
    .summary('show used and hard of quotas, namespaces, pools and claims, the nearest to the limit first')
    .description(
      'Reads quotas as its user may, and prints what is used of each limit. A limit that leaves no room is shown as full, also where it is 0. It changes nothing.',
    )
    .addArgument(new Argument('[table]', 'the table to print').choices(TABLES).default('quotas'))
    .option(
      '-n, --namespace <name>',
      'the namespace of quotas and claims (default: that of the context)',
      namespaceName,
    )
    .addOption(new Option('-A, --all-namespaces', 'quotas and claims of all namespaces').conflicts('namespace'))
    .option('-w, --watch', 'print it again whenever it has changed')
    .addOption(
      new Option('--over <duration>', 'watch the usage for so long, then say when each limit will be used up')
        .argParser(patience)
        .conflicts('watch'),
    )
    .addOption(
      new Option('--interval <duration>', 'how often --watch and --over look').argParser(patience).default(2_000, '2s'),
    )
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'))
  return withAccessFlags(command)
    .addHelpText('after', EXAMPLES)
    .action(async (table: Table, flags: TopFlags) => {
      const { over, interval } = flags
      if (table === 'claims' && over !== undefined)
        misuse(command, "option '--over <duration>' cannot be used with claims: they are granted, and not used up")
      const place = ['namespace', 'allNamespaces'].find((name) => isGiven(command, name))
      if (table === 'pools' && place !== undefined)
        misuse(command, `option '${flagsOf(command, place)}' cannot be used with pools: they are in no namespace`)
      demandCompany(command, ['interval'], ['watch', 'over'])
      if (over !== undefined && isGiven(command, 'interval') && interval >= over)
        misuse(command, '--interval must be shorter than --over: growth is seen between two looks')
      const { runTop } = await import('./run.ts')
      await runTop(table, flags, context)
    })
}
