import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { runTakeover, takeoverCommand, type TakeoverFlags } from './takeover-command.ts'

/** `allot migrate capsule`. */
export function capsuleCommand(context: CliContext): Command {
  return takeoverCommand('capsule', 'Capsule')
    .description(
      'Takes the place of the controller of Capsule. Pools, claims, custom quotas and ledgers stay as they are, and what was limited stays limited throughout. When something fails, Capsule is put back.',
    )
    .option('--leave-unserved', 'go on although nobody will look after Tenants and other kinds of Capsule', false)
    .action(async (flags: TakeoverFlags) => {
      const { CAPSULE } = await import('../../migrate/takeover/peer.ts')
      await runTakeover(CAPSULE, flags, context)
    })
}
