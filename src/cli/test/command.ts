import { Command, Option } from 'commander'
import { type AccessFlags, withAccessFlags } from '../access/cluster-flags.ts'
import type { CliContext } from '../context.ts'
import { namespaceName, path } from '../flag-values.ts'
import { demandCompany, misuse } from '../misuse.ts'

export interface TestFlags extends AccessFlags {
  readonly junit?: string
  readonly failOnly?: true
  readonly init?: true
  readonly namespace?: string
}

const OUTCOMES = `
Verdicts and exit codes:
  ok     0  everything is as expected, in all tests
  FAIL   3  something is not as expected, or it is not known whether it is
  ERROR  1  a test file is wrong; the other tests run all the same
         2  the command line makes no sense
With --init: 3 where the new test is not what the cluster has, 1 where nothing
can be expected.`

const EXAMPLES = `
Examples:
  allot test
  allot test quotas/ --junit report.xml
  allot test --init -n shop quotas/shop`

/** `allot test`: tests of quotas, without a cluster. */
export function testCommand(context: CliContext): Command {
  const command = new Command('test')
    .summary('test quotas, pools and claims without a cluster')
    .description(
      'Runs the quota-test.yaml of each folder, and of the folders in it: what is given, what happens then, and what has to come of it. It needs no cluster.',
    )
    .argument('[folders...]', 'the folders with tests (default: the current one)')
    .option('--junit <file>', 'write a report for CI systems', path)
    .option('--fail-only', 'print only the tests that fail')
    .addOption(
      new Option('--init', 'write a first test of a namespace of the cluster into a folder').conflicts([
        'junit',
        'failOnly',
      ]),
    )
    .option('-n, --namespace <name>', 'the namespace for --init (default: that of the context)', namespaceName)
  return withAccessFlags(command)
    .addHelpText('after', OUTCOMES)
    .addHelpText('after', EXAMPLES)
    .action(async (folders: readonly string[], flags: TestFlags) => {
      demandCompany(command, ['namespace', 'kubeconfig', 'context'], ['init'])
      if (flags.init === true && folders.length > 1) misuse(command, '--init writes into one folder')
      const { runTest } = await import('./run.ts')
      await runTest(folders, flags, context)
    })
}
