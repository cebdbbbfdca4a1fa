import { COMPONENT_ROLES } from './components.ts'
import { CONTROLLER_ROLES } from './controllers.ts'
import { type BootstrapRole, on, paths } from './rule.ts'

/** Verbs as the tables below write them. */
const READ = 'get list watch'
const WRITE = 'create delete deletecollection patch update'
const BOTH = 'create delete deletecollection get list patch update watch'
const ALL = ['*']

const AUTHENTICATED = 'system:authenticated'
const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-'
const POD_STREAMS = 'pods/attach pods/exec pods/portforward pods/proxy'

const VIEWED = [
  on(
    '',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    READ,
  ),
  on(
    '',
    'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    READ,
  ),
  on('', 'namespaces', READ),
  on('discovery.k8s.io', 'endpointslices', READ),
  on(
    'apps',
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
    READ,
  ),
  on('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', READ),
  on('batch', 'cronjobs cronjobs/status jobs jobs/status', READ),
  on(
    'extensions',
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
    READ,
  ),
  on('policy', 'poddisruptionbudgets poddisruptionbudgets/status', READ),
  on('networking.k8s.io', 'ingresses ingresses/status networkpolicies', READ),
  on('resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates', READ),
]

const EDITED = [
  on('', `${POD_STREAMS} secrets services/proxy`, READ),
  on('', 'serviceaccounts', 'impersonate'),
  on('', `pods ${POD_STREAMS}`, WRITE),
  on('', 'pods/eviction', 'create'),
  on(
    '',
    'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    WRITE,
  ),
  on('', 'serviceaccounts/token', 'create'),
  on(
    'apps',
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
    WRITE,
  ),
  on('autoscaling', 'horizontalpodautoscalers', WRITE),
  on('batch', 'cronjobs jobs', WRITE),
  on(
    'extensions',
    'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
    WRITE,
  ),
  on('policy', 'poddisruptionbudgets', WRITE),
  on('networking.k8s.io', 'ingresses networkpolicies', WRITE),
  on('coordination.k8s.io', 'leases', BOTH),
  on('resource.k8s.io', 'resourceclaims resourceclaimtemplates', WRITE),
]

const ADMINISTERED = [
  on('authorization.k8s.io', 'localsubjectaccessreviews', 'create'),
  on('rbac.authorization.k8s.io', 'rolebindings roles', BOTH),
]

export const BOOTSTRAP_ROLES: readonly BootstrapRole[] = [
  {
    name: 'cluster-admin',
    rules: [on('*', '*', '*'), { verbs: ALL, nonResourceURLs: ALL }],
    groups: ['system:masters'],
  },
  {
    name: 'system:discovery',
    rules: [paths('/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/')],
    groups: [AUTHENTICATED],
  },
  {
    name: 'system:basic-user',
    rules: [
      on('authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews', 'create'),
      on('authentication.k8s.io', 'selfsubjectreviews', 'create'),
    ],
    groups: [AUTHENTICATED],
  },
  {
    name: 'system:public-info-viewer',
    rules: [paths('/healthz /livez /readyz /version /version/')],
    groups: [AUTHENTICATED, 'system:unauthenticated'],
  },
  {
    name: 'system:monitoring',
    rules: [paths('/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*')],
    groups: ['system:monitoring'],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      on('authentication.k8s.io', 'tokenreviews', 'create'),
      on('authorization.k8s.io', 'subjectaccessreviews', 'create'),
    ],
  },
  { name: 'admin', rules: [], aggregates: `${AGGREGATE}admin` },
  { name: 'edit', rules: [], labels: { [`${AGGREGATE}admin`]: 'true' }, aggregates: `${AGGREGATE}edit` },
  { name: 'view', rules: [], labels: { [`${AGGREGATE}edit`]: 'true' }, aggregates: `${AGGREGATE}view` },
  { name: 'system:aggregate-to-admin', rules: ADMINISTERED, labels: { [`${AGGREGATE}admin`]: 'true' } },
  { name: 'system:aggregate-to-edit', rules: EDITED, labels: { [`${AGGREGATE}edit`]: 'true' } },
  { name: 'system:aggregate-to-view', rules: VIEWED, labels: { [`${AGGREGATE}view`]: 'true' } },
  ...COMPONENT_ROLES,
  ...CONTROLLER_ROLES,
]
