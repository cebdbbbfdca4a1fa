import { customResources } from '../systems/custom-resources.ts'
import { quantityLedger } from '../systems/counted/api/quantity-ledger.ts'
import { resourcePool } from '../systems/resource-pool/api/resource-pool.ts'
import {
  CAPSULE_LEASE_NAME,
  CERTIFICATE_SECRET,
  CONFIGURATION_NAMES,
  DEFINITIONS_RECORD,
  ENFORCEMENT_PROBE_QUOTA,
  INSTALLED_NAME,
  LEASE_NAME,
  LEDGER_KEY_SECRET,
  WEBHOOK_KEY_SECRET,
} from '../install/installed-names.ts'
import type { Need } from '../install/rbac/need.ts'
import type { ResourceKind } from '../kube/client/kube-client.ts'

const RBAC = 'rbac.authorization.k8s.io'
const LEASES = { group: 'coordination.k8s.io', resource: 'leases' }
const CRDS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }

/** The operator's own objects in its system namespace. */
export const OWN_OBJECTS = [
  ['v1', 'Secret', [CERTIFICATE_SECRET, WEBHOOK_KEY_SECRET, LEDGER_KEY_SECRET]],
  ['v1', 'ConfigMap', [DEFINITIONS_RECORD]],
  ['v1', 'ResourceQuota', [ENFORCEMENT_PROBE_QUOTA]],
  ['coordination.k8s.io/v1', 'Lease', [LEASE_NAME]],
] as const

/** What goes, and from where. */
export interface Removal {
  /** Where the operator runs. */
  readonly namespace: string
  /** Where its own objects live. */
  readonly systemNamespace: string
  readonly generatedQuotas: 'keep' | 'remove'
  /** Delete the CRDs, too, and all objects of their kinds with them. */
  readonly crds: boolean
}

/** The objects of the installation, where they go too. */
export interface InstalledKinds {
  /** The kinds of these objects. */
  readonly installed: readonly ResourceKind[]
  /** The kinds of which nothing may be in a namespace that goes. */
  readonly namespaced: readonly ResourceKind[]
}

/** The rights that an uninstallation needs. */
export function uninstallNeeds(
  { namespace, systemNamespace, generatedQuotas, crds }: Removal,
  kinds: InstalledKinds | undefined,
): readonly Need[] {
  const there = namespace === systemNamespace ? ({ inSystemNamespace: true } as const) : {}
  const remove = generatedQuotas === 'remove' ? ['delete'] : []
  const own = (resource: string, at: number) =>
    ({ group: '', resource, verbs: ['delete'], names: OWN_OBJECTS[at]?.[2] ?? [], inSystemNamespace: true }) as const
  return [
    { ...LEASES, verbs: ['get', 'list'], names: [LEASE_NAME, CAPSULE_LEASE_NAME] },
    // A Lease counts only where a program may do what its operator does.
    ...['clusterroles', 'clusterrolebindings'].map((resource) => ({ group: RBAC, resource, verbs: ['list'] })),
    { group: 'apps', resource: 'deployments', verbs: ['get', 'patch'], names: [INSTALLED_NAME], ...there },
    { group: '', resource: 'pods', verbs: ['list'], ...there },
    ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map((resource) => ({
      group: 'admissionregistration.k8s.io',
      resource,
      verbs: ['get', 'list', 'delete'],
      names: CONFIGURATION_NAMES,
    })),
    ...['resourcequotas', 'limitranges'].map((resource) => ({
      group: '',
      resource,
      verbs: ['list', 'patch', ...remove],
    })),
    { group: resourcePool.group, resource: resourcePool.resource, verbs: ['list', 'patch'] },
    { group: quantityLedger.group, resource: quantityLedger.resource, verbs: ['list', 'delete'] },
    own('secrets', 0),
    own('configmaps', 1),
    own('resourcequotas', 2),
    { ...LEASES, verbs: ['delete'], names: [LEASE_NAME], inSystemNamespace: true },
    { group: '', resource: 'namespaces', verbs: ['list', 'patch'] },
    ...(crds
      ? [
          {
            ...CRDS,
            verbs: ['get', 'delete'],
            names: customResources.map(({ resource, group }) => `${resource}.${group}`),
          },
        ]
      : []),
    ...(kinds === undefined ? [] : installationNeeds(kinds, [...new Set([namespace, systemNamespace])], there)),
  ]
}

const installationNeeds = (
  { installed, namespaced }: InstalledKinds,
  names: readonly string[],
  there: Pick<Need, 'inSystemNamespace'>,
): readonly Need[] => [
  ...installed.map(({ group, resource, namespaced: isThere }) => ({
    group,
    resource,
    verbs: ['list', 'delete'],
    ...(isThere ? there : {}),
  })),
  { group: '', resource: 'namespaces', verbs: ['get', 'delete'], names },
  ...namespaced.map(({ group, resource }) => ({ group, resource, verbs: ['list'], ...there })),
]
