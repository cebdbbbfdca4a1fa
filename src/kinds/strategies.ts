import { admissionRegistrationStrategies } from './admissionregistration/admission-registration.ts'
import { autoscalingStrategies } from './autoscaling/autoscaling.ts'
import type { CertificateChecks } from './certificates/checks.ts'
import { clusterStrategies } from './cluster.ts'
import { configStrategies } from './core/config.ts'
import { customResourceDefinitionStrategies } from './apiextensions/custom-resource-definition.ts'
import { daemonSetStrategies } from './apps/daemon-set.ts'
import { jobStrategies } from './batch/job.ts'
import { kindWarnings } from './kind-warnings.ts'
import { limitRangeStrategies } from './core/limit-range.ts'
import { namespaceStrategies } from './core/namespace.ts'
import { networkingStrategies } from './networking/networking.ts'
import { podStrategies } from './core/pod/strategy.ts'
import { policyStrategies } from './policy/policy.ts'
import { quotaStrategies } from './resource-quota/strategy.ts'
import { rbacStrategies } from './rbac/rbac.ts'
import { replicaWorkloads } from './apps/replica-workload.ts'
import { schedulingStrategies } from './scheduling/scheduling.ts'
import { serviceStrategies } from './core/service/strategy.ts'
import { statefulSetStrategies } from './apps/stateful-set.ts'
import { storageStrategies } from './storage/storage.ts'
import type { Strategies } from './strategy/strategy.ts'

const behaviours = (checks: CertificateChecks): Strategies => ({
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
  ...clusterStrategies(checks),
})

/** How each built-in kind behaves, by resource: `pods`, `deployments.apps`. Other kinds have no peculiarities. */
export function strategies(checks: CertificateChecks): Strategies {
  const all = behaviours(checks)
  const warned = Object.entries(kindWarnings(checks)).map(([resource, warnings]) => [
    resource,
    { ...all[resource], warnings },
  ])
  return { ...all, ...Object.fromEntries(warned) }
}
