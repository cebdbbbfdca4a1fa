import { RowObjects } from '../../insight/history/estimated-rows.ts'
import { namespacesOf } from '../../insight/top/shown-pool.ts'
import { topPools } from '../../insight/top/top.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'
import { resourcePool, type ResourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/resource-pool-claim.ts'
import type { Viewer } from '../viewer/viewer.ts'
import { inOrder } from './not-seen.ts'
import type { Responder } from './question.ts'

/** Of a viewer who may not read the claims of all namespaces it is asked for so many of them whether the viewer may. */
const MOST_ASKED = 100
/** At a time, so that the questions about one viewer do not crowd out others. */
const AT_A_TIME = 10

/**
 * The pools, with their namespaces and queues. A pool tells of claims in all namespaces. Of these only what the viewer may also read in its
 * namespace goes out, numbers included. The namespace that the viewer names, and the own one of a ServiceAccount, are asked about first.
 */
export const pools: Responder = async ({ viewer, client, parameters, usage, signal }) => {
  const named = [parameters.namespace(), viewer.ownNamespace]
  const visible = new VisibleObjects(client, await viewer.kinds(), signal)
  const found = (await visible.list(resourcePool.group, resourcePool.resource)).map((one) => resourcePool.read(one))
  const shown = await shownNamespaces(viewer, found, named, signal)
  const byName = new Map(found.map((pool) => [pool.metadata.name ?? '', pool]))
  const objects = new RowObjects(found)
  const rows = topPools(found).map((row) => {
    const status = byName.get(row.pool)?.status
    const namespaces = (status?.namespaces ?? []).filter((name) => shown.has(name))
    const queue = row.queue.filter(({ namespace }) => shown.has(namespace))
    const claimsOf = namespaces.map((name) => ({
      namespace: name,
      claims: (status?.claims?.[name] ?? []).map((claim) => ({ name: claim.name, amounts: claim.claims ?? {} })),
    }))
    const isWhole = shown.isWhole
    return {
      pool: row.pool,
      limits: row.limits.map((limit) => objects.estimated(limit, usage)),
      claims: isWhole ? row.claims : claimsOf.reduce((sum, { claims }) => sum + claims.length, 0),
      waiting: isWhole ? row.waiting : queue.length,
      namespaces: claimsOf,
      queue,
      /** Does it tell of namespaces that the viewer may not read? They are left out, and nothing is said of them. */
      isWhole,
    }
  })
  const { isComplete } = shown
  return { code: 200, value: { format: 1, rows, isComplete, notSeen: inOrder(visible.notSeen) } }
}

interface ShownNamespaces {
  readonly has: (namespace: string) => boolean
  /** Are all namespaces shown? */
  readonly isWhole: boolean
  /** Was it asked about all namespaces? */
  readonly isComplete: boolean
}

async function shownNamespaces(
  viewer: Viewer,
  found: readonly ResourcePool[],
  named: readonly string[],
  signal: AbortSignal,
): Promise<ShownNamespaces> {
  const { group, resource } = resourcePoolClaim
  const mayRead = (namespace: string): Promise<boolean> => viewer.may({ verb: 'list', group, resource, namespace })
  if (found.length === 0 || (await mayRead(''))) return { has: () => true, isWhole: true, isComplete: true }
  const all = new Set(found.flatMap(namespacesOf))
  const names = [...new Set([...named.filter((name) => all.has(name)), ...all])].slice(0, MOST_ASKED)
  const shown = new Set<string>()
  for (let at = 0; at < names.length; at += AT_A_TIME) {
    signal.throwIfAborted()
    const some = names.slice(at, at + AT_A_TIME)
    const allowed = await Promise.all(some.map(mayRead))
    for (const [index, name] of some.entries()) if (allowed[index] === true) shown.add(name)
  }
  return { has: (name) => shown.has(name), isWhole: false, isComplete: all.size <= MOST_ASKED }
}
