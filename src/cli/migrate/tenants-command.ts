import { Command, InvalidArgumentError, Option } from 'commander'
import type { CliContext } from '../context.ts'
import { withAccessFlags } from '../access/cluster-flags.ts'
import { paths, RECURSIVE } from '../flag-values.ts'
import type { TenantsFlags } from './tenants.ts'

const EXAMPLES = `
Examples:
  allot migrate tenants --dry-run --headroom 20%
  allot migrate tenants oil gas --headroom 20%
  allot migrate tenants oil gas --finish
  kubectl get tenants,resourcequotas -A -o yaml | allot migrate tenants -f - > pools.yaml`

/** `allot migrate tenants`: from the quotas of Capsule's Tenants to resource pools. */
export function tenantsCommand(context: CliContext): Command {
  const command = new Command('tenants')
    .summary('move the resourceQuotas of Tenants of Capsule to resource pools')
    .description(
      "Makes a ResourcePool for each item of the Tenants' resourceQuotas, and a ResourcePoolClaim in each namespace for what it uses. The Tenants stay as they are until --finish. It can be repeated.",
    )
    .argument('[tenants...]', 'the Tenants (default: all that have resourceQuotas)')
    .addOption(
      new Option(
        '-f, --filename <file>',
        'read Tenants and ResourceQuotas of a file, a folder or - for standard input, and print',
      )
        .argParser(paths)
        .default([], 'the API server')
        .conflicts(['kubeconfig', 'context']),
    )
    .option(...RECURSIVE)
    .addOption(
      new Option('--headroom <percent>', 'claim so much more than is used, within what the Tenant has')
        .argParser(percent)
        .default(0n, '0%'),
    )
    .option('--dry-run', 'print the manifests and change nothing', false)
    .addOption(
      new Option('--finish', "empty the Tenants' resourceQuotas, if the pools hold everything")
        .default(false)
        .conflicts('filename'),
    )
  return withAccessFlags(command)
    .addHelpText('after', EXAMPLES)
    .action(async (tenants: readonly string[], flags: TenantsFlags) => {
      const { migrateTenants } = await import('./tenants.ts')
      await migrateTenants(tenants, flags, context)
    })
}

function percent(text: string): bigint {
  const [, digits] = /^(0|[1-9]\d{0,3})%$/.exec(text) ?? []
  if (digits === undefined) throw new InvalidArgumentError('It must be a percentage from 0% to 9999%, such as 20%.')
  return BigInt(digits)
}
