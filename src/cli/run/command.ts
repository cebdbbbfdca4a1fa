import { Command, Option } from 'commander'
import { LOG_LEVELS } from '../../runtime/process/log-level.ts'
import { runConflict } from '../flag-conflicts.ts'
import { withAccessFlags } from '../access/cluster-flags.ts'
import { withDashboardFlags } from '../dashboard-flags.ts'
import { duration, host, path } from '../flag-values.ts'
import { CLUSTER_RATE, withOperatorFlags } from '../operator-flags.ts'
import { withResourceQuotaFlags } from '../resource-quota-flags.ts'
import type { RunOptions } from './options.ts'
import type { CliContext } from '../context.ts'
import { misuse } from '../misuse.ts'

/** API servers need a moment to follow a Service to another replica; shorter than Kubernetes' 30 seconds of grace. */
const NOTICE_MS = 3_000

const EXAMPLES = `
Examples:
  allot run --webhook-service allot-system/allot          in a cluster, behind the Service allot
  allot run --kubeconfig ~/.kube/config --webhook-url https://10.0.0.7:9443 --webhook-port 9443 --host 0.0.0.0
                                                          outside, where API servers reach this machine as 10.0.0.7`

/** `allot run`; what it does is loaded when it is called. */
export function runCommand(context: CliContext): Command {
  const command = withAccessFlags(new Command('run'))
    .summary('run the operator against an API server')
    .description('Runs the operator against the API server of a kubeconfig, or of the cluster that it runs in.')
    .option('--host <address>', 'address to serve webhooks, metrics and health on', host, '0.0.0.0')
    .option(
      '--metrics-auth',
      'serve /metrics over TLS, only to clients that the API server authenticates and allows to get it',
      false,
    )
    .option(
      '--webhook-client-ca <file>',
      'authorities of which API servers have to present a certificate to the webhooks (default: they need none)',
      path,
    )
    .addOption(
      new Option(
        '--shutdown-delay-duration <time>',
        'how long reviews are still answered after the signal to stop, so that API servers find another replica',
      )
        .argParser(duration)
        .default(NOTICE_MS, '3s'),
    )
    .addOption(new Option('--log-level <level>', 'least severe events to log').choices(LOG_LEVELS).default('info'))
    .addHelpText('after', EXAMPLES)
  withDashboardFlags(command)
  return withOperatorFlags(withResourceQuotaFlags(command), CLUSTER_RATE, 'any').action(async (options: RunOptions) => {
    const conflict = runConflict(options)
    if (conflict !== undefined) misuse(command, conflict)
    const { run } = await import('./operator.ts')
    await run(options, context)
  })
}
