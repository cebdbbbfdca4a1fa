import {
  type Answers,
  at,
  create,
  JSON_PATCH,
  MERGE_PATCH,
  patch,
  remove,
  type Scenario,
  type Step,
} from '../../scenario.ts'

/** One second of a watch. */
const watch = (resource: string, query: string, more: Partial<Step> = {}): Step => ({
  method: 'GET',
  path: `${at(resource)}?watch=true&timeoutSeconds=1${query}`,
  ...more,
})
const since = (answers: Answers): string => `&resourceVersion=${answers['begin']?.body.metadata.resourceVersion}`
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
const METADATA = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }

export const scenarios: readonly Scenario[] = [
  {
    name: 'what a watch tells',
    steps: [
      { ...create('endpoints', { metadata: { name: 'a', labels: { app: 'x' } } }), name: 'begin' },
      create('endpoints', { metadata: { name: 'b', labels: { app: 'y' } } }),
      patch(MERGE_PATCH, 'endpoints', 'a', { metadata: { labels: { app: 'y' } } }),
      patch(MERGE_PATCH, 'endpoints', 'b', { metadata: { labels: { app: 'x' } } }),
      patch(MERGE_PATCH, 'endpoints', 'b', { metadata: { annotations: { a: 'b' } } }),
      remove('endpoints', 'a'),
      remove('endpoints', 'b'),
      watch('endpoints', '', { query: since }),
      watch('endpoints', '&labelSelector=app=x', { query: since }),
      watch('endpoints', '&labelSelector=app=y', { query: since }),
      watch('endpoints', '&fieldSelector=metadata.name=b', { query: since }),
      watch('endpoints', '&fieldSelector=metadata.name=c', { query: since }),
      watch('endpoints', '', { query: since, headers: TABLE }),
      watch('endpoints', '', { query: since, headers: METADATA }),
      watch('endpoints', '&includeObject=None', { query: since, headers: TABLE }),
      watch('endpoints', '&includeObject=Object', { query: since, headers: TABLE }),
      watch('endpoints', '', { query: since, headers: { accept: 'application/yaml' } }),
      watch('endpoints', '', { query: since, headers: { accept: 'application/json;stream=watch' } }),
      { method: 'GET', path: '/api/v1/watch/namespaces/WORD/endpoints?timeoutSeconds=1', query: sinceFirst },
      { method: 'GET', path: '/api/v1/watch/namespaces/WORD/endpoints/b?timeoutSeconds=1', query: sinceFirst },
      {
        method: 'GET',
        path: '/api/v1/watch/endpoints?timeoutSeconds=1&fieldSelector=metadata.namespace=WORD',
        query: sinceFirst,
      },
      { method: 'GET', path: `${at('endpoints', 'b')}?watch=true&timeoutSeconds=1`, query: sinceFirst },
      { method: 'GET', path: '/apis/apps/v1/watch/namespaces/WORD/deployments?timeoutSeconds=1' },
      { method: 'GET', path: '/api/v1/watch/namespaces/WORD?timeoutSeconds=1&resourceVersion=0' },
    ],
  },
  {
    name: 'what a watch begins with',
    steps: [
      { ...create('endpoints', { metadata: { name: 'a', labels: { app: 'x' } } }), name: 'begin' },
      watch('endpoints', '&fieldSelector=metadata.name=a'),
      watch('endpoints', '&fieldSelector=metadata.name=a&resourceVersion='),
      watch('endpoints', '&fieldSelector=metadata.name=a&resourceVersion=0'),
      watch('endpoints', '&fieldSelector=metadata.name=a', { query: since }),
      watch('endpoints', '&fieldSelector=metadata.name=a', { headers: TABLE }),
      patch(JSON_PATCH, 'endpoints', 'a', [{ op: 'add', path: '/metadata/labels/b', value: 'c' }]),
      watch('endpoints', '&fieldSelector=metadata.name=a', { query: since }),
      watch('endpoints', '&fieldSelector=metadata.name=a&allowWatchBookmarks=false'),
    ],
  },
  {
    name: 'watches that cannot begin',
    steps: [
      ...['&resourceVersion=x', '&resourceVersion=-1', '&resourceVersion=1.5', '&labelSelector=a%20b', '&limit=x']
        .concat(['&fieldSelector=nonsense=x', '&fieldSelector=x', '&timeoutSeconds=x', '&resourceVersionMatch=Exact'])
        .concat(['&resourceVersionMatch=NotOlderThan', '&resourceVersionMatch=nonsense', '&continue=x', '&limit=5'])
        .concat(['&resourceVersion=0&resourceVersionMatch=NotOlderThan', '&resourceVersion=18446744073709551616'])
        .map((query) => watch('resourcequotas', query)),
      { method: 'GET', path: `${at('resourcequotas')}?watch=maybe&timeoutSeconds=1` },
      { method: 'GET', path: `${at('resourcequotas')}?watch=&timeoutSeconds=1` },
      { method: 'GET', path: `${at('resourcequotas')}?watch&timeoutSeconds=1` },
      { method: 'GET', path: `${at('resourcequotas')}?watch=1&timeoutSeconds=x` },
      { method: 'GET', path: `${at('nonsense')}?watch=1&timeoutSeconds=1` },
      { method: 'GET', path: `${at('pods', 'x', 'log')}?watch=1&timeoutSeconds=1` },
      { method: 'GET', path: `${at('resourcequotas', 'x')}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=y` },
      { method: 'GET', path: `${at('resourcequotas', 'x')}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=x` },
      { method: 'POST', path: `${at('resourcequotas')}?watch=1`, body: {} },
      watch('resourcequotas', '', { headers: { accept: 'text/html' } }),
      watch('resourcequotas', '', { headers: { accept: 'application/json;as=Nonsense;v=v1;g=meta.k8s.io' } }),
    ],
  },
]

function sinceFirst(answers: Answers): string {
  return since(answers)
}
