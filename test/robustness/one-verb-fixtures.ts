/** A kind that is tried, with two objects, `a` and `b`. */
export interface Fixture {
  readonly root: string
  readonly plural: string
  readonly bucket: string
  readonly namespaced: boolean
  readonly namespace: string
  readonly object: (name: string) => object
  readonly body: (method: string, subresource: string, applies: boolean) => object | undefined
  /** The verbs that have an effect on the resource and, as `verb part`, on its subresources. */
  readonly able: readonly string[]
}

/** In every fixture, so that an answer that holds one is seen. */
export const markOf = (name: string): string => `mark-of-${name}-`

export const CUSTOM_GROUP = 'one-verb.test'

const pod = { containers: [{ name: 'c', image: 'i' }] }
const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
const SCALED = ['get scale', 'update scale', 'patch scale']
let serial = 0

const custom = (plural: string, kind: string, namespaced: boolean): Fixture =>
  fixture(
    {
      root: `/apis/${CUSTOM_GROUP}/v1`,
      plural,
      namespaced,
      bucket: `${plural}.${CUSTOM_GROUP}`,
      able: [...ALL, ...SCALED, 'get status', 'update status', 'patch status'],
    },
    { apiVersion: `${CUSTOM_GROUP}/v1`, kind },
    { spec: { replicas: 1 } },
  )

/** Kinds of every sort: built-in and custom, in namespaces and not, with each subresource that there is. */
export const fixtures = (): readonly Fixture[] => [
  custom('widgets', 'Widget', true),
  fixture(
    {
      root: '/api/v1',
      plural: 'pods',
      bucket: 'pods',
      able: [...ALL, 'create eviction', 'create binding', 'get status', 'update status', 'patch status'],
    },
    { apiVersion: 'v1', kind: 'Pod' },
    { spec: pod },
  ),
  custom('stones', 'Stone', false),
  fixture(
    { root: '/apis/apps/v1', plural: 'deployments', bucket: 'deployments.apps', able: [...ALL, ...SCALED] },
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    {
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { app: 'x' } }, spec: pod },
      },
    },
  ),
  fixture(
    { root: '/api/v1', plural: 'serviceaccounts', bucket: 'serviceaccounts', able: [...ALL, 'create token'] },
    { apiVersion: 'v1', kind: 'ServiceAccount' },
    {},
  ),
  fixture(
    { root: '/api/v1', plural: 'nodes', bucket: 'nodes', namespaced: false, able: [...ALL, 'patch status'] },
    { apiVersion: 'v1', kind: 'Node' },
    {},
  ),
  fixture(
    {
      root: '/api/v1',
      plural: 'namespaces',
      bucket: 'namespaces',
      namespaced: false,
      able: [...ALL.filter((verb) => verb !== 'deletecollection'), 'update finalize', 'patch status'],
    },
    { apiVersion: 'v1', kind: 'Namespace' },
    {},
  ),
]

function fixture(
  of: Pick<Fixture, 'root' | 'plural' | 'bucket' | 'able'> & { readonly namespaced?: boolean },
  typeMeta: { readonly apiVersion: string; readonly kind: string },
  rest: object,
): Fixture {
  const namespaced = of.namespaced !== false
  const object = (name: string, change = ''): object => ({
    ...typeMeta,
    metadata: { name, annotations: { mark: markOf(name), ...(change === '' ? {} : { change }) } },
    ...rest,
  })
  return {
    ...of,
    namespaced,
    namespace: namespaced ? 'one-verb' : '',
    object,
    body: (method, subresource, applies) => {
      // Each write changes something, so that one that is carried out is seen.
      const change = String(++serial)
      const metadata = { annotations: { change } }
      const conditions = [{ type: 'Tried', status: 'True', message: change }]
      const bodies: Readonly<Record<string, object | undefined>> = {
        'POST ': object(`new-${change}`),
        'POST eviction': { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } },
        'POST binding': {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: 'a' },
          target: { kind: 'Node', name: 'n' },
        },
        'POST token': { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
        'PUT ': object(applies ? 'missing' : 'a', change),
        'PUT scale': {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'a' },
          spec: { replicas: 2 + serial },
        },
        'PATCH ': applies ? object('missing', change) : { metadata },
        'PATCH scale': { spec: { replicas: 2 + serial } },
        'PUT finalize': {
          ...typeMeta,
          kind: 'Namespace',
          metadata: { name: 'a', ...metadata },
          spec: { finalizers: [`one-verb.test/${change}`] },
        },
        'PUT status': { ...object('a', change), status: { conditions } },
        'PATCH status': { metadata, status: { conditions } },
      }
      if (method === 'GET' || method === 'HEAD' || method === 'DELETE') return undefined
      return bodies[`${method} ${subresource}`] ?? { ...object('a', change), metadata: { name: 'a', ...metadata } }
    },
  }
}
