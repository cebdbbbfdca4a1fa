import { at, create, MERGE_PATCH, type Scenario, type Step } from '../../scenario.ts'
import { changes, creates, type Edits, updates } from '../../variants.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const roles = 'rbac.authorization.k8s.io/v1/roles'
const bindings = 'rbac.authorization.k8s.io/v1/rolebindings'
const leases = 'coordination.k8s.io/v1/leases'
const scalers = 'autoscaling/v1/horizontalpodautoscalers'
const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'r' },
  rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
}
const binding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'b' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
  subjects: [{ kind: 'User', name: 'u' }],
}
const priority = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'p' }, value: 5 }
const runtime = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'r' }, handler: 'h' }
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'l' },
  spec: { holderIdentity: 'me' },
}
const scaler = {
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h' },
  spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
}
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }
const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e' },
  involvedObject: { kind: 'Pod', namespace: 'WORD', name: 'p' },
  reason: 'Because',
  message: 'so',
  type: 'Normal',
}

/** Creates and updates of a kind that lives outside namespaces, and its objects' removal. */
function everywhere(path: string, base: object, variants: readonly Edits[], edits: readonly Edits[]): readonly Step[] {
  return [
    ...creates('', base, variants, path),
    ...updates(`${path}/v0-WORD`, edits),
    ...variants.map((_, index): Step => ({ method: 'DELETE', path: `${path}/v${index}-WORD` })),
  ]
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'roles and bindings',
    steps: [
      ...creates(roles, role, [
        {},
        { rules: undefined },
        { rules: [{}] },
        { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
        { rules: [{ verbs: ['get'], resources: ['pods'] }] },
        { rules: [{ verbs: ['get'], apiGroups: [''] }] },
        { 'metadata.name': 'a:b' },
        { 'metadata.name': 'a/b' },
        { 'metadata.name': '..' },
      ]),
      ...creates(bindings, binding, [
        {},
        { roleRef: undefined },
        { roleRef: {} },
        { 'roleRef.kind': 'x' },
        { 'roleRef.kind': 'ClusterRole' },
        { 'roleRef.apiGroup': 'x' },
        { 'roleRef.name': '' },
        { subjects: undefined },
        { subjects: [{}] },
        { subjects: [{ kind: 'User', name: '' }] },
        { subjects: [{ kind: 'User', name: 'u', apiGroup: 'x' }] },
        { subjects: [{ kind: 'x', name: 'u' }] },
        { subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
        { subjects: [{ kind: 'ServiceAccount', name: 'A_b', namespace: 'n' }] },
        { subjects: [{ kind: 'ServiceAccount', name: 'a', apiGroup: 'x', namespace: 'n' }] },
        { subjects: [{ kind: 'Group', name: 'g' }] },
      ]),
      { ...create(bindings, binding), name: 'made' },
      ...changes(at(bindings, 'b'), 'made', [{}, { 'roleRef.name': 'other' }, { subjects: [{}] }]),
      ...everywhere(
        `${RBAC}/clusterroles`,
        { ...role, kind: 'ClusterRole' },
        [
          {},
          { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
          { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['pods'], apiGroups: [''] }] },
          { aggregationRule: {} },
          { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': 'c' } }] } },
        ],
        [{}, { rules: [{}] }],
      ),
      ...everywhere(
        `${RBAC}/clusterrolebindings`,
        { ...binding, kind: 'ClusterRoleBinding', roleRef: { ...binding.roleRef, kind: 'ClusterRole' } },
        [{}, { 'roleRef.kind': 'Role' }, { subjects: [{ kind: 'ServiceAccount', name: 'a' }] }],
        [{}, { 'roleRef.name': 'x' }],
      ),
    ],
  },
  {
    name: 'classes of priorities and runtimes',
    steps: [
      ...everywhere(
        '/apis/scheduling.k8s.io/v1/priorityclasses',
        priority,
        [
          {},
          { value: undefined },
          { value: 1000000001 },
          { value: -5 },
          { value: 'x' },
          { preemptionPolicy: 'x' },
          { preemptionPolicy: 'Never', description: 'd' },
          { 'metadata.name': 'system-x' },
          { 'metadata.name': 'A_b' },
        ],
        [{}, { value: 6 }, { preemptionPolicy: 'Never' }, { description: 'e' }],
      ),
      ...everywhere(
        '/apis/node.k8s.io/v1/runtimeclasses',
        runtime,
        [
          {},
          { handler: '' },
          { handler: 'A_b' },
          { overhead: { podFixed: { cpu: '1' } } },
          { overhead: { podFixed: { cpu: '-1' } } },
          { overhead: { podFixed: { x: '1' } } },
          { scheduling: { nodeSelector: { 'a b': 'c' } } },
          { scheduling: { tolerations: [{ operator: 'x' }] } },
          {
            scheduling: {
              tolerations: [
                { key: 'a', operator: 'Exists' },
                { key: 'a', operator: 'Exists' },
              ],
            },
          },
        ],
        [{}, { handler: 'i' }],
      ),
    ],
  },
  {
    name: 'leases, autoscalers and events',
    steps: [
      ...creates(leases, lease, [
        {},
        { spec: undefined },
        { 'spec.leaseDurationSeconds': 0 },
        { 'spec.leaseTransitions': -1 },
        { 'spec.renewTime': 'x' },
        { 'spec.renewTime': '2020-01-01T00:00:00.123456Z' },
        { 'spec.renewTime': '2020-01-01T00:00:00Z' },
        { 'metadata.name': 'A_b' },
      ]),
      ...creates(scalers, scaler, [
        {},
        { spec: undefined },
        { 'spec.maxReplicas': 0 },
        { 'spec.minReplicas': 5 },
        { 'spec.minReplicas': 0 },
        { 'spec.scaleTargetRef': {} },
        { 'spec.scaleTargetRef': { kind: 'a/b', name: 'c/d' } },
        { 'spec.targetCPUUtilizationPercentage': 0 },
        { 'spec.targetCPUUtilizationPercentage': 50 },
      ]),
      { ...create(scalers, scaler), name: 'made' },
      ...changes(at(scalers, 'h'), 'made', [{ 'spec.maxReplicas': -1 }]),
      ...creates('events', event, [
        {},
        { involvedObject: {} },
        { 'involvedObject.namespace': 'other' },
        { type: 'x' },
        { reason: undefined, message: undefined },
        { count: 'x' },
        { 'metadata.name': undefined, 'metadata.generateName': 'e.' },
      ]),
    ],
  },
  {
    name: 'nodes and namespaces',
    steps: [
      ...everywhere(
        '/api/v1/nodes',
        node,
        [
          {},
          { 'metadata.name': 'A_b' },
          { 'spec.taints': [{}] },
          { 'spec.taints': [{ key: 'a', effect: 'x' }] },
          { 'spec.taints': [{ key: 'a', value: 'b c', effect: 'NoSchedule' }] },
          {
            'spec.taints': [
              { key: 'a', effect: 'NoSchedule' },
              { key: 'a', effect: 'NoSchedule' },
            ],
          },
          { 'spec.podCIDRs': ['x'] },
          { 'spec.podCIDRs': ['10.1.0.0/24'], 'spec.podCIDR': '10.1.0.0/24' },
          { 'status.capacity': { cpu: '-1' } },
          { 'status.capacity': { cpu: '4' } },
          { 'spec.unschedulable': true },
        ],
        [],
      ),
      ...creates(
        '',
        namespace,
        [{}, { 'spec.finalizers': ['x'] }, { 'metadata.name': 'A.b' }, { 'metadata.name': 'a.b' }],
        '/api/v1/namespaces',
      ),
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/v0-WORD/status',
        type: MERGE_PATCH,
        body: { status: { phase: 'x' } },
      },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/v0-WORD',
        type: MERGE_PATCH,
        body: { spec: { finalizers: ['a.b/c'] } },
      },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/v0-WORD',
        type: MERGE_PATCH,
        body: { metadata: { labels: { a: 'b' } } },
      },
      { method: 'DELETE', path: '/api/v1/namespaces/v0-WORD' },
    ],
  },
]
