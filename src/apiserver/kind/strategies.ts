import { admissionRegistrationStrategies } from './admission-registration.ts'
import { autoscalingStrategies } from './autoscaling.ts'
import { clusterStrategies } from './cluster.ts'
import { configStrategies } from './config.ts'
import { customResourceDefinitionStrategies } from './custom-resource-definition.ts'
import { daemonSetStrategies } from './daemon-set.ts'
import { jobStrategies } from './job.ts'
import { kindWarnings } from './kind-warnings.ts'
import { limitRangeStrategies } from './limit-range.ts'
import { namespaceStrategies } from './namespace.ts'
import { networkingStrategies } from './networking.ts'
import { podStrategies } from './pod.ts'
import { policyStrategies } from './policy.ts'
import { quotaStrategies } from './quota.ts'
import { rbacStrategies } from './rbac.ts'
import { replicaWorkloads } from './replica-workload.ts'
import { schedulingStrategies } from './scheduling.ts'
import { serviceStrategies } from './service.ts'
import { statefulSetStrategies } from './stateful-set.ts'
import { storageStrategies } from './storage.ts'
import type { Strategies } from './strategy.ts'

const behaviours: Strategies = {
  ...podStrategies,
  ...namespaceStrategies,
  ...configStrategies,
  ...quotaStrategies,
  ...limitRangeStrategies,
  ...serviceStrategies,
  ...storageStrategies,
  ...replicaWorkloads,
  ...statefulSetStrategies,
  ...daemonSetStrategies,
  ...jobStrategies,
  ...schedulingStrategies,
  ...rbacStrategies,
  ...policyStrategies,
  ...autoscalingStrategies,
  ...networkingStrategies,
  ...admissionRegistrationStrategies,
  ...customResourceDefinitionStrategies,
  ...clusterStrategies,
}

/** How each built-in kind behaves, by resource: `pods`, `deployments.apps`. What is not listed has no peculiarities. */
export const strategies: Strategies = {
  ...behaviours,
  ...Object.fromEntries(
    Object.entries(kindWarnings).map(([resource, warnings]) => [resource, { ...behaviours[resource], warnings }]),
  ),
}
