import { Command, Option } from 'commander'
import type { Peer } from '../../migrate/takeover/peer.ts'
import type { CliContext } from '../context.ts'
import { type AccessFlags, type PlaceFlags, withAccessFlags, withPlaceFlags } from '../access/cluster-flags.ts'
import { namespaceName, patience, programVersion } from '../flag-values.ts'
import type { TakeoverOptions } from './take-over.ts'
import type { TakeoverWork } from './takeover-work.ts'

/** The flags of both takeovers. */
export interface TakeoverFlags extends AccessFlags, PlaceFlags {
  readonly dryRun: boolean
  readonly back: boolean
  readonly outside: boolean
  readonly assumeVersion?: string
  readonly leaveUnserved?: boolean
  readonly peerNamespace?: string
  readonly timeout: number
}

/** How long each wait lasts: images have to be pulled. */
const PATIENCE_MS = 180_000

/** A command that takes the place of a peer; its own flags are still to be added. */
export function takeoverCommand(name: Peer['name'], title: string): Command {
  const command = new Command(name)
    .summary(`take the place of ${title}, or put it back`)
    .option('--dry-run', 'only say what would be done', false)
    .addOption(
      new Option('--back', `put ${title} back as it was, and stop allot`)
        .default(false)
        .conflicts(['outside', 'leaveUnserved']),
    )
    .option('--outside', 'allot runs outside the cluster and is started when this command asks for it', false)
    .option('--assume-version <version>', `the version of ${title}, where its image does not say it`, programVersion)
  withPlaceFlags(command)
    .option('--peer-namespace <name>', `where ${title} runs (default: the only namespace where it does)`, namespaceName)
    .addOption(
      new Option('--timeout <time>', 'how long each step may wait before all is put back')
        .argParser(patience)
        .default(PATIENCE_MS, '3m'),
    )
  return withAccessFlags(command)
}

/** Runs it. `more`: what a peer needs besides. */
export async function runTakeover(
  peer: Peer,
  flags: TakeoverFlags,
  context: CliContext,
  more: (work: TakeoverWork) => Pick<TakeoverOptions, 'prepare'> = () => ({}),
): Promise<void> {
  const { openCluster } = await import('../access/open-cluster.ts')
  const { systemContext } = await import('../../kube/time/system-context.ts')
  const { ClusterObjects } = await import('../../uninstall/cluster-objects.ts')
  const { migratePeer } = await import('./take-over.ts')
  const { namespace, systemNamespace = namespace, timeout, dryRun, back, outside, assumeVersion } = flags
  const { client, close } = openCluster(flags, context)
  const say = (line: string): void => context.out(`${line}\n`)
  const { stop: signal } = context
  const objects = new ClusterObjects(client, signal, say)
  const work = {
    peer,
    client,
    objects,
    clock: systemContext,
    signal,
    say,
    namespace,
    systemNamespace,
    patienceMs: timeout,
  }
  try {
    await migratePeer(work, {
      isDryRun: dryRun,
      isBack: back,
      outside,
      unserved: flags.leaveUnserved === true,
      ...(assumeVersion === undefined ? {} : { version: assumeVersion }),
      ...(flags.peerNamespace === undefined ? {} : { peerNamespace: flags.peerNamespace }),
      ...more(work),
    })
  } finally {
    await close()
  }
}
