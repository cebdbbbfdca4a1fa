import { isResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import { LOOKED_UP } from '../insight/explain/cluster-classes.ts'
import { type Facts, indexed } from '../insight/explain/facts.ts'
import { type ListedClaim, shownClaims } from '../insight/explain/shown-claims.ts'
import { WORKLOAD_KINDS } from '../insight/explain/workload-kinds.ts'
import type { KubeClient } from '../kube/client/kube-client.ts'
import { apiVersionOf } from '../machinery/group-version.ts'
import type { KubeObject } from '../machinery/object.ts'
import { NAMESPACES } from '../operator/cluster/keep-namespace.ts'
import { customQuota } from '../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../systems/custom-quota/api/global-custom-quota.ts'
import { karmadaQuota } from '../systems/karmada-quota/api/karmada-quota.ts'
import { RESOURCE_BINDINGS } from '../systems/karmada-quota/api/names.ts'
import { isForbidden, isNotFound, qualified } from '../machinery/status.ts'
import { listedNamespaces, mayListAs } from './list-rights.ts'
import type { ServedKinds } from './served-kinds.ts'
import { VisibleObjects } from './visible-objects.ts'

/** What explanations look at: what takes room, and the workloads that make it. */
export const EXPLAINED = [
  { group: '', resource: 'pods' },
  { group: '', resource: 'persistentvolumeclaims' },
  { group: RESOURCE_BINDINGS.group, resource: RESOURCE_BINDINGS.resource },
  ...[...WORKLOAD_KINDS.values()].map(({ group, resource }) => ({ group, resource })),
]

const CLASS_KINDS: Pick<ServedKinds, 'of'> = {
  of: (group, resource) => LOOKED_UP.find((one) => one.group === group && one.resource === resource),
}

/**
 * Reads what an explanation needs of a namespace, as its caller may. What the caller may not read is in `notSeen`; what the server does not serve is
 * left out. Rejects as `KubeClient` does.
 */
export async function readFacts(
  client: KubeClient,
  kinds: ServedKinds,
  namespace: string,
  now: number,
  kubectl: string,
  signal: AbortSignal,
): Promise<Facts> {
  const visible = new VisibleObjects(client, kinds, signal)
  // No discovery is needed for these.
  const classes = new VisibleObjects(client, CLASS_KINDS, signal, visible.notSeen)
  const list = (group: string, resource: string, options: Parameters<VisibleObjects['list']>[2] = {}) =>
    visible.list(group, resource, { namespace, ...options })
  const [objects, quotas, limitRanges, own, global, karmada, itself, autoscalers, failures, known] = await Promise.all([
    Promise.all(
      EXPLAINED.filter(({ group, resource }) => kinds.of(group, resource) !== undefined).map(
        async ({ group, resource }) => [qualified({ group, resource }), await list(group, resource)] as const,
      ),
    ),
    list('', 'resourcequotas'),
    list('', 'limitranges'),
    list(customQuota.group, customQuota.resource),
    list(globalCustomQuota.group, globalCustomQuota.resource, { namespace: '' }),
    list(karmadaQuota.group, karmadaQuota.resource),
    readNamespace(client, namespace, signal),
    // Served by all versions of Kubernetes, and the newer one says nothing more that matters here.
    list('autoscaling', 'horizontalpodautoscalers', { version: 'v1' }),
    list('', 'events', { fieldSelector: 'reason=FailedCreate' }),
    Promise.all(
      LOOKED_UP.map(async (of) => {
        const options = of.namespaced ? { namespace } : {}
        return [qualified(of), await classes.list(of.group, of.resource, options)] as const
      }),
    ),
  ])
  const byResource = new Map(objects)
  const customQuotas = [...own.map((one) => customQuota.read(one)), ...global.map((one) => globalCustomQuota.read(one))]
  const isShown = await shownTo(client, kinds, customQuotas, signal)
  return {
    namespace,
    quotas: quotas.filter(isResourceQuota),
    ...shownClaims(customQuotas, isShown),
    karmadaQuotas: karmada.map((one) => karmadaQuota.read(one)),
    ...itself,
    limitRanges,
    objects: byResource,
    ...indexed(byResource),
    kubectl,
    autoscalers,
    failures,
    classes: new Map(known.filter(([name]) => !visible.notSeen.some(({ resource }) => resource === name))),
    notSeen: visible.notSeen,
    now,
  }
}

/** Which of the objects that quotas list the caller may list, too. Those of kinds that are not served nobody may. */
async function shownTo(
  client: KubeClient,
  kinds: ServedKinds,
  quotas: Facts['customQuotas'],
  signal: AbortSignal,
): Promise<(claim: ListedClaim) => boolean> {
  const claims = quotas.flatMap(({ status }) => status?.claims ?? [])
  const byKind = Map.groupBy(claims, kindOf)
  const rights = await Promise.all(
    [...byKind].map(async ([id, some]) => {
      const [first] = some
      const served = first === undefined ? undefined : await kinds.ofManifest(apiVersionOf(first), first.kind)
      const namespaces = some.map(({ namespace = '' }) => namespace)
      return [id, served && (await listedNamespaces(mayListAs(client, served, signal), namespaces))] as const
    }),
  )
  const known = new Map(rights)
  return (claim) => known.get(kindOf(claim))?.has(claim.namespace ?? '') === true
}

const kindOf = ({ group, version, kind }: ListedClaim): string => `${apiVersionOf({ group, version })} ${kind}`

/** What is known of the namespace itself. */
async function readNamespace(
  client: KubeClient,
  name: string,
  signal: AbortSignal,
): Promise<Pick<Facts, 'namespaceLabels' | 'isNamespaceMissing'>> {
  try {
    const { metadata } = await client.get<KubeObject>(NAMESPACES, { namespace: '', name }, { signal })
    return { namespaceLabels: metadata.labels ?? {} }
  } catch (error) {
    if (isForbidden(error)) return { namespaceLabels: undefined }
    if (isNotFound(error)) return { namespaceLabels: undefined, isNamespaceMissing: true }
    throw error
  }
}
