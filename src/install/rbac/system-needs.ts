import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { quantityLedger } from '../../systems/counted/api/quantity-ledger.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { DEFINITIONS_RECORD } from '../installed-names.ts'
import type { Need } from './need.ts'

const READ = ['get', 'list', 'watch']

/** ResourceQuotas that a system keeps as they are to be. Limits that somebody wrote into their status are put back. */
const KEPT_QUOTAS: readonly Need[] = [
  { group: '', resource: 'resourcequotas', verbs: [...READ, 'create', 'update', 'delete'] },
  { group: '', resource: 'resourcequotas', subresource: 'status', verbs: ['patch'] },
]

/** Nothing is reserved for a request that a ResourceQuota refuses. */
const FORESEEN_QUOTAS: Need = { group: '', resource: 'resourcequotas', verbs: ['list', 'watch'] }

export const POOL_NEEDS: readonly Need[] = [
  // Dry runs create pools: they show whether the API server calls the webhooks.
  { ...kindOf(resourcePool), verbs: [...READ, 'create', 'patch'] },
  { ...kindOf(resourcePool), subresource: 'status', verbs: ['patch'] },
  // A quota names its pool as the owner that waits for it.
  { ...kindOf(resourcePool), subresource: 'finalizers', verbs: ['update'] },
  { ...kindOf(resourcePoolClaim), verbs: ['list', 'watch', 'patch'] },
  { ...kindOf(resourcePoolClaim), subresource: 'status', verbs: ['patch'] },
  ...KEPT_QUOTAS,
  { group: '', resource: 'limitranges', verbs: [...READ, 'create', 'update', 'delete'] },
  { group: '', resource: 'namespaces', verbs: ['list', 'watch'] },
]

/** Keeping the ledgers of quotas that count objects, whichever system they are of. */
const LEDGER_NEEDS: readonly Need[] = [
  { ...kindOf(quantityLedger), verbs: [...READ, 'create', 'patch', 'delete'] },
  { ...kindOf(quantityLedger), subresource: 'status', verbs: ['update'] },
]

export const CUSTOM_QUOTA_NEEDS: readonly Need[] = [
  ...[customQuota, globalCustomQuota].flatMap((resource): readonly Need[] => [
    { ...kindOf(resource), verbs: [...READ, 'patch'] },
    { ...kindOf(resource), subresource: 'status', verbs: ['patch'] },
    // A ledger names its quota as the owner that waits for it.
    { ...kindOf(resource), subresource: 'finalizers', verbs: ['update'] },
  ]),
  ...LEDGER_NEEDS,
  { group: '', resource: 'namespaces', verbs: READ },
  FORESEEN_QUOTAS,
  // Authors of quotas must be allowed to list what they count.
  { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verbs: ['create'] },
]

/** With base quotas, which QuotaIncreases raise. */
export const BASE_QUOTA_NEEDS: readonly Need[] = [
  { ...kindOf(quotaIncrease), verbs: ['list', 'watch', 'patch', 'delete'] },
  { ...kindOf(quotaIncrease), subresource: 'status', verbs: ['patch'] },
  { ...kindOf(quotaServiceConfig), verbs: ['list', 'watch'] },
  ...KEPT_QUOTAS,
  { group: '', resource: 'namespaces', verbs: [...READ, 'patch'] },
  // A quota names its namespace as the owner that waits for it.
  { group: '', resource: 'namespaces', subresource: 'finalizers', verbs: ['update'] },
  { group: '', resource: 'configmaps', verbs: ['create'], inSystemNamespace: true },
  { group: '', resource: 'configmaps', verbs: ['get', 'patch'], names: [DEFINITIONS_RECORD], inSystemNamespace: true },
]

/** Without KarmadaQuotas nothing happens to ResourceBindings. */
export const KARMADA_QUOTA_NEEDS: readonly Need[] = [
  { ...kindOf(karmadaQuota), verbs: READ },
  { ...kindOf(karmadaQuota), subresource: 'status', verbs: ['patch', 'update'] },
  FORESEEN_QUOTAS,
  { ...kindOf(RESOURCE_BINDINGS), verbs: [...READ, 'patch'] },
]

/** Filling the status of ResourceQuotas, where no controller of the cluster does. */
export const QUOTA_USAGE_NEEDS: readonly Need[] = [
  FORESEEN_QUOTAS,
  { group: '', resource: 'resourcequotas', subresource: 'status', verbs: ['patch'] },
]

/** Refusing what ResourceQuotas have no room for, where no plugin of the API server does. */
export const QUOTA_ADMISSION_NEEDS: readonly Need[] = [
  { group: '', resource: 'resourcequotas', verbs: ['get'] },
  ...LEDGER_NEEDS,
]

/** Finding out which of both the cluster does, with a quota of its own and dry runs. */
export const QUOTA_PROBE_NEEDS: readonly Need[] = [
  { group: '', resource: 'resourcequotas', verbs: ['get', 'create', 'delete'] },
  { group: '', resource: 'podtemplates', verbs: ['create'], inSystemNamespace: true },
]

function kindOf({ group, resource }: { readonly group: string; readonly resource: string }): {
  readonly group: string
  readonly resource: string
} {
  return { group, resource }
}

/** Telling of workloads on their owners that quotas refuse what they make. */
export const REFUSED_WORKLOAD_NEEDS: readonly Need[] = [
  { group: '', resource: 'events', verbs: ['list', 'watch'] },
  { group: '', resource: 'replicationcontrollers', verbs: ['get'] },
  ...['daemonsets', 'deployments', 'replicasets', 'statefulsets'].map((resource) => ({
    group: 'apps',
    resource,
    verbs: ['get'],
  })),
  ...['cronjobs', 'jobs'].map((resource) => ({ group: 'batch', resource, verbs: ['get'] })),
]
