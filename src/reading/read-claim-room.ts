import type { ClaimRoom } from '../insight/explain/remedy/room-for-claim.ts'
import { namespacesOf, shownPool } from '../insight/top/shown-pool.ts'
import type { KubeClient } from '../kube/client/kube-client.ts'
import { resourcePool } from '../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../systems/resource-pool/api/claim.ts'
import { listedNamespaces, mayListAs } from './list-rights.ts'
import type { ServedKinds } from './served-kinds.ts'
import { VisibleObjects } from './visible-objects.ts'

/**
 * Reads the pools, and the claims of a namespace, as the caller may: pools tell nothing of claims in namespaces where the caller may list none. Rejects
 * as `KubeClient` does.
 */
export async function readClaimRoom(
  client: KubeClient,
  kinds: ServedKinds,
  namespace: string,
  kubectl: string,
  signal: AbortSignal,
): Promise<ClaimRoom> {
  const visible = new VisibleObjects(client, kinds, signal)
  const kind = kinds.of(resourcePool.group, resourcePool.resource)
  const [listed, claims] = await Promise.all([
    kind === undefined ? undefined : visible.listKind(kind),
    visible.list(resourcePoolClaim.group, resourcePoolClaim.resource, { namespace }),
  ])
  const pools = listed?.map((one) => resourcePool.read(one))
  const mayList = mayListAs(client, resourcePoolClaim, signal)
  const shown = await listedNamespaces(mayList, [namespace, ...(pools ?? []).flatMap(namespacesOf)])
  return {
    pools: pools?.map((pool) => shownPool(pool, shown.has)),
    claims: claims.map((one) => resourcePoolClaim.read(one)),
    kubectl,
    notSeen: visible.notSeen,
  }
}
