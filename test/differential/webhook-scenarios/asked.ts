import type { HookScenario } from '../hook-pair.ts'
import { apply, create, get, JSON_PATCH, MERGE_PATCH, patch, put, remove, STRATEGIC_PATCH } from '../scenario.ts'
import { both, map, pod, rules } from './hook-steps.ts'

export const asked: readonly HookScenario[] = [
  ...both('a config map written in every way', {}, [
    create('configmaps', map('a')),
    create('configmaps', map('a', { namespace: 'WORD', labels: { x: 'y' } }), '?fieldManager=me&dryRun=All'),
    create('configmaps', { metadata: { generateName: 'some-' }, data: {} }),
    create('configmaps', { metadata: {} }),
    create('configmaps', { metadata: { name: 'Bad_Name' } }),
    put('configmaps', 'a', map('a'), '?fieldManager=you'),
    put('configmaps', 'a', { ...map('a'), data: { a: '2' } }),
    put('configmaps', 'nowhere', map('nowhere')),
    patch(MERGE_PATCH, 'configmaps', 'a', { data: { b: '2' } }, '?fieldManager=you&dryRun=All'),
    patch(STRATEGIC_PATCH, 'configmaps', 'a', { data: { b: '3' } }),
    patch(JSON_PATCH, 'configmaps', 'a', [{ op: 'add', path: '/data/c', value: '4' }]),
    patch(MERGE_PATCH, 'configmaps', 'nowhere', { data: { b: '2' } }),
    apply('you', 'configmaps', 'a', { apiVersion: 'v1', kind: 'ConfigMap', data: { z: '1' } }),
    apply('you', 'configmaps', 'a', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } }),
    apply('you', 'configmaps', 'a', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } }, '&force=true'),
    apply('you', 'configmaps', 'new', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } }),
    remove('configmaps', 'a', undefined, '?dryRun=All'),
    remove('configmaps', 'a', { gracePeriodSeconds: 3, propagationPolicy: 'Background' }),
    remove('configmaps', 'a'),
    { method: 'DELETE', path: '/api/v1/namespaces/WORD/configmaps?labelSelector=x%3Dy' },
    { method: 'DELETE', path: '/api/v1/namespaces/WORD/configmaps?fieldSelector=metadata.name%3Dnew' },
  ]),
  ...both(
    'a config map with finalizers',
    {},
    [
      remove('configmaps', 'kept'),
      patch(MERGE_PATCH, 'configmaps', 'kept', { metadata: { finalizers: null } }),
      get('configmaps', 'kept'),
    ],
    [create('configmaps', map('kept', { finalizers: ['a.test/x'] }))],
  ),
  ...both(
    'pods and their subresources',
    rules('pods', 'pods/*'),
    [
      create('pods', pod('p')),
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/WORD/pods/p/status',
        type: MERGE_PATCH,
        body: { status: { phase: 'Running' } },
      },
      {
        method: 'POST',
        path: '/api/v1/namespaces/WORD/pods/p/binding',
        body: { metadata: { name: 'p' }, target: { kind: 'Node', name: 'fake-0' } },
      },
      patch(MERGE_PATCH, 'pods', 'p', { spec: { activeDeadlineSeconds: 60 } }),
      {
        method: 'POST',
        path: '/api/v1/namespaces/WORD/pods/q/eviction',
        body: { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'q' } },
      },
      {
        method: 'POST',
        path: '/api/v1/namespaces/WORD/bindings',
        body: { metadata: { name: 'r' }, target: { name: 'fake-0' } },
      },
    ],
    [create('pods', pod('q')), create('pods', pod('r'))],
  ),
  ...both(
    'deployments and their scale',
    rules('deployments', 'deployments/scale'),
    [
      {
        method: 'PUT',
        path: '/apis/apps/v1/namespaces/WORD/deployments/d/scale',
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'd', namespace: 'WORD' },
          spec: { replicas: 0 },
        },
      },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/WORD/deployments/d/scale',
        type: MERGE_PATCH,
        body: { spec: { replicas: 0 } },
      },
    ],
    [
      create('apps/v1/deployments', {
        metadata: { name: 'd' },
        spec: {
          replicas: 0,
          paused: true,
          selector: { matchLabels: { app: 'd' } },
          template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } },
        },
      }),
    ],
  ),
  ...both(
    'namespaces',
    { ...rules('namespaces', 'namespaces/*'), namespaceSelector: { matchLabels: { other: 'WORD' } } },
    [
      {
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { metadata: { name: 'other-WORD', labels: { other: 'WORD' } } },
      },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/other-WORD',
        type: MERGE_PATCH,
        body: { metadata: { annotations: { a: 'b' } } },
      },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/other-WORD',
        type: MERGE_PATCH,
        body: { metadata: { labels: { other: null } } },
      },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/other-WORD',
        type: MERGE_PATCH,
        body: { metadata: { labels: { x: 'y' } } },
      },
      { method: 'DELETE', path: '/api/v1/namespaces/other-WORD' },
    ],
  ),
  ...both('a request for a token', rules('serviceaccounts/*'), [
    {
      method: 'POST',
      path: '/api/v1/namespaces/WORD/serviceaccounts/default/token',
      body: { spec: { audiences: ['x'] } },
    },
  ]),
  ...both(
    'reviews of access',
    {
      ...rules('*'),
      namespaceSelector: {},
      rules: [
        {
          operations: ['*'],
          apiGroups: ['authorization.k8s.io'],
          apiVersions: ['*'],
          resources: ['localsubjectaccessreviews'],
        },
      ],
    },
    [
      {
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/namespaces/WORD/localsubjectaccessreviews',
        body: {
          metadata: { namespace: 'WORD' },
          spec: { user: 'x-WORD', resourceAttributes: { namespace: 'WORD', verb: 'get', resource: 'pods' } },
        },
      },
    ],
  ),
]
