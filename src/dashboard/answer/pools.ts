import { RowObjects } from '../../insight/history/estimated-rows.ts'
import { namespacesOf, shownPool } from '../../insight/top/shown-pool.ts'
import { topPools } from '../../insight/top/top.ts'
import { listedNamespaces } from '../../reading/list-rights.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { inOrder } from './not-seen.ts'
import type { Responder } from './question.ts'

/**
 * The pools, with their namespaces and queues. A pool tells of claims in all namespaces. Of these only what the viewer may also read in its
 * namespace goes out, numbers included. The namespace that the viewer names, and the own one of a ServiceAccount, are asked about first.
 */
export const pools: Responder = async ({ viewer, client, parameters, usage, signal }) => {
  const named = [parameters.namespace(), viewer.ownNamespace]
  const { group, resource } = resourcePoolClaim
  const mayList = (namespace: string): Promise<boolean> => {
    signal.throwIfAborted()
    return viewer.may({ verb: 'list', group, resource, namespace })
  }
  const visible = new VisibleObjects(client, await viewer.kinds(), signal)
  const found = (await visible.list(resourcePool.group, resourcePool.resource)).map((one) => resourcePool.read(one))
  const { isWhole, isComplete, has } = await listedNamespaces(mayList, namesFirst(named, found.flatMap(namespacesOf)))
  const readable = new Map(found.map((pool) => [pool.metadata.name ?? '', shownPool(pool, has)]))
  const objects = new RowObjects(found)
  const rows = topPools([...readable.values()]).map(({ pool, limits, claims, waiting, queue }) => {
    const { namespaces = [], claims: claimsOf = {} } = readable.get(pool)?.status ?? {}
    return {
      pool,
      limits: limits.map((limit) => objects.estimated(limit, usage)),
      claims,
      waiting,
      namespaces: namespaces.map((name) => ({
        namespace: name,
        claims: (claimsOf[name] ?? []).map((claim) => ({ name: claim.name, amounts: claim.claims ?? {} })),
      })),
      queue,
      /** Does it tell of namespaces that the viewer may not read? They are left out, and nothing is said of them. */
      isWhole,
    }
  })
  return { code: 200, value: { format: 1, rows, isComplete, notSeen: inOrder(visible.notSeen) } }
}

/** The names of which pools tell, those first that are asked for. */
function namesFirst(wanted: readonly string[], names: readonly string[]): Iterable<string> {
  const all = new Set(names)
  return new Set([...wanted.filter((name) => all.has(name)), ...all])
}
