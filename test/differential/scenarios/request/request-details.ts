import {
  at,
  create,
  get,
  JSON_PATCH,
  MERGE_PATCH,
  patch,
  put,
  type Scenario,
  type Step,
  STRATEGIC_PATCH,
} from '../../scenario.ts'

const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const workload = { replicas: 0, selector: { matchLabels: { app: 'x' } }, template }
const dry = '?dryRun=All'
const status = (resource: string, name: string, body: unknown): Step => ({
  method: 'PUT',
  path: at(resource, name, 'status'),
  body,
})

/** Requests whose differences random requests have found. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'annotations of a deployment count as a change',
    steps: [
      create('apps/v1/deployments', { metadata: { name: 'a' }, spec: workload }),
      patch(MERGE_PATCH, 'apps/v1/deployments', 'a', { metadata: { annotations: { n: 'x' } } }, dry),
      patch(MERGE_PATCH, 'apps/v1/deployments', 'a', { metadata: { labels: { n: 'x' } } }, dry),
    ],
  },
  {
    name: 'an update strategy without an end',
    steps: [
      create('apps/v1/statefulsets', {
        metadata: { name: 'a' },
        spec: { ...workload, serviceName: 's', updateStrategy: { type: 'RollingUpdate' } },
      }),
      create('apps/v1/statefulsets', {
        metadata: { name: 'b' },
        spec: { ...workload, serviceName: 's', updateStrategy: { type: 'RollingUpdate', rollingUpdate: {} } },
      }),
      create('apps/v1/statefulsets', { metadata: { name: 'c' }, spec: { ...workload, serviceName: 's' } }),
    ],
  },
  {
    name: 'tolerations that every pod has come back',
    steps: [
      create('pods', {
        metadata: { name: 'a' },
        spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false },
      }),
      patch(STRATEGIC_PATCH, 'pods', 'a', { spec: { tolerations: [{ key: 'k', operator: 'Exists' }] } }),
      patch(MERGE_PATCH, 'pods', 'a', { spec: { tolerations: null } }),
    ],
  },
  {
    name: 'what is empty and what is nothing',
    steps: [
      create('secrets', { metadata: { name: 'a' }, data: { k: null, l: [] }, stringData: { m: null } }),
      create('resourcequotas', { metadata: { name: 'a' } }),
      patch(JSON_PATCH, 'resourcequotas', 'a', [{ op: 'add', path: '/spec/scopes', value: ['Terminating'] }], dry),
      create('coordination.k8s.io/v1/leases', { metadata: { name: 'a' }, spec: null }),
      patch(JSON_PATCH, 'coordination.k8s.io/v1/leases', 'a', [
        { op: 'add', path: '/spec/holderIdentity', value: 'me' },
      ]),
    ],
  },
  {
    name: 'who means an object that is not there',
    steps: [
      put('configmaps', 'a', { metadata: { name: 'a', uid: 'x' } }),
      put('configmaps', 'a', { metadata: { name: 'a', uid: 'x' } }, dry),
      put('apps/v1/deployments', 'a', { metadata: { name: 'a', uid: 'x' }, spec: workload }),
      status('apps/v1/deployments', 'a', { metadata: { name: 'a', uid: 'x' }, spec: workload }),
      status('apps/v1/deployments', 'a', { metadata: { name: 'a', resourceVersion: 'x' }, spec: workload }),
      status('apps/v1/deployments', 'a', { metadata: { name: 'a' }, spec: workload }),
      { method: 'PUT', path: '/api/v1/nodes/missing-WORD', body: { metadata: { name: 'missing-WORD', uid: 'x' } } },
      put('endpoints', 'a', { metadata: { name: 'a', uid: 'x' } }),
      get('configmaps', 'a'),
    ],
  },
]
