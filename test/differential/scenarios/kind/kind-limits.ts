import { at, create, MERGE_PATCH, type Scenario } from '../../scenario.ts'
import { changes, creates, type Edits } from '../../variants.ts'

const range = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'l' },
  spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] },
}
const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { 'count/x.y': '5' } } }
const limit = (fields: object): Edits => ({ 'spec.limits': [fields] })
const hard = (fields: object, more: Edits = {}): Edits => ({ 'spec.hard': fields, ...more })
const scoped = (...scopes: readonly string[]): Edits => ({ 'spec.hard': { pods: '5' }, 'spec.scopes': scopes })
const selected = (...expressions: readonly object[]): Edits => ({
  'spec.hard': { pods: '5' },
  'spec.scopeSelector': { matchExpressions: expressions },
})
const status = (name: string) => at('resourcequotas', name, 'status')

export const scenarios: readonly Scenario[] = [
  {
    name: 'limit ranges',
    steps: [
      ...creates('limitranges', range, [
        {},
        { spec: undefined },
        { 'spec.limits': [] },
        limit({}),
        limit({ type: 'x' }),
        limit({ type: 'x.y/z', max: { 'a.b/c': '5' } }),
        limit({ type: 'Container', max: { gpu: '1' } }),
        limit({ type: 'Container', max: { 'a b': '1' } }),
        limit({ type: 'Container', max: { storage: '1' } }),
        limit({ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }),
        limit({ type: 'Container', min: { cpu: '1' }, default: { cpu: '500m' } }),
        limit({ type: 'Container', default: { cpu: '2' }, defaultRequest: { cpu: '3' } }),
        limit({ type: 'Container', max: { cpu: '1' }, default: { cpu: '2' } }),
        limit({ type: 'Container', min: { cpu: '1' }, defaultRequest: { cpu: '500m' } }),
        limit({ type: 'Container', max: { cpu: '1' }, defaultRequest: { cpu: '2' } }),
        limit({ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }),
        limit({ type: 'Container', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '5' } }),
        limit({ type: 'Container', default: { 'hugepages-2Mi': '2Mi' }, defaultRequest: { 'hugepages-2Mi': '4Mi' } }),
        limit({
          type: 'Container',
          min: { cpu: '100m' },
          max: { cpu: '2' },
          default: { cpu: '1' },
          defaultRequest: { cpu: '200m' },
        }),
        limit({ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }),
        limit({ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '2' } }),
        limit({ type: 'PersistentVolumeClaim' }),
        limit({ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }),
        limit({ type: 'PersistentVolumeClaim', min: { cpu: '1' } }),
        { 'spec.limits': [{ type: 'Pod' }, { type: 'Pod' }] },
        limit({ type: 'Container', max: { cpu: 'x' } }),
        limit({ type: 5 }),
        { 'metadata.name': 'A_b' },
      ]),
      { ...create('limitranges', range), name: 'made' },
      ...changes(at('limitranges', 'l'), 'made', [{}, limit({ type: 'x' }), limit({ type: 'Pod', max: { cpu: '5' } })]),
    ],
  },
  {
    name: 'resource quotas',
    steps: [
      ...creates('resourcequotas', quota, [
        {},
        { spec: undefined },
        hard({}),
        hard({ pods: '5' }),
        hard({ x: '5' }),
        hard({ 'a b': '5' }),
        hard({ 'x.y/z': '5' }),
        hard({ 'requests.x.y/z': '5' }),
        hard({ 'limits.x.y/z': '5' }),
        hard({ cpu: '-1' }),
        hard({ pods: '1.5' }),
        hard({ 'requests.storage': '5Gi' }),
        hard({ 'gold.storageclass.storage.k8s.io/requests.storage': '5Gi' }),
        hard({ 'count/pods': '5' }),
        hard({ 'hugepages-2Mi': '5' }),
        hard({ services: '5x' }),
        hard({ pods: {} }),
        scoped('x'),
        scoped('BestEffort'),
        scoped('BestEffort', 'NotBestEffort'),
        scoped('Terminating', 'NotTerminating'),
        hard({ cpu: '1' }, { 'spec.scopes': ['BestEffort'] }),
        hard({ services: '1' }, { 'spec.scopes': ['Terminating'] }),
        hard({ cpu: '1' }, { 'spec.scopes': ['NotBestEffort', 'Terminating'] }),
        selected({}),
        selected({ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }),
        selected({ scopeName: 'PriorityClass', operator: 'In' }),
        selected({ scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] }),
        selected({ scopeName: 'PriorityClass', operator: 'x' }),
        selected({ scopeName: 'BestEffort', operator: 'Exists' }, { scopeName: 'NotBestEffort', operator: 'Exists' }),
        selected({ scopeName: 'x', operator: 'Exists' }),
      ]),
      { ...create('resourcequotas', quota), name: 'made' },
      ...changes(at('resourcequotas', 'q'), 'made', [
        {},
        hard({ 'count/x.y': '6' }),
        { 'spec.scopes': ['BestEffort'], 'spec.hard': { pods: '1' } },
      ]),
      {
        method: 'PATCH',
        path: status('q'),
        type: MERGE_PATCH,
        body: { status: { hard: { x: '1' }, used: { cpu: '-1' } } },
      },
      { method: 'PATCH', path: status('q'), type: MERGE_PATCH, body: { spec: { hard: { pods: '1' } } } },
    ],
  },
]
