import { conditionOf } from '../../api/condition.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
import { ENFORCED } from '../../systems/custom-quota/api/quota-names.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { CLUSTER_CLASSES } from '../explain/cluster-classes.ts'
import { type WorkloadWrite, workloadWarnings } from '../workload-warnings.ts'
import { namespaceFacts } from './namespace-facts.ts'
import type { World } from './world.ts'

const DEFINITIONS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }

/** What `allot up` says to the writer of a workload. `isChanged`: may webhooks change its pods? */
export function warningsOfWorkload(write: WorkloadWrite, world: World, isChanged: boolean): readonly string[] {
  const { namespace = '' } = write.object.metadata
  const facts = namespaceFacts(world, namespace, [])
  const customQuotas = facts.customQuotas.filter(
    ({ status }) => conditionOf(status?.conditions, ENFORCED)?.status !== 'False',
  )
  if (facts.quotas.length + customQuotas.length === 0 || isOfKarmada(world)) return []
  return workloadWarnings(write, {
    ...facts,
    namespaceLabels: facts.namespaceLabels ?? {},
    customQuotas,
    classes: new Map(CLUSTER_CLASSES.map((of) => [qualified(of), world.all(of)])),
    isChanged,
    hasClaim: (name) => world.find({ group: '', resource: 'persistentvolumeclaims' }, namespace, name) !== undefined,
  })
}

/** The workloads of a control plane of Karmada run elsewhere. */
const isOfKarmada = (world: World): boolean =>
  world.all(RESOURCE_BINDINGS).length > 0 ||
  world.all(DEFINITIONS).some(({ metadata }: KubeObject) => metadata.name === qualified(RESOURCE_BINDINGS))
