import { type Answers, at, create, get, MERGE_PATCH, patch, remove, type Scenario, type Step } from '../../scenario.ts'

const space = (name: string, more: object = {}, query = ''): Step => ({
  method: 'POST',
  path: `/api/v1/namespaces${query}`,
  body: { metadata: { name }, ...more },
})
const ask = (method: Step['method'], path: string, more: Partial<Step> = {}): Step => ({ method, path, ...more })
const OTHER = '/api/v1/namespaces/WORD-other'
const map = (name: string, metadata: object = {}): object => ({ metadata: { name, ...metadata } })
const uid = (answers: Answers, name: string): string => answers[name]?.body.metadata.uid ?? ''

/** References to what was made under these names. */
const ownedBy =
  (name: string, owners: readonly (readonly [string, object?])[], more: object = {}): ((answers: Answers) => object) =>
  (answers) => ({
    metadata: {
      name,
      ownerReferences: owners.map(([owner, changes = {}]) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: owner,
        uid: uid(answers, owner),
        ...changes,
      })),
      ...more,
    },
  })
const gone = (name: string): Step => ({ ...get('configmaps', name), eventually: true })
const owner = (name: string, metadata: object = {}): Step => ({ ...create('configmaps', map(name, metadata)), name })
const policy = (propagationPolicy: string): object => ({ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy })

/** Something that its creator goes on to own. */
const KEPT = { annotations: { a: 'b' } }
const kept = (name: string, more: object = {}): Step => space(name, { metadata: { name, ...KEPT }, ...more })

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}
/** Do the conditions of a namespace say whether something is left in it? */
const isToldToHold =
  (something: boolean) =>
  ({ status }: Conditioned): boolean =>
    (status?.conditions ?? []).some(
      ({ type, status: is }) => type === 'NamespaceContentRemaining' && is === (something ? 'True' : 'False'),
    )

export const scenarios: readonly Scenario[] = [
  {
    name: 'namespaces come and go',
    steps: [
      space('WORD-other'),
      space('WORD-other'),
      space('WORD-dry', {}, '?dryRun=All'),
      space('WORD-labels', { metadata: { name: 'WORD-labels', labels: { a: 'b' } } }),
      space('WORD.dots'),
      space('Bad_Name'),
      space('', { metadata: { generateName: 'WORD-' } }),
      space('WORD-f', { spec: { finalizers: ['example.com/keep'] } }),
      space('WORD-bad', { spec: { finalizers: ['unqualified'] } }),
      space('WORD-status', { status: { phase: 'Terminating' } }),
      ask('GET', OTHER),
      ask('PATCH', OTHER, { body: { spec: { finalizers: ['example.com/x'] } }, type: MERGE_PATCH }),
      ask('PATCH', OTHER, { body: { status: { phase: 'Terminating' } }, type: MERGE_PATCH }),
      ask('PATCH', `${OTHER}/status`, { body: { status: { phase: 'Nonsense' } }, type: MERGE_PATCH }),
      ask('PUT', `${OTHER}/finalize`, { body: { metadata: { name: 'WORD-other' }, spec: { finalizers: [] } } }),
      ask('PUT', `${OTHER}/finalize`, {
        body: { metadata: { name: 'WORD-other' }, spec: { finalizers: ['kubernetes', 'example.com/hold'] } },
      }),
      ask('POST', `${OTHER}/configmaps`, { body: map('a', { finalizers: ['example.com/hold'] }) }),
      ask('DELETE', OTHER, { body: { preconditions: { uid: 'x' } } }),
      ask('DELETE', `${OTHER}?dryRun=All`),
      ask('DELETE', OTHER),
      ask('GET', OTHER, { eventually: true }),
      ask('DELETE', OTHER, { eventually: true }),
      space('WORD-other'),
      ask('POST', `${OTHER}/configmaps`, { body: map('b') }),
      ask('POST', `${OTHER}/configmaps?dryRun=All`, { body: map('b') }),
      ask('POST', `${OTHER}/secrets`, { body: map('b') }),
      ask('POST', '/apis/apps/v1/namespaces/WORD-other/deployments', { body: map('b') }),
      ask('GET', `${OTHER}/configmaps/a`, { eventually: true }),
      ask('PATCH', `${OTHER}/configmaps/a`, { body: { data: { k: 'v' } }, type: MERGE_PATCH }),
      ask('PATCH', OTHER, { body: { metadata: { labels: { a: 'c' } } }, type: MERGE_PATCH, eventually: true }),
      ask('PATCH', `${OTHER}/configmaps/a`, {
        body: { metadata: { finalizers: null } },
        type: MERGE_PATCH,
        eventually: true,
      }),
      ask('PUT', `${OTHER}/finalize`, {
        body: { metadata: { name: 'WORD-other' }, spec: { finalizers: [] } },
        eventually: true,
      }),
      ask('GET', OTHER, { eventually: true }),
      ask('POST', `${OTHER}/configmaps`, { body: map('b') }),
      ask('POST', '/api/v1/namespaces/missing-WORD/configmaps', { body: map('b') }),
      ask('POST', '/api/v1/namespaces/missing-WORD/configmaps?dryRun=All', { body: map('b') }),
      ask('POST', '/api/v1/namespaces/missing-WORD/configmaps', { body: '{' }),
      ask('POST', '/api/v1/namespaces/missing-WORD/configmaps', { body: map('Bad_Name') }),
      ask('POST', '/apis/apps/v1/namespaces/missing-WORD/deployments', { body: map('b') }),
      ask('POST', '/api/v1/namespaces/missing-WORD/events', { body: { ...map('b'), involvedObject: {} } }),
      ask('PUT', '/api/v1/namespaces/missing-WORD/configmaps/a', { body: map('a') }),
      ask('PATCH', '/api/v1/namespaces/missing-WORD/configmaps/a', { body: {}, type: MERGE_PATCH }),
      ask('DELETE', '/api/v1/namespaces/missing-WORD/configmaps/a'),
      ask('DELETE', '/api/v1/namespaces/missing-WORD/configmaps'),
      ask('DELETE', '/api/v1/namespaces/missing-WORD'),
      ask('PUT', '/api/v1/namespaces/missing-WORD', { body: map('missing-WORD') }),
      ask('PUT', '/api/v1/namespaces/missing-WORD/finalize', { body: map('missing-WORD') }),
      ...['default', 'kube-system', 'kube-public'].map((name) => ask('DELETE', `/api/v1/namespaces/${name}`)),
      ask('DELETE', '/api/v1/namespaces/default?dryRun=All'),
      ...['f', 'labels', 'status'].map((name) => ask('DELETE', `/api/v1/namespaces/WORD-${name}`)),
    ],
  },
  {
    name: 'namespaces that finalizers of others keep tell what is in them',
    steps: [
      kept('WORD-other'),
      ask('POST', `${OTHER}/configmaps`, { body: map('a', { finalizers: ['example.com/hold'] }) }),
      ask('PUT', `${OTHER}/finalize`, {
        body: {
          metadata: { name: 'WORD-other', ...KEPT },
          spec: { finalizers: ['example.com/keep', 'kubernetes'] },
        },
      }),
      ask('DELETE', OTHER),
      ask('GET', OTHER, { until: isToldToHold(true) }),
      ask('PATCH', `${OTHER}/configmaps/a`, { body: { metadata: { finalizers: null } }, type: MERGE_PATCH }),
      ask('GET', OTHER, { until: isToldToHold(false) }),
      ask('PUT', `${OTHER}/finalize`, { body: { metadata: { name: 'WORD-other' }, spec: { finalizers: [] } } }),
      kept('WORD-empty', { spec: { finalizers: ['example.com/keep'] } }),
      ask('DELETE', '/api/v1/namespaces/WORD-empty'),
      ask('GET', '/api/v1/namespaces/WORD-empty', { until: isToldToHold(false) }),
      ask('PUT', '/api/v1/namespaces/WORD-empty/finalize', {
        body: { metadata: { name: 'WORD-empty' }, spec: { finalizers: [] } },
      }),
    ],
  },
  {
    name: 'owners and what they own',
    steps: [
      owner('a'),
      create('configmaps', ownedBy('a-1', [['a']])),
      create('configmaps', ownedBy('a-2', [['a', { blockOwnerDeletion: true, controller: true }]])),
      remove('configmaps', 'a', policy('Background')),
      gone('a-1'),
      gone('a-2'),
      owner('b'),
      create('configmaps', ownedBy('b-1', [['b']])),
      remove('configmaps', 'b', policy('Orphan')),
      gone('b'),
      { ...get('configmaps', 'b-1'), eventually: true },
      owner('c'),
      create('configmaps', ownedBy('c-1', [['c', { blockOwnerDeletion: true }]], { finalizers: ['example.com/hold'] })),
      create('configmaps', ownedBy('c-2', [['c']])),
      remove('configmaps', 'c', policy('Foreground')),
      gone('c-2'),
      { ...get('configmaps', 'c'), eventually: true },
      { ...get('configmaps', 'c-1'), eventually: true },
      patch(MERGE_PATCH, 'configmaps', 'c-1', { metadata: { finalizers: null } }),
      gone('c-1'),
      gone('c'),
      owner('d'),
      owner('e'),
      create('configmaps', ownedBy('d-1', [['d'], ['e']])),
      remove('configmaps', 'd'),
      { ...get('configmaps', 'd-1'), eventually: true },
      remove('configmaps', 'e'),
      gone('d-1'),
      create('configmaps', ownedBy('f-1', [['f', { uid: 'nobody' }]])),
      gone('f-1'),
      owner('g'),
      create('configmaps', ownedBy('g-1', [['g', { name: 'other' }]])),
      create('configmaps', ownedBy('g-2', [['g', { kind: 'Nonsense' }]])),
      create('configmaps', ownedBy('g-3', [['g', { apiVersion: 'a/b/c' }]])),
      create(
        'configmaps',
        ownedBy('g-4', [
          ['g', { controller: true }],
          ['e', { controller: true }],
        ]),
      ),
      create('configmaps', ownedBy('g-5', [['g', { kind: 'Event' }]])),
    ],
  },
  {
    name: 'finalizers that say what becomes of what is owned',
    steps: [
      owner('a', { finalizers: ['orphan'] }),
      create('configmaps', ownedBy('a-1', [['a']])),
      remove('configmaps', 'a'),
      gone('a'),
      { ...get('configmaps', 'a-1'), eventually: true },
      owner('b', { finalizers: ['orphan'] }),
      create('configmaps', ownedBy('b-1', [['b']])),
      remove('configmaps', 'b', policy('Background')),
      gone('b-1'),
      owner('c', { finalizers: ['foregroundDeletion'] }),
      create('configmaps', ownedBy('c-1', [['c', { blockOwnerDeletion: true }]])),
      remove('configmaps', 'c'),
      gone('c-1'),
      gone('c'),
      owner('d', { finalizers: ['foregroundDeletion'] }),
      create('configmaps', ownedBy('d-1', [['d']])),
      remove('configmaps', 'd', policy('Orphan')),
      { ...get('configmaps', 'd-1'), eventually: true },
      ask('GET', `${at('configmaps')}?fieldSelector=metadata.name=d`, { eventually: true }),
    ],
  },
]
