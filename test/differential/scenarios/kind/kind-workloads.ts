import { at, create, get, MERGE_PATCH, patch, type Scenario, type Step } from '../../scenario.ts'
import { changes, creates, type Edits } from '../../variants.ts'

const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const selector = { matchLabels: { app: 'x' } }
const workload = (kind: string, spec: object = {}, apiVersion = 'apps/v1') => ({
  apiVersion,
  kind,
  metadata: { name: 'w' },
  spec: { selector, template, ...spec },
})

/** Mistakes that all kinds with a pod template share. */
const COMMON: readonly Edits[] = [
  {},
  { 'spec.replicas': -1 },
  { 'spec.replicas': '1' },
  { 'spec.template.metadata': undefined },
  { 'spec.template.metadata.labels': { app: 'y' } },
  { 'spec.template.metadata.labels': { app: 'x', 'a b': 'c' } },
  { 'spec.template.metadata.annotations': { 'a b': 'c' } },
  { 'metadata.name': 'A_b', 'spec.replicas': -1 },
]
/** Mistakes in the pods, which 1.20 does not check in stateful sets. */
const PODS: readonly Edits[] = [
  { spec: undefined },
  { spec: {} },
  { 'spec.minReadySeconds': -1 },
  { 'spec.template': undefined },
  { 'spec.template': {} },
  { 'spec.template.spec': undefined },
  { 'spec.template.spec.restartPolicy': 'OnFailure' },
  { 'spec.template.spec.restartPolicy': 'x' },
  { 'spec.template.spec.activeDeadlineSeconds': 5 },
  { 'spec.template.spec.containers.0.image': '' },
  { 'spec.template.spec.containers.0.image': ' i ' },
  { 'spec.template.spec.containers.0.resources': { limits: { cpu: '1' } } },
]
const SELECTORS: readonly Edits[] = [
  { 'spec.selector': undefined },
  { 'spec.selector': {} },
  { 'spec.selector': { matchLabels: { 'a b': 'c' } } },
  { 'spec.selector': { matchExpressions: [{ key: 'app', operator: 'x' }] } },
  { 'spec.selector': { matchExpressions: [{ key: 'app', operator: 'In', values: [] }] } },
  { 'spec.selector': { matchExpressions: [{ key: 'app', operator: 'Exists' }] } },
]

const deployments = 'apps/v1/deployments'
const sets = 'apps/v1/statefulsets'
const daemons = 'apps/v1/daemonsets'
const replicas = 'apps/v1/replicasets'

const scale = (resource: string, replicasWanted: unknown): readonly Step[] => [
  { method: 'GET', path: at(resource, 'w', 'scale') },
  {
    method: 'PATCH',
    path: at(resource, 'w', 'scale'),
    type: MERGE_PATCH,
    body: { spec: { replicas: replicasWanted } },
  },
  { method: 'PATCH', path: at(resource, 'w', 'scale'), type: MERGE_PATCH, body: { spec: { replicas: -1 } } },
  {
    method: 'PUT',
    path: at(resource, 'w', 'scale'),
    body: {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'w', namespace: 'WORD' },
      spec: { replicas: 0 },
    },
  },
  {
    method: 'PUT',
    path: at(resource, 'w', 'scale'),
    body: {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'v', namespace: 'WORD' },
      spec: { replicas: 0 },
    },
  },
]

export const scenarios: readonly Scenario[] = [
  {
    name: 'an update of the status of a deployment does not change its labels',
    steps: [
      create(deployments, { ...workload('Deployment', { paused: true }), metadata: { name: 'w', labels: { o: '1' } } }),
      {
        method: 'PATCH',
        path: at(deployments, 'w', 'status'),
        type: MERGE_PATCH,
        body: { metadata: { labels: { o: '2' } } },
      },
    ],
  },
  {
    name: 'deployments',
    steps: [
      ...creates(deployments, workload('Deployment', { replicas: 0 }), [
        ...COMMON,
        ...PODS,
        ...SELECTORS,
        { 'spec.strategy': { type: 'x' } },
        { 'spec.strategy': { type: 'Recreate' } },
        { 'spec.strategy': { type: 'Recreate', rollingUpdate: {} } },
        { 'spec.strategy': { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
        { 'spec.strategy': { rollingUpdate: { maxSurge: '0%', maxUnavailable: '0%' } } },
        { 'spec.strategy': { rollingUpdate: { maxSurge: 'x', maxUnavailable: -1 } } },
        { 'spec.strategy': { rollingUpdate: { maxSurge: '200%', maxUnavailable: '101%' } } },
        { 'spec.strategy': { rollingUpdate: { maxSurge: 1 } } },
        { 'spec.revisionHistoryLimit': -1, 'spec.progressDeadlineSeconds': -1 },
        { 'spec.progressDeadlineSeconds': 5, 'spec.minReadySeconds': 5 },
        { 'spec.paused': true, 'spec.minReadySeconds': 5 },
        { 'spec.rollbackTo': {} },
      ]),
      { ...create(deployments, workload('Deployment', { replicas: 0, paused: true })), name: 'made deployments' },
      ...changes(at(deployments, 'w'), 'made deployments', [
        {},
        { 'spec.replicas': -1 },
        { 'spec.selector': { matchLabels: { app: 'y' } } },
        { 'spec.template.metadata.labels': { app: 'y' } },
        { 'metadata.labels': { a: 'b' } },
        { 'spec.template.spec.containers.0.image': 'j' },
        { 'status.replicas': 5 },
        { 'metadata.generation': 77 },
      ]),
      ...scale(deployments, 0),
      {
        method: 'PATCH',
        path: at(deployments, 'w', 'status'),
        type: MERGE_PATCH,
        body: { status: { readyReplicas: 1 } },
      },
      { method: 'PATCH', path: at(deployments, 'w', 'status'), type: MERGE_PATCH, body: { status: { replicas: -1 } } },
      patch(MERGE_PATCH, deployments, 'w', { spec: { template: null } }),
    ],
  },
  {
    name: 'replica sets and replication controllers',
    steps: [
      ...creates(replicas, workload('ReplicaSet', { replicas: 0 }), [...COMMON, ...PODS, ...SELECTORS]),
      { ...create(replicas, workload('ReplicaSet', { replicas: 0 })), name: 'made replicas' },
      ...changes(at(replicas, 'w'), 'made replicas', [
        {},
        { 'spec.selector': { matchLabels: { app: 'y' } } },
        { 'spec.minReadySeconds': 1 },
      ]),
      ...scale(replicas, 0),
      { method: 'PATCH', path: at(replicas, 'w', 'status'), type: MERGE_PATCH, body: { status: { readyReplicas: 1 } } },
      ...creates(
        'replicationcontrollers',
        workload('ReplicationController', { replicas: 0, selector: { app: 'x' } }, 'v1'),
        [...COMMON, ...PODS, { 'spec.selector': undefined }, { 'spec.selector': { app: 'y' } }],
      ),
      {
        ...create(
          'replicationcontrollers',
          workload('ReplicationController', { replicas: 0, selector: { app: 'x' } }, 'v1'),
        ),
        name: 'made controllers',
      },
      ...changes(at('replicationcontrollers', 'w'), 'made controllers', [
        {},
        { 'spec.selector': { app: 'y' } },
        { 'spec.replicas': -1 },
      ]),
      ...scale('replicationcontrollers', 0),
    ],
  },
  {
    name: 'stateful sets',
    steps: [
      ...creates(sets, workload('StatefulSet', { replicas: 0, serviceName: 's' }), [
        ...COMMON,
        ...SELECTORS,
        { 'spec.podManagementPolicy': 'x' },
        { 'spec.podManagementPolicy': 'Parallel' },
        { 'spec.updateStrategy': { type: 'x' } },
        { 'spec.updateStrategy': { type: 'OnDelete' } },
        { 'spec.updateStrategy': { type: 'OnDelete', rollingUpdate: {} } },
        { 'spec.updateStrategy': { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
        { 'spec.updateStrategy': { rollingUpdate: { partition: -1 } } },
        { 'spec.updateStrategy': { rollingUpdate: { partition: 2 } } },
        { 'spec.revisionHistoryLimit': 2 },
        {
          'spec.volumeClaimTemplates': [
            {
              metadata: { name: 'v' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
        },
      ]),
      { ...create(sets, workload('StatefulSet', { replicas: 0, serviceName: 's' })), name: 'made sets' },
      ...changes(at(sets, 'w'), 'made sets', [
        {},
        { 'spec.serviceName': 't' },
        { 'spec.replicas': 0, 'spec.template.spec.containers.0.image': 'j' },
        { 'spec.podManagementPolicy': 'Parallel' },
        { 'spec.updateStrategy.type': 'OnDelete', 'spec.updateStrategy.rollingUpdate': undefined },
        { 'spec.volumeClaimTemplates': [] },
        { 'spec.selector': { matchLabels: { app: 'y' } } },
      ]),
      ...scale(sets, 0),
    ],
  },
  {
    name: 'daemon sets',
    steps: [
      ...creates(
        daemons,
        workload('DaemonSet', { template: { ...template, spec: { ...template.spec, nodeSelector: { no: 'where' } } } }),
        [
          ...COMMON,
          ...PODS,
          ...SELECTORS,
          { 'spec.updateStrategy': { type: 'x' } },
          { 'spec.updateStrategy': { type: 'OnDelete' } },
          { 'spec.updateStrategy': { rollingUpdate: { maxUnavailable: '200%' } } },
          { 'spec.revisionHistoryLimit': -1 },
        ],
      ),
      {
        ...create(
          daemons,
          workload('DaemonSet', {
            template: { ...template, spec: { ...template.spec, nodeSelector: { no: 'where' } } },
          }),
        ),
        name: 'made daemons',
      },
      ...changes(at(daemons, 'w'), 'made daemons', [
        {},
        { 'spec.selector': { matchLabels: { app: 'y' } } },
        { 'spec.template.spec.containers.0.image': 'j' },
      ]),
      get(daemons, 'w'),
    ],
  },
]
