import {
  type Answers,
  apply,
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

const config = (data: object = { k: 'v' }, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  data,
})
const fields = { 'f:data': { 'f:k': {} } }
const entry = (more: object = {}): object => ({
  manager: 'x',
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
  ...more,
})
const withManagers = (...entries: readonly unknown[]): object => config({ k: 'v' }, { managedFields: entries })
const by = (agent: string, step: Step): Step => ({ ...step, headers: { 'user-agent': agent } })
/** The object that was read, with only the first of its managers. */
const firstManager: Step = {
  method: 'PUT',
  path: at('configmaps', 'a'),
  body: (answers: Answers) => {
    const { metadata, ...rest } = answers['read']?.body ?? {}
    return { ...rest, metadata: { ...metadata, managedFields: metadata?.managedFields?.slice(0, 1) } }
  },
}
const read: Step = { ...get('configmaps', 'a'), name: 'read' }

export const scenarios: readonly Scenario[] = [
  {
    name: 'the manager of a write is the named one, else the client program',
    steps: [
      by('kubectl/v1.2 (linux/amd64)', create('configmaps', config())),
      by('x y/1', patch(MERGE_PATCH, 'configmaps', 'a', { data: { a: '1' } })),
      by('/1', patch(MERGE_PATCH, 'configmaps', 'a', { data: { b: '1' } })),
      by('Mozilla/5.0 (X11)', patch(JSON_PATCH, 'configmaps', 'a', [{ op: 'add', path: '/data/c', value: '1' }])),
      by('p'.repeat(200), patch(STRATEGIC_PATCH, 'configmaps', 'a', { data: { d: '1' } })),
      patch(STRATEGIC_PATCH, 'configmaps', 'a', { data: { e: '1' } }, '?fieldManager=a%20b'),
      patch(STRATEGIC_PATCH, 'configmaps', 'a', { data: { f: '1' } }, '?fieldManager=%C3%A4'),
      patch(STRATEGIC_PATCH, 'configmaps', 'a', { data: { g: '1' } }, '?fieldManager=&fieldManager=second'),
      get('configmaps', 'a'),
    ],
  },
  {
    name: 'a manager must have a name that can be printed and is not too long',
    steps: [
      patch('application/apply-patch+yaml', 'configmaps', 'a', config()),
      patch('application/apply-patch+yaml', 'configmaps', 'a', config(), '?fieldManager='),
      patch('application/apply-patch+yaml', 'configmaps', 'a', config(), '?force=true&dryRun=Some'),
      apply('x'.repeat(129), 'configmaps', 'a', config()),
      apply('x'.repeat(128), 'configmaps', 'a', config()),
      apply('%C3%A4'.repeat(65), 'configmaps', 'a', config()),
      apply('a%09b', 'configmaps', 'a', config()),
      apply('a%0Ab%00c', 'configmaps', 'a', config()),
      apply('%E2%80%8B', 'configmaps', 'a', config()),
      create('configmaps', config(), `?fieldManager=${'x'.repeat(129)}`),
      put('configmaps', 'a', config(), '?fieldManager=a%09b'),
      patch(MERGE_PATCH, 'configmaps', 'a', {}, '?fieldManager=a%09b'),
      patch(MERGE_PATCH, 'configmaps', 'a', {}, '?force=true'),
      patch(MERGE_PATCH, 'configmaps', 'a', {}, '?force=false&fieldManager=a%09b'),
      apply('one', 'configmaps', 'a', config(), '&force=maybe'),
    ],
  },
  {
    name: 'updates give and take fields',
    steps: [
      create(
        'configmaps',
        config({ k: 'v', l: 'v', stay: 's' }, { labels: { a: 'b' }, annotations: { c: 'd' } }),
        '?fieldManager=creator',
      ),
      put('configmaps', 'a', config({ k: 'w', stay: 's' }), '?fieldManager=putter'),
      patch(MERGE_PATCH, 'configmaps', 'a', { data: { m: 'x' } }, '?fieldManager=merger'),
      patch(
        JSON_PATCH,
        'configmaps',
        'a',
        [{ op: 'replace', path: '/data', value: { n: 'y', stay: 's' } }],
        '?fieldManager=json',
      ),
      patch(
        STRATEGIC_PATCH,
        'configmaps',
        'a',
        { data: { $patch: 'replace', o: 'z', stay: 's' } },
        '?fieldManager=strategic',
      ),
      patch(MERGE_PATCH, 'configmaps', 'a', { data: null }, '?fieldManager=eraser'),
      get('configmaps', 'a'),
      patch(MERGE_PATCH, 'configmaps', 'a', { data: { q: 'r' } }, '?fieldManager=late'),
      apply('one', 'configmaps', 'a', config({ q: 's' })),
    ],
  },
  {
    name: 'managed fields may be sent with a create',
    steps: [
      create('configmaps', withManagers(entry())),
      create('configmaps', {
        ...withManagers(entry({ fieldsV1: { 'f:metadata': { 'f:name': {} } } })),
        metadata: { name: 'b', managedFields: [entry()] },
      }),
      create('configmaps', { ...config(), metadata: { name: 'c', managedFields: [] } }),
      create('configmaps', { ...config(), metadata: { name: 'd', managedFields: [{}] } }),
      create('configmaps', { ...config(), metadata: { name: 'e', managedFields: [entry({ operation: 'Apply' })] } }),
      apply('x', 'configmaps', 'e', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'e' } }),
    ],
  },
  {
    name: 'managed fields may be edited or reset by an update',
    steps: [
      create('configmaps', config(), '?fieldManager=creator'),
      apply('one', 'configmaps', 'a', config({ l: 'v' })),
      read,
      firstManager,
      put('configmaps', 'a', withManagers(entry({ manager: 'edited', time: '2020-01-01T00:00:00Z' }))),
      put(
        'configmaps',
        'a',
        withManagers(entry({ manager: 'edited', operation: 'Apply' }), entry({ manager: 'other' })),
      ),
      patch(JSON_PATCH, 'configmaps', 'a', [{ op: 'remove', path: '/metadata/managedFields/0' }]),
      patch(MERGE_PATCH, 'configmaps', 'a', { metadata: { managedFields: null } }),
      patch(MERGE_PATCH, 'configmaps', 'a', { metadata: { managedFields: [{}] } }),
      patch(MERGE_PATCH, 'configmaps', 'a', { data: { later: 'x' } }),
      apply('two', 'configmaps', 'a', config({ k: 'v' })),
      put('configmaps', 'a', withManagers()),
      get('configmaps', 'a'),
      apply('two', 'configmaps', 'a', config({ k: 'w' })),
      apply('two', 'configmaps', 'a', config({ k: 'w' }), '&force=true'),
    ],
  },
  {
    name: 'managed fields that make no sense are refused or ignored',
    steps: [
      create('configmaps', config()),
      ...[
        entry({ operation: 'Delete' }),
        entry({ operation: '' }),
        entry({ operation: undefined }),
        entry({ fieldsType: 'FieldsV2' }),
        entry({ fieldsType: undefined }),
        entry({ apiVersion: 'v9' }),
        entry({ fieldsV1: undefined }),
        entry({ fieldsV1: { 'x:y': {} } }),
        entry({ fieldsV1: { x: {} } }),
        entry({ fieldsV1: { 'k:{': {} } }),
        entry({ fieldsV1: { 'f:nothing': {}, 'f:data': { 'f:k': {}, 'f:absent': {} } } }),
        entry({ fieldsV1: 'text' }),
        entry({ manager: undefined }),
        entry({ time: 'soon' }),
      ].map((one) => put('configmaps', 'a', withManagers(one))),
      put('configmaps', 'a', config({ k: 'v' }, { managedFields: {} })),
      put('configmaps', 'a', config({ k: 'v' }, { managedFields: 'x' })),
      put('configmaps', 'a', config({ k: 'v' }, { managedFields: [null] })),
      get('configmaps', 'a'),
    ],
  },
  {
    name: 'more than ten updaters are compressed',
    steps: [
      create('configmaps', config({ k0: 'v' }), '?fieldManager=m00'),
      ...Array.from({ length: 13 }, (_, at) =>
        patch(MERGE_PATCH, 'configmaps', 'a', { data: { [`k${at + 1}`]: 'v' } }, `?fieldManager=m${String(at + 10)}`),
      ),
      apply('one', 'configmaps', 'a', config({ x: 'y' })),
      patch(MERGE_PATCH, 'configmaps', 'a', { data: { k99: 'v' } }, '?fieldManager=m99'),
      apply('one', 'configmaps', 'a', config({ x: 'y', k0: 'w' })),
    ],
  },
  {
    name: 'an object of client-side apply is taken over by kubectl on the server',
    steps: [
      create(
        'configmaps',
        config(
          { k: 'v', l: 'v', stay: 's' },
          {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(config({ k: 'v', l: 'v', stay: 's' })),
            },
          },
        ),
        '?fieldManager=kubectl-client-side-apply',
      ),
      apply('kubectl', 'configmaps', 'a', config({ k: 'w' })),
      apply('other', 'configmaps', 'a', config({ k: 'x' })),
      apply('kubectl', 'configmaps', 'a', config({ k: 'x', m: 'y' })),
      patch(MERGE_PATCH, 'configmaps', 'a', { data: { l: 'changed' } }),
      apply('kubectl', 'configmaps', 'a', config({ k: 'x', l: 'mine' })),
      apply(
        'kubectl',
        'configmaps',
        'a',
        config(
          { stay: 's', k: 'x', l: 'mine' },
          { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
        ),
        '&force=true',
      ),
      get('configmaps', 'a'),
    ],
  },
]
