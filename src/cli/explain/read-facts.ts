import { isResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import { type Facts, indexed } from '../../insight/explain/facts.ts'
import { WORKLOAD_KINDS } from '../../insight/explain/workload-kinds.ts'
import type { KubeClient, ListCallOptions } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { ApiError, isForbidden, isNotFound, qualified } from '../../machinery/status.ts'
import type { ServedKinds } from './served-kinds.ts'

const OBJECTS = [
  { group: '', resource: 'pods' },
  { group: '', resource: 'persistentvolumeclaims' },
  ...[...WORKLOAD_KINDS.values()].map(({ group, resource }) => ({ group, resource })),
]

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
  const notSeen: { readonly resource: string; readonly reason: string }[] = []
  const list = async (
    group: string,
    resource: string,
    options: ListCallOptions & { readonly version?: string } = {},
  ): Promise<readonly KubeObject[]> => {
    const { version, ...rest } = options
    const kind = kinds.of(group, resource, version)
    if (kind === undefined) return []
    try {
      const { items } = await client.list(kind, { namespace, signal, ...rest })
      // Items of a list may come without what the list says once.
      const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
      return items.map((item) => ({ ...item, apiVersion, kind: kind.kind }))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (!isNotFound(error)) notSeen.push({ resource: qualified(kind), reason: reasonOf(error) })
      return []
    }
  }
  const [objects, quotas, limitRanges, autoscalers, failures] = await Promise.all([
    Promise.all(
      OBJECTS.map(
        async ({ group, resource }) => [qualified({ group, resource }), await list(group, resource)] as const,
      ),
    ),
    list('', 'resourcequotas'),
    list('', 'limitranges'),
    // Served by all versions of Kubernetes, and the newer one says nothing more that matters here.
    list('autoscaling', 'horizontalpodautoscalers', { version: 'v1' }),
    list('', 'events', { fieldSelector: 'reason=FailedCreate' }),
  ])
  const byResource = new Map(objects)
  return {
    namespace,
    quotas: quotas.filter(isResourceQuota),
    limitRanges,
    objects: byResource,
    ...indexed(byResource),
    kubectl,
    autoscalers,
    failures,
    notSeen,
    now,
  }
}

function reasonOf(error: ApiError): string {
  const isRefused: boolean = isForbidden(error)
  return isRefused ? 'you may not list them' : `the API server does not give them: ${error.message}`
}
