import { apply, create, get, JSON_PATCH, MERGE_PATCH, patch, put, remove, type Scenario } from '../scenario.ts'

const plain = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'x' } }, data: { k: 'v' } }

export const scenarios: readonly Scenario[] = [
  {
    name: 'a config map is created, changed in every way and deleted',
    steps: [
      create('configmaps', plain),
      create('configmaps', plain),
      patch(MERGE_PATCH, 'configmaps', 'a', { data: { k: null, l: 'w' } }),
      patch(JSON_PATCH, 'configmaps', 'a', [{ op: 'add', path: '/data/m', value: 'x' }]),
      put('configmaps', 'a', { ...plain, data: { k: 'again' } }),
      apply('one', 'configmaps', 'a', { ...plain, data: { k: 'conflict' } }),
      get('configmaps', 'a'),
      get('configmaps', 'b'),
      remove('configmaps', 'a'),
      remove('configmaps', 'a'),
    ],
  },
]
