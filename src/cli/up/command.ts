import { Command, Option } from 'commander'
import { LOG_LEVELS } from '../../runtime/process/log-level.ts'
import { upConflict } from '../flag-conflicts.ts'
import { withoutDashboardFlags } from '../dashboard-flags.ts'
import { host, path, port } from '../flag-values.ts'
import { OWN_SERVER_RATE, withOperatorFlags } from '../operator-flags.ts'
import type { CliContext } from '../context.ts'
import { withTenantFlag } from '../tenant-flags.ts'
import type { UpOptions } from './options.ts'
import { misuse } from '../misuse.ts'

const EXAMPLES = `
Examples:
  allot up                                    state in .allot, API on https://127.0.0.1:6443
  allot up --in-memory --port 0               nothing is kept but certificates, any free port
  allot up --data-dir /var/lib/allot --kubeconfig ~/.kube/allot`

/** Of both: the server warns of ResourceQuotas itself. */
const WARN_AT: keyof UpOptions = 'warnAt'

/** `allot up`; what it does is loaded when it is called. */
export function upCommand(context: CliContext): Command {
  const addresses = operatorAddresses()
  const command = new Command('up')
    .summary('run the control plane in this process')
    .description('Runs the embedded control plane until it is interrupted (SIGINT or SIGTERM).')
    .option('--port <number>', 'port of the API; 0 takes a free one', port, 6443)
    .option(
      '--host <address>',
      'address of the API; anything but loopback is reachable from outside',
      host,
      '127.0.0.1',
    )
    .addOption(addresses.webhooks)
    .addOption(addresses.metrics)
    .addOption(addresses.health)
    .option('--data-dir <directory>', 'where state, certificates and the kubeconfig are kept', path, '.allot')
    .option('--in-memory', 'keep no state: the data directory holds only certificates and the kubeconfig', false)
    .option(
      '--accept-lost-writes',
      'start although the store has lost acknowledged writes, and go on without them',
      false,
    )
    .option('--kubeconfig <file>', 'where to write the kubeconfig (default: "kubeconfig" in the data directory)', path)
    .option(
      '--first-refusal-only',
      'name only the first quota that refuses a request, in exactly the words of Kubernetes',
      false,
    )
    .option(
      '--no-workloads',
      'run no workload controllers, such as those of Deployments and Jobs, and no simulated node',
    )
    .option(
      '--limited-resources <file>',
      'a ResourceQuotaConfiguration: resources that may be used only where a quota covers them',
      path,
    )
    .addOption(new Option('--log-level <level>', 'least severe events to log').choices(LOG_LEVELS).default('warn'))
  withoutDashboardFlags(command)
    .option('--no-operator', 'serve the API only, without the operator and its kinds')
    .addHelpText('after', EXAMPLES)
  const ofServer = new Set(command.options)
  withTenantFlag(withOperatorFlags(command, OWN_SERVER_RATE, 'proven'))
  const shared = command.options.filter((option) => !ofServer.has(option) && option.attributeName() !== WARN_AT)
  const ofOperator = [...Object.values(addresses), ...shared]
  return command.action(async (options: UpOptions) => {
    const conflict = upConflict(options, givenOf(command, ofOperator))
    if (conflict !== undefined) misuse(command, conflict)
    const { up } = await import('./up.ts')
    await up(options, context)
  })
}

/** The flags with the addresses on which the operator serves. */
function operatorAddresses() {
  const address = (flags: string, description: string): Option =>
    new Option(flags, description).argParser(host).default('127.0.0.1')
  return {
    webhooks: address('--webhook-host <address>', 'address of the admission webhooks'),
    metrics: address('--metrics-host <address>', 'address of the port of /metrics; over TLS on anything but loopback'),
    health: address('--health-host <address>', 'address of the port of /livez and /readyz'),
  }
}

/** Those of the flags that are given, as they are written. */
const givenOf = (command: Command, options: readonly Option[]): readonly string[] =>
  options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long }) => long ?? '')
