/** One kind of the random run: a valid object, and what may stand at some of its places. */
export interface RandomKind {
  /** `pods`, `apps/v1/deployments`. */
  readonly resource: string
  readonly kind: string
  readonly apiVersion: string
  readonly base: Readonly<Record<string, unknown>>
  /** Dotted paths of the object and values that are all right there; `undefined` takes the field away. */
  readonly values: Readonly<Record<string, readonly unknown[]>>
  readonly status?: Readonly<Record<string, readonly unknown[]>>
  readonly scale?: boolean
  /** Does a controller write to it, so that no version that a client has seen may be the current one? */
  readonly contended?: boolean
  /** Does it leave its dependents alone by default, so that a controller must let it go? */
  readonly orphans?: boolean
}

const container = (name: string): object => ({ name, image: 'i', resources: { requests: { cpu: '1', memory: '1Mi' } } })
const podSpec = {
  containers: [container('one')],
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 5,
}
const template = { metadata: { labels: { app: 'x' } }, spec: podSpec }
const podValues = (at: string): Readonly<Record<string, readonly unknown[]>> => ({
  [`${at}containers.0.image`]: ['j', 'registry.test/k:1'],
  [`${at}containers.0.resources.requests.cpu`]: ['2', '500m', '0.5'],
  [`${at}containers.0.resources.limits`]: [{ cpu: '4' }, { cpu: '4', memory: '1Gi' }, undefined],
  // Only since 1.21 a port may be applied without its protocol.
  [`${at}containers.0.ports`]: [
    [{ containerPort: 80, protocol: 'TCP' }],
    [{ containerPort: 80, protocol: 'UDP', name: 'p' }],
    undefined,
  ],
  [`${at}containers.0.env`]: [[{ name: 'A', value: 'b' }], undefined],
  [`${at}containers.0.args`]: [['x', 'y'], undefined],
  [`${at}containers.1`]: [container('two'), undefined],
  [`${at}terminationGracePeriodSeconds`]: [1, 60],
  [`${at}tolerations`]: [[{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }], undefined],
})
const metadataValues = {
  'metadata.labels.more': ['x', 'y', undefined],
  'metadata.annotations': [{ note: 'x' }, undefined],
}
const selector = { matchLabels: { app: 'x' } }
const workloadValues = {
  ...metadataValues,
  ...podValues('spec.template.spec.'),
  'spec.replicas': [0, 1, 3, undefined],
  'spec.template.metadata.annotations': [{ a: 'b' }, undefined],
}

export const RANDOM_KINDS: readonly RandomKind[] = [
  {
    resource: 'configmaps',
    kind: 'ConfigMap',
    apiVersion: 'v1',
    base: { data: { k: 'v', l: 'w' } },
    values: {
      ...metadataValues,
      data: [{ a: 'b' }, undefined],
      'data.k': ['x', '', undefined],
      binaryData: [{ b: 'eA==' }, undefined],
      immutable: [true, false, undefined],
    },
  },
  {
    resource: 'secrets',
    kind: 'Secret',
    apiVersion: 'v1',
    base: { type: 'Opaque', data: { k: 'dg==' } },
    values: {
      ...metadataValues,
      'data.k': ['eA==', undefined],
      stringData: [{ k: 'plain' }, { m: 'x' }, undefined],
      type: ['Opaque', 'example.test/x'],
      immutable: [true, undefined],
    },
  },
  {
    resource: 'pods',
    kind: 'Pod',
    apiVersion: 'v1',
    base: { spec: podSpec },
    values: {
      ...metadataValues,
      ...podValues('spec.'),
      'spec.hostNetwork': [true, undefined],
      'spec.activeDeadlineSeconds': [5, undefined],
    },
    status: {
      'status.phase': ['Running', 'Failed', 'Succeeded', 'Pending'],
      'status.message': ['x', undefined],
      'status.podIP': ['10.1.2.3', undefined],
    },
  },
  {
    resource: 'services',
    kind: 'Service',
    apiVersion: 'v1',
    base: { spec: { clusterIP: 'None', selector: { app: 'x' }, ports: [{ port: 80, protocol: 'TCP', name: 'http' }] } },
    values: {
      ...metadataValues,
      'spec.ports': [
        [{ port: 81, protocol: 'TCP' }],
        [
          { port: 80, protocol: 'TCP', name: 'a' },
          { port: 81, protocol: 'UDP', name: 'b', targetPort: 'x' },
        ],
      ],
      'spec.ports.0.targetPort': [8080, 'http'],
      'spec.ports.0.protocol': ['UDP', 'SCTP'],
      'spec.sessionAffinity': ['ClientIP', 'None', undefined],
      'spec.publishNotReadyAddresses': [true, undefined],
      'spec.externalIPs': [['1.2.3.4'], undefined],
    },
  },
  {
    resource: 'apps/v1/deployments',
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    base: { spec: { replicas: 1, selector, template } },
    values: {
      ...workloadValues,
      'spec.strategy': [{ type: 'Recreate' }, { rollingUpdate: { maxSurge: 1, maxUnavailable: '10%' } }, undefined],
      'spec.minReadySeconds': [5, undefined],
      'spec.paused': [true, undefined],
      'spec.revisionHistoryLimit': [0, 3, undefined],
    },
    status: { 'status.replicas': [1, 2], 'status.observedGeneration': [1], 'status.readyReplicas': [1, undefined] },
    scale: true,
  },
  {
    resource: 'apps/v1/replicasets',
    kind: 'ReplicaSet',
    apiVersion: 'apps/v1',
    base: { spec: { replicas: 1, selector, template } },
    values: { ...workloadValues, 'spec.minReadySeconds': [5, undefined] },
    status: { 'status.replicas': [1, 2], 'status.availableReplicas': [1, undefined] },
    scale: true,
  },
  {
    resource: 'apps/v1/statefulsets',
    kind: 'StatefulSet',
    apiVersion: 'apps/v1',
    base: { spec: { replicas: 1, serviceName: 's', selector, template } },
    values: { ...workloadValues, 'spec.updateStrategy': [{ type: 'OnDelete' }, { type: 'RollingUpdate' }, undefined] },
    status: { 'status.replicas': [1, 2], 'status.readyReplicas': [1, undefined] },
    scale: true,
  },
  {
    resource: 'batch/v1/jobs',
    kind: 'Job',
    apiVersion: 'batch/v1',
    orphans: true,
    base: { spec: { parallelism: 1, template: { ...template, spec: { ...podSpec, restartPolicy: 'Never' } } } },
    values: {
      ...metadataValues,
      'spec.parallelism': [0, 2, undefined],
      'spec.completions': [1, 3, undefined],
      'spec.backoffLimit': [0, 3, undefined],
      'spec.activeDeadlineSeconds': [5, undefined],
      'spec.template.spec.containers.0.image': ['j'],
    },
    status: { 'status.active': [1, 2], 'status.succeeded': [1] },
  },
  {
    resource: 'resourcequotas',
    kind: 'ResourceQuota',
    apiVersion: 'v1',
    contended: true,
    base: { spec: { hard: { pods: '1000', 'requests.cpu': '5k' } } },
    values: {
      ...metadataValues,
      'spec.hard': [{ pods: '2000' }, { 'count/jobs.batch': '100' }, { 'requests.nvidia.com/gpu': '4' }, undefined],
      'spec.hard.pods': ['5000', '1k', undefined],
      'spec.hard.configmaps': ['9000', undefined],
    },
  },
  {
    resource: 'limitranges',
    kind: 'LimitRange',
    apiVersion: 'v1',
    base: { spec: { limits: [{ type: 'Container', max: { cpu: '9k' }, default: { cpu: '8k' } }] } },
    values: {
      ...metadataValues,
      'spec.limits.0.max.cpu': ['10k', '9500'],
      'spec.limits.0.min': [{ cpu: '1m' }, undefined],
      'spec.limits.0.defaultRequest': [{ cpu: '1' }, undefined],
      'spec.limits.1': [{ type: 'Pod', max: { memory: '1Ti' } }, undefined],
    },
  },
  {
    resource: 'endpoints',
    kind: 'Endpoints',
    apiVersion: 'v1',
    base: { subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 80, name: 'a' }] }] },
    values: {
      ...metadataValues,
      'subsets.0.addresses': [[{ ip: '10.1.0.2', hostname: 'h' }], [{ ip: '10.1.0.3' }, { ip: '10.1.0.4' }]],
      'subsets.0.notReadyAddresses': [[{ ip: '10.1.0.9' }], undefined],
      'subsets.0.ports.0.port': [81],
      'subsets.0.ports.0.protocol': ['UDP', undefined],
    },
  },
  {
    resource: 'coordination.k8s.io/v1/leases',
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    base: { spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } },
    values: {
      ...metadataValues,
      'spec.holderIdentity': ['you', undefined],
      'spec.leaseDurationSeconds': [1, 30, undefined],
      'spec.leaseTransitions': [0, 5, undefined],
      'spec.renewTime': ['2020-01-01T00:00:00.000000Z', undefined],
    },
  },
  {
    resource: 'networking.k8s.io/v1/networkpolicies',
    kind: 'NetworkPolicy',
    apiVersion: 'networking.k8s.io/v1',
    base: { spec: { podSelector: { matchLabels: { app: 'x' } }, policyTypes: ['Ingress'] } },
    values: {
      ...metadataValues,
      'spec.policyTypes': [['Egress'], ['Ingress', 'Egress'], undefined],
      'spec.ingress': [[{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ port: 80 }] }], undefined],
    },
  },
  {
    resource: 'rbac.authorization.k8s.io/v1/roles',
    kind: 'Role',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    base: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    values: {
      ...metadataValues,
      'rules.0.verbs': [['get', 'list'], ['*']],
      'rules.0.resourceNames': [['x'], undefined],
      'rules.1': [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['watch'] }, undefined],
    },
  },
  {
    resource: 'random.test/v1/gadgets',
    kind: 'Gadget',
    apiVersion: 'random.test/v1',
    base: { spec: { size: 1, words: ['a'], parts: [{ name: 'p', count: 1 }] } },
    values: {
      ...metadataValues,
      'spec.size': [5, 0, undefined],
      'spec.words': [['b', 'c'], undefined],
      'spec.parts.0.count': [2, 9],
      'spec.parts.1': [{ name: 'q' }, undefined],
      'spec.mode': ['on', 'off', undefined],
    },
    status: { 'status.phase': ['x', 'y', undefined] },
    scale: true,
  },
]
