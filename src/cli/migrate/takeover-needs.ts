import { LEASE_NAME } from '../../install/installed-names.ts'
import type { Need } from '../../install/rbac/need.ts'
import type { Peer } from '../../migrate/takeover/peer.ts'

const RBAC = 'rbac.authorization.k8s.io'
const ADMISSION = 'admissionregistration.k8s.io'

/** The permissions that the command needs, in either direction. `inSystemNamespace` is where allot runs. */
export function takeoverNeeds({ kinds, lease }: Peer): readonly Need[] {
  const crds = kinds.map(({ resource, group }) => `${resource}.${group}`)
  return [
    { group: 'apps', resource: 'deployments', verbs: ['get', 'list', 'patch'] },
    { group: 'apps', resource: 'daemonsets', verbs: ['list'] },
    { group: '', resource: 'pods', verbs: ['list'] },
    { group: '', resource: 'pods', verbs: ['delete'], inSystemNamespace: true },
    { group: '', resource: 'namespaces', verbs: ['list', 'patch', 'create'] },
    { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verbs: ['create'] },
    { group: '', resource: 'services', verbs: ['list'] },
    { group: '', resource: 'configmaps', verbs: ['get'] },
    { group: '', resource: 'configmaps', verbs: ['create', 'delete'], inSystemNamespace: true },
    { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', verbs: ['list'] },
    { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', verbs: ['get', 'update'], names: crds },
    ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map((resource) => ({
      group: ADMISSION,
      resource,
      verbs: ['get', 'list', 'create', 'update', 'delete'],
    })),
    { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get'], names: [LEASE_NAME], inSystemNamespace: true },
    ...(lease === undefined
      ? []
      : [
          { group: 'coordination.k8s.io', resource: 'leases', verbs: ['list'] },
          // A Lease counts only where a program may do what the peer does.
          { group: RBAC, resource: 'clusterroles', verbs: ['list'] },
          { group: RBAC, resource: 'clusterrolebindings', verbs: ['list'] },
        ]),
    ...kinds.map(({ group, resource }) => ({ group, resource, verbs: ['list'] })),
  ]
}
