import { all, type ChartCondition, from, isServed, isSet, not, type ObjectTemplate } from '../template/template.ts'
import { POD_LABELS } from '../installed-names.ts'
import { clusterMetadata, metadata } from '../template/common-metadata.ts'

/** Some name has to be there, since an object without one is refused. */
export const PRIORITY_CLASS: ObjectTemplate = {
  file: 'priorityclass',
  condition: all(isSet('priorityClass.create'), isSet('priorityClass.name')),
  object: {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { ...clusterMetadata(), name: from('priorityClass.name') },
    value: from('priorityClass.value'),
    description: 'allot: while none of its pods runs, what quotas count cannot be created',
  },
}

const disruptionBudget = (file: string, apiVersion: string, condition: ChartCondition): ObjectTemplate => ({
  file,
  condition: all(isSet('podDisruptionBudget.enabled'), condition),
  object: {
    apiVersion,
    kind: 'PodDisruptionBudget',
    metadata: metadata(),
    // Not a minimum, which a single replica could not leave.
    spec: { maxUnavailable: 1, selector: { matchLabels: POD_LABELS } },
  },
})

/** In the version that the API server has: Kubernetes 1.20 has only the beta. */
export const DISRUPTION_BUDGETS: readonly ObjectTemplate[] = [
  disruptionBudget('poddisruptionbudget', 'policy/v1', isServed('policy/v1')),
  disruptionBudget(
    'poddisruptionbudget-v1beta1',
    'policy/v1beta1',
    all(isServed('policy/v1beta1'), not(isServed('policy/v1'))),
  ),
]
