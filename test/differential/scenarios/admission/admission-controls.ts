import { post } from '../../access-steps.ts'
import { at, create, MERGE_PATCH, type Scenario, type Step } from '../../scenario.ts'

const pod = (name: string, spec: object = {}, metadata: object = {}): Step =>
  create('pods', {
    metadata: { name, ...metadata },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }], ...spec },
  })
const bind = (name: string): Step => ({
  method: 'POST',
  path: at('pods', name, 'binding'),
  body: { metadata: { name }, target: { name: 'n' } },
})
const MIRROR = { annotations: { 'kubernetes.io/config.mirror': 'x' } }

export const scenarios: readonly Scenario[] = [
  {
    name: 'controls of namespaces',
    steps: [
      post('/api/v1/namespaces/nowhere-WORD/configmaps', { metadata: { name: 'm' } }),
      post('/apis/apps/v1/namespaces/nowhere-WORD/deployments', { metadata: { name: 'm' } }),
      post('/api/v1/namespaces/nowhere-WORD/configmaps', { metadata: { generateName: 'm-' } }),
      { method: 'PUT', path: '/api/v1/namespaces/nowhere-WORD/configmaps/m', body: { metadata: { name: 'm' } } },
      { method: 'DELETE', path: '/api/v1/namespaces/nowhere-WORD/configmaps/m' },
      ...['default', 'kube-system', 'kube-public'].map((name): Step => ({
        method: 'DELETE',
        path: `/api/v1/namespaces/${name}`,
      })),
    ],
  },
  {
    name: 'controls of pods',
    steps: [
      pod('a', { serviceAccountName: 'nobody' }),
      pod('a', { serviceAccountName: 'nobody' }, { name: '', generateName: 'a-' }),
      pod('a', { priorityClassName: 'nowhere' }),
      pod('a', { priority: 7 }),
      pod('a', { priorityClassName: 'system-node-critical', priority: 1 }),
      pod('a', { runtimeClassName: 'nowhere' }),
      pod('a', { serviceAccountName: 'default' }, MIRROR),
      pod('a', { volumes: [{ name: 'v', configMap: { name: 'm' } }] }, MIRROR),
      pod('a', { volumes: [{ name: 'v', secret: { secretName: 'm' } }] }, MIRROR),
      post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'system-x-WORD' }, value: 5 }),
      post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'x-WORD' }, value: 2_000_000_000 }),
      create('serviceaccounts', {
        metadata: { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
        secrets: [{ name: 'mine' }],
      }),
      pod('b', { serviceAccountName: 'strict', volumes: [{ name: 'v', secret: { secretName: 'other' } }] }),
      pod('b', {
        serviceAccountName: 'strict',
        containers: [
          { name: 'c', image: 'i', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }] },
        ],
      }),
      pod('b', { serviceAccountName: 'strict', imagePullSecrets: [{ name: 'other' }] }),
    ],
  },
  {
    name: 'controls of the binding of pods',
    steps: [
      { ...pod('a'), name: 'a' },
      bind('a'),
      bind('a'),
      pod('leaving', {}, { finalizers: ['a.test/b'] }),
      { method: 'DELETE', path: at('pods', 'leaving') },
      bind('leaving'),
      { method: 'PATCH', path: at('pods', 'leaving'), type: MERGE_PATCH, body: { metadata: { finalizers: null } } },
    ],
  },
]
