import { Command, Option } from 'commander'
import { type AccessFlags, withAccessFlags } from '../access/cluster-flags.ts'
import type { CliContext } from '../context.ts'
import { namespaceName, path, patience } from '../flag-values.ts'
import { demandCompany } from '../misuse.ts'

export interface DoctorFlags extends AccessFlags {
  readonly namespace?: string
  readonly fix?: boolean
  readonly yes?: boolean
  /** Milliseconds. */
  readonly settle: number
  readonly supportBundle?: string
  readonly output: 'text' | 'json'
}

const EXAMPLES = `
Examples:
  allot doctor
  allot doctor -n shop
  allot doctor --fix
  allot doctor --fix --yes
  allot doctor --support-bundle bundle.json`

/** `allot doctor`: needs nothing of allot in the cluster. */
export function doctorCommand(context: CliContext): Command {
  const command = new Command('doctor')
    .summary('find what is wrong with the quotas of a cluster, and mend what can be mended')
    .description(
      'Compares ledgers, statuses and objects, and looks at webhooks, certificates, rights and API services. A finding that controllers may mend counts only if it stays. It changes nothing without --fix --yes. Exit code 3: something is wrong.',
    )
    .option('-n, --namespace <name>', 'only the quotas of this namespace (default: of all)', namespaceName)
    .option('--fix', 'print the changes that mend what was found')
    .option('--yes', 'with --fix: make these changes')
    .addOption(
      new Option('--settle <duration>', 'how long a finding must stay that controllers may mend')
        .argParser(patience)
        .default(5_000, '5s'),
    )
    .option('--support-bundle <file>', 'write what helps others to help, without secrets, - for standard output', path)
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'))
  return withAccessFlags(command)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: DoctorFlags) => {
      demandCompany(command, ['yes'], ['fix'])
      const { runDoctor } = await import('./run.ts')
      await runDoctor(flags, context)
    })
}
