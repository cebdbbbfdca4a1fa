import { setTimeout as sleep } from 'node:timers/promises'
import { topClaims, topNamespaces, topPools, topQuotas } from '../../insight/top/top.ts'
import { claimsText, namespacesText, poolsText, quotasText } from '../../insight/top/top-text.ts'
import { ServerUnreachable } from '../../kube/transport/server-unreachable.ts'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/resource-pool-claim.ts'
import { accessOfFlags } from '../access/access-of-flags.ts'
import { readQuotas } from '../../reading/read-quotas.ts'
import { ServedKinds } from '../../reading/served-kinds.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'
import type { CliContext } from '../context.ts'
import { packageVersion } from '../package-version.ts'
import type { Table, TopFlags } from './top-command.ts'
import { TopError } from './top-error.ts'

/** What is printed, as text and as JSON. */
interface Printed {
  readonly text: string
  readonly json: readonly unknown[]
}

/** Empty: all namespaces. */
type Read = (visible: VisibleObjects, namespace: string) => Promise<Printed>

const READERS: Readonly<Record<Table, Read>> = {
  quotas: async (visible, namespace) => {
    const rows = topQuotas(await readQuotas(visible, namespace))
    return { text: quotasText(rows), json: rows }
  },
  namespaces: async (visible, namespace) => {
    const rows = topNamespaces(await readQuotas(visible, namespace))
    return { text: namespacesText(rows), json: rows }
  },
  pools: async (visible) => {
    const pools = await visible.list(resourcePool.group, resourcePool.resource)
    const rows = topPools(pools.map((one) => resourcePool.read(one)))
    return { text: poolsText(rows), json: rows }
  },
  claims: async (visible, namespace) => {
    const claims = await visible.list(resourcePoolClaim.group, resourcePoolClaim.resource, { namespace })
    const rows = topClaims(claims.map((one) => resourcePoolClaim.read(one)))
    return { text: claimsText(rows), json: rows }
  },
}

/** Clears the screen of a terminal and goes to its first line. */
const CLEAR = '\u001B[2J\u001B[H'

/**
 * Prints a table, and with `--watch` again after each change until it is stopped. Rejects with TopError where nothing of it can be read, and as
 * `KubeClient` does.
 */
export async function runTop(table: Table, flags: TopFlags, context: CliContext): Promise<void> {
  const { environment, out, err, stop, isTerminal } = context
  const access = accessOfFlags(flags, environment)
  // A table of namespaces has all of them, unless one is named.
  const usual = table === 'namespaces' ? '' : access.namespace
  const namespace = flags.allNamespaces === true ? '' : (flags.namespace ?? usual)
  const { client, close } = openKubeClient({ access, environment, version: packageVersion() })
  const separator = flags.output === 'json' ? '' : isTerminal === true ? CLEAR : '\n'
  try {
    const kinds = await ServedKinds.read(client, stop)
    let last: string | undefined
    // An API server that is away for a moment does not end a watch that has begun.
    const unlessWatching = (error: unknown): undefined => {
      if (last === undefined || !(error instanceof ServerUnreachable)) throw error
    }
    do {
      const visible = new VisibleObjects(client, kinds, stop)
      const read = await READERS[table](visible, namespace).catch(unlessWatching)
      if (read === undefined) continue
      const { text, json } = read
      const { notSeen } = visible
      if (notSeen.length > 0 && json.length === 0 && last === undefined)
        throw new TopError(
          notSeen.map(({ resource, reason }) => `${resource}: ${reason}`).join('; '),
          'name a namespace that you may read with --namespace, or ask for the right',
        )
      const printed = flags.output === 'json' ? `${JSON.stringify(json, undefined, 2)}\n` : text
      if (printed === last) continue
      if (flags.watch === true && (last !== undefined || isTerminal === true)) out(separator)
      out(printed)
      for (const { resource, reason } of notSeen) err(`not seen: ${resource}: ${reason}\n`)
      last = printed
    } while (flags.watch === true && !(await isStopped(flags.interval, stop)))
  } catch (error) {
    // Stopping it is how one ends a watch.
    if (flags.watch !== true || !stop.aborted) throw error
  } finally {
    await close()
  }
}

/** Waits; tells whether the command was stopped meanwhile, which is how one ends it. */
async function isStopped(ms: number, stop: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal: stop }).catch(() => undefined)
  return stop.aborted
}
