import type { Explanation, ObjectId } from '../insight/explain/explanation.ts'
import { chainOf, type Facts, idOf } from '../insight/explain/facts.ts'
import type { ListedClaim } from '../insight/explain/shown-claims.ts'
import type { KubeClient, ResourceKind } from '../kube/client/kube-client.ts'
import { groupOf } from '../machinery/group-version.ts'
import { controllerOf, type KubeObject } from '../machinery/object.ts'
import { EXPLAINED } from './read-facts.ts'
import type { ServedKinds } from './served-kinds.ts'
import { VisibleObjects } from './visible-objects.ts'

/** Each namespace costs a list of each kind that leads to an owner. In others, objects stand for themselves. */
const MOST_NAMESPACES = 5

/**
 * The facts with the owners at the top of what explanations name as holders in other namespaces, as far as the caller may list them. Nothing is read
 * where explanations name no such holder. Rejects as `KubeClient` does.
 */
export async function withOwners(
  explanations: readonly Pick<Explanation, 'holders'>[],
  facts: Facts,
  client: Pick<KubeClient, 'list'>,
  kinds: Pick<ServedKinds, 'of'>,
  signal: AbortSignal,
): Promise<Facts> {
  const foreign = explanations
    .flatMap(({ holders }) => holders)
    .filter(({ owner: { namespace } }) => namespace !== '' && namespace !== facts.namespace)
  const quotas = new Set(foreign.map(({ budgetKind, budget }) => `${budgetKind}/${budget}`))
  const claims = facts.customQuotas
    .filter(({ kind, metadata: { name = '' } }) => quotas.has(`${kind}/${name}`))
    .flatMap(({ status }) => status?.claims ?? [])
  const served = EXPLAINED.flatMap(({ group, resource }) => kinds.of(group, resource) ?? [])
  const visible = new VisibleObjects(client, kinds, signal)
  const namespaces = [...new Set(foreign.map(({ owner }) => owner.namespace))].slice(0, MOST_NAMESPACES)
  const found = await Promise.all(
    namespaces.map((namespace) =>
      ownersIn(
        namespace,
        claims.filter((claim) => claim.namespace === namespace),
        served,
        visible,
      ),
    ),
  )
  return found.length === 0 ? facts : { ...facts, owners: new Map(found.flat()) }
}

/** The objects at the top of those that a quota lists in a namespace, by uid. Only kinds are read that these are of, or that have made some. */
async function ownersIn(
  namespace: string,
  claims: readonly ListedClaim[],
  served: readonly ResourceKind[],
  visible: VisibleObjects,
): Promise<readonly (readonly [string, ObjectId])[]> {
  const byUid = new Map<string, KubeObject>()
  let wanted = claims.map(({ group, kind }) => ({ group, kind }))
  let unread = served
  while (wanted.length > 0) {
    const isWanted = ({ group, kind }: ResourceKind): boolean =>
      wanted.some((one) => one.kind === kind && one.group === group)
    const lists = await Promise.all(unread.filter(isWanted).map((one) => visible.listKind(one, { namespace })))
    unread = unread.filter((one) => !isWanted(one))
    const objects = lists.flatMap((list) => list ?? [])
    for (const one of objects) byUid.set(one.metadata.uid ?? '', one)
    wanted = objects
      .flatMap((one) => controllerOf(one) ?? [])
      .map(({ apiVersion, kind }) => ({ group: groupOf(apiVersion), kind }))
  }
  return claims.flatMap(({ uid }) => {
    const object = byUid.get(uid)
    return object === undefined ? [] : [[uid, idOf(chainOf(object, { byUid })[0] ?? object, namespace)] as const]
  })
}
