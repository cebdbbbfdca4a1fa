import {
  type Answers,
  apply,
  APPLY_PATCH,
  at,
  create,
  get,
  JSON_PATCH,
  MERGE_PATCH,
  patch,
  type Scenario,
  type Step,
  STRATEGIC_PATCH,
} from '../../scenario.ts'

const CLAIM = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'p' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'none' },
}
const quota = (rest: object): object => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  ...rest,
})
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
}
const condition = (type: string, more: object = {}): object => ({ type, status: 'True', ...more })
const status = (conditions: readonly unknown[]): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  status: { conditions },
})

const under = (
  method: 'PUT' | 'PATCH',
  resource: string,
  name: string,
  sub: string,
  body: unknown,
  more: Partial<Step> = {},
  query = '',
): Step => ({
  method,
  path: at(resource, name, sub) + query,
  body,
  ...more,
})
const applied = (manager: string, resource: string, name: string, sub: string, body: unknown, query = ''): Step =>
  under('PATCH', resource, name, sub, body, { type: APPLY_PATCH }, `?fieldManager=${manager}${query}`)

const CONTROLLERS = 'replicationcontrollers'
const controller = {
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name: 'r' },
  spec: {
    replicas: 0,
    selector: { a: 'b' },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
}
const scale = (replicas: number | undefined, more: object = {}): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'r', namespace: 'WORD', ...more },
  spec: { replicas },
})

export const scenarios: readonly Scenario[] = [
  {
    name: 'the conditions of a pod are applied by their types',
    steps: [
      create('pods', pod),
      applied('one', 'pods', 'p', 'status', status([condition('x.io/a'), condition('x.io/b')])),
      applied('two', 'pods', 'p', 'status', status([condition('x.io/c', { reason: 'R' })])),
      applied('two', 'pods', 'p', 'status', status([condition('x.io/a', { reason: 'R' })])),
      applied('two', 'pods', 'p', 'status', status([condition('x.io/a', { status: 'False' })])),
      applied('two', 'pods', 'p', 'status', status([condition('x.io/a', { status: 'False' })]), '&force=true'),
      applied('one', 'pods', 'p', 'status', status([])),
      applied('one', 'pods', 'p', 'status', status([condition('d'), condition('d')])),
      applied('one', 'pods', 'p', 'status', { ...status([]), status: { phase: 1 } }),
      applied('one', 'pods', 'absent', 'status', status([])),
      get('pods', 'p'),
    ],
  },
  {
    name: 'a write of the status is that of its manager',
    steps: [
      create('persistentvolumeclaims', CLAIM, '?fieldManager=creator'),
      under(
        'PATCH',
        'persistentvolumeclaims',
        'p',
        'status',
        { status: { capacity: { storage: '1Gi' } } },
        { type: MERGE_PATCH },
        '?fieldManager=merger',
      ),
      under(
        'PATCH',
        'persistentvolumeclaims',
        'p',
        'status',
        { status: { conditions: [{ type: 'x', status: 'True' }] } },
        { type: STRATEGIC_PATCH },
        '?fieldManager=strategic',
      ),
      under(
        'PATCH',
        'persistentvolumeclaims',
        'p',
        'status',
        [{ op: 'add', path: '/status/accessModes', value: ['ReadWriteOnce'] }],
        { type: JSON_PATCH },
        '?fieldManager=json',
      ),
      applied('applier', 'persistentvolumeclaims', 'p', 'status', {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'p' },
        status: { capacity: { cpu: '1' } },
      }),
      { ...get('persistentvolumeclaims', 'p'), name: 'read' },
      {
        method: 'PUT',
        path: `${at('persistentvolumeclaims', 'p', 'status')}?fieldManager=putter`,
        body: (answers: Answers) => ({ ...answers['read']?.body, status: { phase: 'Lost' } }),
      },
      get('persistentvolumeclaims', 'p'),
    ],
  },
  {
    name: 'an apply of the status must be of the kind and give what its type has',
    steps: [
      create('resourcequotas', quota({ spec: { hard: { pods: '1' } } })),
      applied('one', 'resourcequotas', 'q', 'status', { ...quota({}), kind: 'Pod' }),
      applied('one', 'resourcequotas', 'q', 'status', quota({ status: { used: 'x' } })),
      applied('one', 'resourcequotas', 'q', 'status', quota({ status: { other: 'x' } })),
      applied('one', 'resourcequotas', 'q', 'status', { ...quota({}), metadata: { name: 'other' } }),
    ],
  },
  {
    name: 'a scale is read, put and patched',
    steps: [
      create(CONTROLLERS, controller, '?fieldManager=creator'),
      { method: 'GET', path: at(CONTROLLERS, 'r', 'scale') },
      under('PUT', CONTROLLERS, 'r', 'scale', scale(0)),
      under('PATCH', CONTROLLERS, 'r', 'scale', { spec: { replicas: 'x' } }, { type: MERGE_PATCH }),
      under('PUT', CONTROLLERS, 'r', 'scale', scale(-1)),
      under('PUT', CONTROLLERS, 'absent', 'scale', scale(1)),
      under('PUT', CONTROLLERS, 'r', 'scale', scale(0, { name: 'other' })),
      under('PUT', CONTROLLERS, 'r', 'scale', scale(0, { uid: 'x' })),
      under('PUT', CONTROLLERS, 'r', 'scale', scale(0, { resourceVersion: '1' })),
      under('PATCH', CONTROLLERS, 'r', 'scale', { spec: { replicas: -2 } }, { type: MERGE_PATCH }),
      applied('one', CONTROLLERS, 'r', 'scale', scale(-1)),
      applied('one', CONTROLLERS, 'r', 'scale', scale(0)),
      applied('one', CONTROLLERS, 'r', 'scale', { ...scale(0), kind: 'Other' }),
      applied('one', CONTROLLERS, 'r', 'scale', { ...scale(0), spec: { replica: 1 } }),
      applied('one', CONTROLLERS, 'absent', 'scale', scale(0)),
    ],
  },
  {
    name: 'a deployment is made by an apply, with defaults',
    steps: [
      apply('one', 'apps/v1/deployments', 'd', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: { containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
          },
        },
      }),
      create('apps/v1/deployments', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'e' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80 }] }],
              volumes: [{ name: 'v', emptyDir: {} }],
            },
          },
        },
      }),
    ],
  },
  {
    name: 'a secret, a namespace and a pod are made by an apply',
    steps: [
      apply('one', 'secrets', 's', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
        stringData: { a: 'x' },
        data: { b: 'YQ==' },
      }),
      apply('one', 'secrets', 's', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
        stringData: { a: 'y' },
      }),
      apply('two', 'secrets', 's', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'eA==' } }),
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/WORD-n?fieldManager=one',
        type: APPLY_PATCH,
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'WORD-n', labels: { a: 'b' } } },
      },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/WORD-n?fieldManager=one',
        type: APPLY_PATCH,
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'WORD-n' } },
      },
      { method: 'DELETE', path: '/api/v1/namespaces/WORD-n' },
      apply('one', 'pods', 'p', pod),
      apply('two', 'pods', 'p', { ...pod, metadata: { name: 'p', labels: { a: 'b' } }, spec: undefined }),
      apply('two', 'pods', 'p', { ...pod, spec: { containers: [{ name: 'c', image: 'j' }] } }),
      apply('two', 'pods', 'p', { ...pod, spec: { containers: [{ name: 'c', image: 'j' }] } }, '&force=true'),
      apply('two', 'pods', 'p', { ...pod, spec: { containers: [{ name: 'd', image: 'j' }] } }),
    ],
  },
  {
    name: 'managed fields are part of lists, and of what shows only metadata',
    steps: [
      apply('one', 'configmaps', 'a', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { k: 'v' },
      }),
      { method: 'GET', path: `${at('configmaps')}?fieldSelector=metadata.name=a` },
      {
        ...get('configmaps', 'a'),
        headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
      },
      {
        ...apply('one', 'configmaps', 'a', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'a' },
          data: { k: 'w' },
        }),
        headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
      },
      {
        ...patch(MERGE_PATCH, 'configmaps', 'a', { data: { l: 'w' } }),
        headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
      },
    ],
  },
]
