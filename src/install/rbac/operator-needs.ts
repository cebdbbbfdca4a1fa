import { customResources } from '../../systems/custom-resources.ts'
import {
  CAPSULE_LEASE_NAME,
  CERTIFICATE_SECRET,
  CONFIGURATION_NAMES,
  LEASE_NAME,
  LEDGER_KEY_SECRET,
  WEBHOOK_KEY_SECRET,
} from '../installed-names.ts'
import type { Need } from './need.ts'

const RBAC = 'rbac.authorization.k8s.io'
const COORDINATION = 'coordination.k8s.io'
const ADMISSION = 'admissionregistration.k8s.io'
const CRDS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }
const SECRETS = [CERTIFICATE_SECRET, WEBHOOK_KEY_SECRET, LEDGER_KEY_SECRET]

/** The permissions that the operator itself needs, whatever systems it runs. */
export const OPERATOR_NEEDS: readonly Need[] = [
  // Dry runs, too: whether the API server labels namespaces with their names.
  { group: '', resource: 'namespaces', verbs: ['get', 'create'] },
  { group: '', resource: 'secrets', verbs: ['create'], inSystemNamespace: true },
  { group: '', resource: 'secrets', verbs: ['get', 'update'], names: SECRETS, inSystemNamespace: true },
  { group: COORDINATION, resource: 'leases', verbs: ['get', 'list'], names: [LEASE_NAME, CAPSULE_LEASE_NAME] },
  // The Lease of another program counts only where that may write pools.
  ...['clusterroles', 'clusterrolebindings'].map((resource) => ({ group: RBAC, resource, verbs: ['list'] })),
  { group: COORDINATION, resource: 'leases', verbs: ['create'], inSystemNamespace: true },
  { group: COORDINATION, resource: 'leases', verbs: ['update'], names: [LEASE_NAME], inSystemNamespace: true },
  { group: 'events.k8s.io', resource: 'events', verbs: ['create', 'patch'] },
  // Which kinds the API server serves decides what can be counted.
  { ...CRDS, verbs: ['get', 'list', 'watch', 'create'] },
  { ...CRDS, verbs: ['patch'], names: customResources.map(({ group, resource }) => `${resource}.${group}`) },
  ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].flatMap((resource): readonly Need[] => [
    { group: ADMISSION, resource, verbs: ['create'] },
    { group: ADMISSION, resource, verbs: ['list', 'watch', 'update'], names: CONFIGURATION_NAMES },
  ]),
]

/** Reviews of those who read the metrics of an operator with `--metrics-auth`. */
export const METRICS_ACCESS_NEEDS: readonly Need[] = [
  { group: 'authentication.k8s.io', resource: 'tokenreviews', verbs: ['create'] },
  { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verbs: ['create'] },
]

/** On API servers before 1.21, which do not label namespaces with their names. */
export const EXEMPT_LABEL_NEEDS: readonly Need[] = [
  { group: '', resource: 'namespaces', verbs: ['list', 'watch', 'patch'] },
]
