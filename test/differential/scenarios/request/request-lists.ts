import { type Answers, at, create, type Scenario, type Step } from '../../scenario.ts'

const list = (resource: string, query = '', more: Partial<Step> = {}): Step => ({
  method: 'GET',
  path: at(resource) + query,
  ...more,
})
const quoted = encodeURIComponent
const labels = (selector: string, resource = 'secrets'): Step => list(resource, `?labelSelector=${quoted(selector)}`)
const fields = (selector: string, resource = 'secrets'): Step => list(resource, `?fieldSelector=${quoted(selector)}`)
const filled: readonly Step[] = ['a', 'b', 'c', 'd', 'e'].map((name, index) =>
  create('endpoints', { metadata: { name, labels: { app: name, number: String(index) } } }),
)
/** A selector over what these scenarios make. */
const MADE = 'number'

export const scenarios: readonly Scenario[] = [
  {
    name: 'label selectors',
    steps: [
      create('secrets', { metadata: { name: 'a', labels: { app: 'a', number: '1' } } }),
      create('secrets', { metadata: { name: 'b', labels: { app: 'b', number: '5' } } }),
      ...[
        'app',
        '!app,number',
        'app=a',
        'app==b',
        'app!=a,number',
        'app in (a,b)',
        'app in (a, c),number notin (5)',
        'app notin (a),number',
        'number>3',
        'number<3',
        'app=',
        'app in ()',
        'app in (,),number',
        ' app = a ',
        ',app=a',
        'app=a,',
        'app=a,,number=1',
        'app = a b',
        'app=a=b',
        'app in a',
        'app in (a',
        'app in',
        'app a',
        'app~a',
        '=a',
        '!',
        '!app=a',
        'a/b/c=d',
        'a b',
        'app=a b',
        'app=-a',
        'Bad_/x=y',
        `${'x'.repeat(64)}=a`,
        `app=${'x'.repeat(64)}`,
        'number>x',
        'number>',
        'app in (a,b',
        '(',
        ')',
        'app=(a)',
        'x=y z',
        'in in (in)',
        'notin',
        'app,',
      ].map((selector) => labels(selector)),
    ],
  },
  {
    name: 'field selectors',
    steps: [
      create('secrets', { metadata: { name: 'a' }, type: 'x/y' }),
      create('pods', {
        metadata: { name: 'a' },
        spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false, nodeName: 'n' },
      }),
      ...['metadata.name=a', 'metadata.name!=a,type=none', 'metadata.namespace=WORD,type=x/y', 'type=x/y', 'type==x/y']
        .concat(['metadata.uid=a', 'data.x=y', 'metadata.labels.a=b', 'nonsense', 'a=b=c', 'metadata.name='])
        .concat(['metadata.name=a,', ',metadata.name=a', 'metadata.name =a', 'metadata.name= a', 'metadata.name=a\\'])
        .concat(['metadata.name=\\x', 'metadata.name=a\\,b', 'metadata.name in (a)', 'metadata.name>a', 'kind=Secret'])
        .map((selector) => fields(selector)),
      ...[
        'spec.nodeName=n',
        'spec.restartPolicy=Always',
        'spec.schedulerName=default-scheduler',
        'status.phase=Pending',
      ]
        .concat(['spec.serviceAccountName=default', 'status.podIP=', 'status.nominatedNodeName=', 'status.podIPs='])
        .concat(['spec.host=n', 'spec.containers=x', 'status.reason=x', 'metadata.name=a,spec.nodeName!=n'])
        .map((selector) => fields(selector, 'pods')),
      ...['status.successful=1', 'status.active=1'].map((selector) => fields(selector, 'batch/v1/jobs')),
      ...['metadata.name=x', 'spec.replicas=1'].map((selector) => fields(selector, 'apps/v1/deployments')),
      ...['status.replicas=1', 'spec.replicas=1'].map((selector) => fields(selector, 'replicationcontrollers')),
      ...['reason=x', 'involvedObject.kind=Pod', 'involvedObject.nonsense=x', 'source=x', 'type=Normal', 'count=1']
        .concat(['involvedObject.uid=x', 'involvedObject.fieldPath=x', 'reportingComponent=x', 'message=x'])
        .map((selector) => fields(selector, 'events')),
      ...['metadata.name=x', 'status.phase=x', 'spec.hard=x'].map((selector) => fields(selector, 'resourcequotas')),
      ...['spec.type=x', 'metadata.name=x'].map((selector) => fields(selector, 'configmaps')),
      { method: 'GET', path: '/api/v1/namespaces?fieldSelector=metadata.name=WORD' },
      { method: 'GET', path: '/api/v1/namespaces?fieldSelector=metadata.name=WORD,status.phase=Terminating' },
      { method: 'GET', path: '/api/v1/namespaces?fieldSelector=metadata.namespace=x' },
      { method: 'GET', path: '/api/v1/namespaces?fieldSelector=spec.finalizers=x' },
      { method: 'GET', path: '/api/v1/nodes?fieldSelector=spec.unschedulable=x' },
      { method: 'GET', path: '/api/v1/nodes?fieldSelector=spec.podCIDR=x' },
      { method: 'GET', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldSelector=spec.group=x' },
      { method: 'GET', path: '/apis/rbac.authorization.k8s.io/v1/clusterroles?fieldSelector=rules=x' },
      {
        method: 'GET',
        path: '/apis/certificates.k8s.io/v1/certificatesigningrequests?fieldSelector=spec.signerName=x',
      },
      { method: 'GET', path: '/api/v1/secrets?fieldSelector=metadata.namespace=WORD,type=x/y' },
    ],
  },
  {
    name: 'lists in pages',
    steps: [
      ...filled,
      list('endpoints', '?limit=2', { name: 'first' }),
      list('endpoints', '?limit=2', { query: next('first'), name: 'second' }),
      list('endpoints', '?limit=2', { query: next('second') }),
      list('endpoints', '?limit=0', { query: next('second') }),
      list('endpoints', '?', { query: next('second') }),
      list('endpoints', '?limit=2', { query: (answers) => `${next('first')(answers)}&resourceVersion=1` }),
      list('endpoints', '?limit=2', { query: (answers) => `${next('first')(answers)}&resourceVersion=0` }),
      list('endpoints', '?limit=2', { query: (answers) => `${next('first')(answers)}&resourceVersionMatch=Exact` }),
      list('endpoints', `?limit=2&labelSelector=${MADE}`, { name: 'selected' }),
      list('endpoints', `?limit=2&labelSelector=${MADE}`, { query: next('selected') }),
      list('endpoints', '?limit=5'),
      list('endpoints', '?limit=4'),
      list('endpoints', '?limit=100'),
      list('endpoints', '?limit=-1'),
      list('endpoints', '?limit=x'),
      list('endpoints', '?limit='),
      list('endpoints', '?limit=1.5'),
      list('endpoints', '?limit=99999999999999999999'),
      list('endpoints', '?limit=2&limit=3'),
      list('endpoints', `?continue=${Buffer.from('nonsense').toString('base64url')}`),
      list('endpoints', '?continue=%21%21'),
      list('endpoints', `?continue=${Buffer.from('{}').toString('base64url')}`),
      list(
        'endpoints',
        `?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"c\\u0000"}').toString('base64url')}`,
      ),
      list('endpoints', `?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"c"}').toString('base64url')}`),
      list(
        'endpoints',
        `?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":"x","start":"c"}').toString('base64url')}`,
      ),
      list('endpoints', `?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":5}').toString('base64url')}`),
      list('endpoints', `?continue=${Buffer.from('{"v":"meta.k8s.io/v2","rv":5,"start":"c"}').toString('base64url')}`),
      list(
        'endpoints',
        `?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":5,"start":"../c"}').toString('base64url')}`,
      ),
      list('endpoints', `?continue=${Buffer.from('[').toString('base64url')}`),
      list('endpoints', `?continue=${Buffer.from('"x"').toString('base64url')}`),
    ],
  },
  {
    name: 'versions of lists',
    steps: [
      // The real server's cache gives its objects in no order, so that one is enough.
      { ...create('limitranges', { metadata: { name: 'a' }, spec: {} }), name: 'now' },
      ...['0', '1', 'x', '-1', '1.5', '', '99999999999', '18446744073709551616'].flatMap((version) =>
        ['', '&resourceVersionMatch=Exact', '&resourceVersionMatch=NotOlderThan', '&resourceVersionMatch=exact']
          .concat(['&resourceVersionMatch=', '&limit=2'])
          // The error about an expired version names it and the oldest one; a later version is awaited.
          .filter((match) => !(['1', '99999999999'].includes(version) && match !== '&resourceVersionMatch=exact'))
          .map((match) => list('limitranges', `?resourceVersion=${version}${match}`)),
      ),
      list('limitranges', '?resourceVersionMatch=Exact'),
      list('limitranges', '?resourceVersionMatch=NotOlderThan'),
      list('limitranges', '?resourceVersionMatch=nonsense'),
      list('limitranges', '?resourceVersionMatch=Exact&continue=x'),
      list('limitranges', '?resourceVersionMatch=Exact&continue=x&resourceVersion=0'),
      list('limitranges', '?resourceVersionMatch=Exact', { query: now }),
      list('limitranges', '?resourceVersionMatch=NotOlderThan', { query: now }),
      list('limitranges', '?x', { query: now }),
      create('limitranges', { metadata: { name: 'later', labels: { number: '9' } }, spec: {} }),
      list('limitranges', `?labelSelector=${MADE}&resourceVersionMatch=Exact`, { query: now }),
      list('limitranges', `?labelSelector=${MADE}&resourceVersionMatch=NotOlderThan`, { query: now }),
      list('limitranges', `?labelSelector=${MADE}&limit=2`, { query: now }),
      ...['0', 'x', '-1', '', '18446744073709551616'].map((version): Step => ({
        method: 'GET',
        path: `${at('limitranges', 'a')}?resourceVersion=${version}`,
      })),
      { method: 'GET', path: `${at('limitranges', 'a')}?x`, query: now },
      { method: 'GET', path: `${at('limitranges', 'a')}?limit=x&watch=1&labelSelector=a` },
    ],
  },
  {
    name: 'what else a query may hold',
    steps: [
      ...filled.slice(0, 1),
      list('endpoints', '?pretty=true'),
      list('endpoints', '?pretty'),
      list('endpoints', '?nonsense=1'),
      list('endpoints', '?timeoutSeconds=x'),
      list('endpoints', '?timeoutSeconds=5'),
      list('endpoints', '?timeout=5s'),
      list('endpoints', '?timeout=x'),
      list('endpoints', '?watch=false'),
      list('endpoints', '?watch=0'),
      list('endpoints', '?allowWatchBookmarks=maybe'),
      list('endpoints', '?sendInitialEvents=false'),
      list('endpoints', '?includeObject=Object'),
      list('endpoints', '?a=%zz'),
      list('endpoints', '?a;b'),
      list('endpoints', '?exact=true&export=true'),
      { method: 'GET', path: `${at('endpoints', 'a')}?export=true` },
      { method: 'GET', path: '/api/v1/endpoints?fieldSelector=metadata.namespace=WORD' },
      { method: 'GET', path: '/api/v1/namespaces/missing-WORD/endpoints' },
      { method: 'GET', path: '/api/v1/namespaces/missing-WORD/endpoints/a' },
    ],
  },
]

/** `&continue=…` of what was answered before. */
function next(step: string): (answers: Answers) => string {
  return (answers) => `&continue=${answers[step]?.body.metadata.continue}`
}

function now(answers: Answers): string {
  return `&resourceVersion=${answers['now']?.body.metadata.resourceVersion}`
}
