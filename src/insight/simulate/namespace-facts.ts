import { isResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { qualified } from '../../machinery/status.ts'
import { type Facts, indexed } from '../explain/facts.ts'
import { WORKLOAD_KINDS } from '../explain/workload-kinds.ts'
import { readCustomQuota } from './custom-quota-tally.ts'
import { CUSTOM_QUOTAS } from './custom-quotas.ts'
import { RESOURCE_QUOTAS, type World, NAMESPACES } from './world.ts'

const RESOURCES = [
  { group: '', resource: 'pods' },
  { group: '', resource: 'persistentvolumeclaims' },
  ...[...WORKLOAD_KINDS.values()].map(({ group, resource }) => ({ group, resource })),
]

/** A namespace of a world, as explanations want it. */
export function namespaceFacts(world: World, namespace: string, notSeen: Facts['notSeen']): Facts {
  const objects = new Map(RESOURCES.map((of) => [qualified(of), world.list(of, namespace)]))
  const found = world.find(NAMESPACES, '', namespace)
  return {
    namespace,
    quotas: world.list(RESOURCE_QUOTAS, namespace).filter(isResourceQuota),
    customQuotas: CUSTOM_QUOTAS.flatMap((kind) =>
      kind.namespaced ? world.list(kind, namespace) : world.all(kind),
    ).map(readCustomQuota),
    // Budgets of this kind are not simulated.
    karmadaQuotas: [],
    namespaceLabels: found && (found.metadata.labels ?? {}),
    limitRanges: world.list({ group: '', resource: 'limitranges' }, namespace),
    objects,
    ...indexed(objects),
    kubectl: `kubectl -n ${namespace}`,
    autoscalers: world.list({ group: 'autoscaling', resource: 'horizontalpodautoscalers' }, namespace),
    failures: [],
    notSeen,
    // The admission of the simulation has filled in what they give, or has refused the pod.
    classes: new Map(),
    now: world.now,
  }
}
