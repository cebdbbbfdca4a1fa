import { at, create, type Scenario, type Step } from '../../scenario.ts'

const ask = (path: string, method: Step['method'] = 'GET', more: Partial<Step> = {}): Step => ({
  method,
  path,
  ...more,
})
const accept = (path: string, type: string): Step => ask(path, 'GET', { headers: { accept: type } })

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const body = (method: Step['method']): Partial<Step> =>
  method === 'POST' || method === 'PUT'
    ? { body: {} }
    : method === 'PATCH'
      ? { body: {}, type: 'application/merge-patch+json' }
      : {}

export const scenarios: readonly Scenario[] = [
  {
    name: 'invalid paths',
    steps: [
      '/nonsense',
      '/api/v2',
      '/api/v1/nonsense',
      '/api/v1/namespaces/WORD/nonsense',
      '/api/v1/namespaces/WORD/nonsense/x',
      '/api/v1/namespaces/WORD/pods/x/nonsense',
      '/api/v1/namespaces/WORD/pods/x/status/more',
      '/api/v1/namespaces/WORD/configmaps/x/status',
      '/api/v1/namespaces/WORD/nodes',
      '/api/v1/pods/x',
      '/apis/nonsense',
      '/apis/nonsense/v1',
      '/apis/nonsense/v1/things',
      '/apis/nonsense.example.com/v1/namespaces/WORD/things/x',
      '/apis/apps/v2',
      '/apis/apps/v2/deployments',
      '/apis/apps/v1/nonsense',
      '/apis/apps/v1/namespaces/WORD/nonsense',
      '/apis/apps/v1/namespaces/WORD/deployments/x/nonsense',
      '/apis/apps/v1/namespaces',
      '/apis/apps/v1/pods',
      '/api/v1/deployments',
      '/apis/batch/v1/jobs/x',
      '/api/v1/namespaces/WORD/',
      '/api/v1//pods',
      '/api/v1/pods/?limit=1&labelSelector=nothing',
      '/API/v1/pods',
      '/api/v1/Pods',
      '/api/v1/namespaces/WORD/Pods',
      '/api/v1/namespaces/Bad_Name/pods',
      '/api/v1/namespaces/WORD/pods/Bad_Name',
      '/api/v1/namespaces/WORD/configmaps/%2e%2e',
      '/api/v1/namespaces/WORD/configmaps/%2e',
      '/api/v1/namespaces/WORD/configmaps/a%25b',
      '/api/v1/namespaces/WORD/configmaps/a%2fb',
      '/api/v1/namespaces/WORD/endpointslices%2fa',
      '/apis/apps/v1/namespaces/WORD/deployments/%2e%2e',
      '/api/v1/nodes/%2e%2e/status',
      '/api/v1/namespaces/%2e%2e',
      '/api//v1',
      '/favicon.ico',
      '/ui',
      '/swagger.json',
      '/api/v1/proxy/namespaces/WORD/pods/x',
    ].map((path) => ask(path)),
  },
  {
    name: 'methods that are not allowed',
    steps: [
      create('configmaps', { metadata: { name: 'a' } }),
      ...METHODS.flatMap((method) =>
        [
          at('endpoints'),
          at('endpoints', 'missing'),
          '/api/v1/endpoints',
          '/api',
          '/apis',
          '/api/v1',
          '/apis/apps',
          '/apis/apps/v1',
          '/version',
          '/healthz',
          at('nonsense'),
          at('pods', 'missing', 'status'),
          at('pods', 'missing', 'binding'),
          at('pods', 'missing', 'eviction'),
          at('apps/v1/deployments', 'missing', 'scale'),
          '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
          '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x',
          '/api/v1/namespaces/missing-WORD/finalize',
          '/api/v1/namespaces/missing-WORD/status',
          '/nonsense',
        ]
          // A list of all objects differs on each server, and an empty review is answered with the user that asks.
          .filter((path) => !((method === 'GET' || method === 'HEAD') && path === '/api/v1/endpoints'))
          .filter((path) => !(method === 'GET' && /^\/(?:api|version)/.test(path) && !path.includes('/v1/')))
          .map((path) => ask(path, method, body(method))),
      ),
    ],
  },
  {
    name: 'what a client accepts',
    steps: [
      create('endpoints', { metadata: { name: 'a', labels: { app: 'x' } } }),
      ...[
        'application/json',
        '*/*',
        'text/plain',
        'application/json;q=0.1,application/yaml;q=0.9',
        'application/cbor',
        'application/json;as=Table;v=v1;g=meta.k8s.io',
        'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
        'application/json;as=Table;v=v2;g=meta.k8s.io',
        'application/json;as=Table;g=meta.k8s.io',
        'application/json;as=Table',
        'application/json;as=Table;v=v1',
        'application/json;as=Table;v=v1;g=other',
        'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
        'application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io',
        'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
        'application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io',
        'application/json;as=Nonsense;v=v1;g=meta.k8s.io,application/json',
        'application/json;as=Nonsense;v=v1;g=meta.k8s.io',
        'application/json;stream=watch',
        'application/json;pretty=1',
        'nonsense',
        ',',
        'application/yaml',
      ].flatMap((type) => [accept(at('endpoints', 'a'), type), accept(`${at('endpoints')}?labelSelector=app=x`, type)]),
      accept(
        `${at('endpoints')}?labelSelector=app=x&includeObject=None`,
        'application/json;as=Table;v=v1;g=meta.k8s.io',
      ),
      accept(
        `${at('endpoints')}?labelSelector=app=x&includeObject=Object`,
        'application/json;as=Table;v=v1;g=meta.k8s.io',
      ),
      accept(
        `${at('endpoints')}?labelSelector=app=x&includeObject=Metadata`,
        'application/json;as=Table;v=v1;g=meta.k8s.io',
      ),
      accept(
        `${at('endpoints')}?labelSelector=app=x&includeObject=Nonsense`,
        'application/json;as=Table;v=v1;g=meta.k8s.io',
      ),
      accept(`${at('endpoints', 'a')}?includeObject=Nonsense`, 'application/json;as=Table;v=v1;g=meta.k8s.io'),
      accept(at('endpoints', 'missing'), 'application/json;as=Table;v=v1;g=meta.k8s.io'),
      accept(at('endpoints', 'missing'), 'application/yaml'),
      accept(at('endpoints', 'missing'), 'text/html'),
      ask(at('endpoints', 'a'), 'DELETE', { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
      {
        ...create('endpoints', { metadata: { name: 'b' } }),
        headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
      },
      { ...create('endpoints', { metadata: { name: 'c' } }), headers: { accept: 'text/html' } },
      {
        ...create('endpoints', { metadata: { name: 'd' } }),
        headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      },
    ],
  },
  {
    name: 'health',
    steps: [
      ...['/healthz', '/livez', '/readyz', '/healthz/ping', '/livez/ping', '/readyz/ping', '/healthz/nonsense']
        .concat(['/readyz/nonsense', '/healthz?exclude=ping', '/livez/ping?verbose', '/healthz/ping/more'])
        .concat(['/readyz?exclude=nix', '/readyz/ping?exclude=nix&verbose'])
        .map((path) => ask(path)),
      ask('/healthz', 'HEAD'),
    ],
  },
]
