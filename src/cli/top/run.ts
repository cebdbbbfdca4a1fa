import { setTimeout as sleep } from 'node:timers/promises'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import { ServerUnreachable } from '../../kube/transport/server-unreachable.ts'
import { listedNamespaces, mayListAs } from '../../reading/list-rights.ts'
import { ServedKinds } from '../../reading/served-kinds.ts'
import { type NotSeen, VisibleObjects } from '../../reading/visible-objects.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { accessOfFlags } from '../access/of-flags.ts'
import type { CliContext } from '../context.ts'
import { AdvisingError } from '../../machinery/advising-error.ts'
import { qualified } from '../../machinery/status.ts'
import { inOneLine } from '../../machinery/text/shown.ts'
import { packageVersion } from '../package-version.ts'
import { type Printed, READERS, type Rights } from './read-table.ts'
import { SeenUsage } from './seen-usage.ts'
import type { Table, TopFlags } from './command.ts'

/** Nothing of a table can be read. */
class TopError extends AdvisingError {}

/** Clears the screen of a terminal and goes to its first line. */
const CLEAR = '\u001B[2J\u001B[H'
/** What is not seen while it does not answer. */
const SERVER = 'the API server'
/** What no namespace has. */
const GLOBAL_QUOTAS = qualified(globalCustomQuota)
/** So many looks have to be apart before a watch says anything of growth. */
const FEWEST_GAPS = 3

interface Look extends Printed {
  readonly notSeen: VisibleObjects['notSeen']
}

/**
 * Prints a table, with `--watch` again after each change until it is stopped, and with `--over` after that time. Rejects with TopError where nothing
 * of it can be read, and as `KubeClient` does.
 */
export async function runTop(table: Table, flags: TopFlags, context: CliContext): Promise<void> {
  const { environment, stop } = context
  const access = accessOfFlags(flags, environment)
  // A table of namespaces has all of them, unless one is named.
  const usual = table === 'namespaces' ? '' : access.namespace
  const namespace = flags.allNamespaces === true ? '' : (flags.namespace ?? usual)
  const { client, close } = openKubeClient({ access, environment, version: packageVersion() })
  try {
    const kinds = await ServedKinds.read(client, stop)
    const usage = usageOf(flags)
    const rights: Rights = (of) => listedNamespaces(mayListAs(client, resourcePoolClaim, stop), of)
    const look = async (): Promise<Look> => {
      const visible = new VisibleObjects(client, kinds, stop)
      const printed = await READERS[table](visible, namespace, { usage, rights })
      return { ...printed, notSeen: visible.notSeen }
    }
    const first = await look()
    assertSeen(first, table)
    if (flags.watch === true) await watch(first, look, flags, context)
    else print(flags.over === undefined ? first : await lookOver(flags.over, first, look, flags, stop), flags, context)
  } catch (error) {
    // Stopping it is how one ends a watch.
    if (flags.watch !== true || !stop.aborted) throw error
  } finally {
    await close()
  }
}

/** Only what looks more than once sees growth. A time that somebody chose is long enough. */
function usageOf({ watch: watches, over, interval }: TopFlags): SeenUsage | undefined {
  if (over !== undefined) return new SeenUsage(interval, 0, systemContext.monotonic)
  return watches === true ? new SeenUsage(interval, FEWEST_GAPS * interval, systemContext.monotonic) : undefined
}

/**
 * Prints the table, and prints it again after each change until stopped. Says at once which objects are no longer seen,
 * or seen again.
 */
async function watch(first: Look, look: () => Promise<Look>, flags: TopFlags, context: CliContext): Promise<void> {
  const { out, err, stop, isTerminal } = context
  const separator = flags.output === 'json' ? '' : isTerminal === true ? CLEAR : '\n'
  if (isTerminal === true) out(separator)
  print(first, flags, context)
  let last = first
  while (!(await isStopped(flags.interval, stop))) {
    const next = await look().catch((error: unknown) => withoutServer(last, error))
    const [lost, back] = [unseen(last, next), unseen(next, last)]
    // An empty table would say that there is nothing.
    const isNew = !isBlind(next) && textOf(next, flags) !== textOf(last, flags)
    if (isNew) out(`${separator}${textOf(next, flags)}`)
    // A cleared screen has lost what stood there.
    for (const one of isNew && isTerminal === true ? next.notSeen : lost) err(lineOf(one))
    for (const { resource } of back) err(`seen again: ${resource}\n`)
    last = isBlind(next) ? { ...last, notSeen: next.notSeen } : next
  }
}

/**
 * Looks repeatedly for a time. Returns the last look that saw anything, with the objects that are not seen at the end.
 * If stopped earlier, returns the last look until then.
 */
async function lookOver(
  over: number,
  first: Look,
  look: () => Promise<Look>,
  { interval }: TopFlags,
  stop: AbortSignal,
): Promise<Look> {
  const { monotonic } = systemContext
  const end = monotonic() + over
  let last = first
  // Growth shows between two looks.
  const pause = Math.min(interval, over / 2)
  for (let left = over; left > 0; left = end - monotonic()) {
    if (await isStopped(Math.min(pause, left), stop)) break
    // A look that is stopped midway does not count.
    const next = await look().catch((error: unknown) => (stop.aborted ? last : withoutServer(last, error)))
    last = isBlind(next) ? { ...last, notSeen: next.notSeen } : next
  }
  return last
}

/** If the API server is unavailable for a moment, the last look stays. */
function withoutServer(last: Look, error: unknown): Look {
  if (!(error instanceof ServerUnreachable)) throw error
  const seen = last.notSeen.filter(({ resource }) => resource !== SERVER)
  return { ...last, notSeen: [...seen, { resource: SERVER, reason: error.message }] }
}

/** Could nothing of the table be read? Most tenants may not list global quotas, and see all that their namespace has. */
const isBlind = ({ notSeen, json }: Look): boolean =>
  json.length === 0 && notSeen.some(({ resource }) => resource !== GLOBAL_QUOTAS)

/** What the second look does not see, and the first one does. */
const unseen = (one: Look, other: Look): readonly NotSeen[] =>
  other.notSeen.filter(({ resource }) => !one.notSeen.some((before) => before.resource === resource))

function assertSeen(look: Look, table: Table): void {
  if (isBlind(look))
    throw new TopError(
      look.notSeen.map(({ resource, reason }) => `${resource}: ${reason}`).join('; '),
      // Pools are in no namespace.
      table === 'pools'
        ? 'ask for the right'
        : 'name a namespace that you may read with --namespace, or ask for the right',
    )
}

const textOf = ({ json, text }: Printed, { output }: TopFlags): string =>
  output === 'json' ? `${JSON.stringify(json, undefined, 2)}\n` : text

const lineOf = ({ resource, reason }: NotSeen): string => `${inOneLine(`not seen: ${resource}: ${reason}`)}\n`

function print(look: Look, flags: TopFlags, { out, err }: CliContext): void {
  out(textOf(look, flags))
  for (const one of look.notSeen) err(lineOf(one))
}

/** Waits; tells whether the command was stopped meanwhile, which is how one ends it. */
async function isStopped(ms: number, stop: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal: stop }).catch(() => undefined)
  return stop.aborted
}
