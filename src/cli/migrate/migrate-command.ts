import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { capsuleCommand } from './capsule-command.ts'
import { crqCommand } from './crq-command.ts'
import { hrqCommand } from './hrq-command.ts'
import { quotaOperatorCommand } from './quota-operator-command.ts'
import { tenantsCommand } from './tenants-command.ts'

const COMMANDS = [tenantsCommand, capsuleCommand, quotaOperatorCommand, crqCommand, hrqCommand]

/** `allot migrate`: a command for each system that allot takes the place of. */
export function migrateCommand(context: CliContext): Command {
  const migrate = new Command('migrate')
    .summary('move in from another quota system')
    .description('Moves quotas of other systems to allot.')
  for (const command of COMMANDS) migrate.addCommand(command(context))
  return migrate
}
