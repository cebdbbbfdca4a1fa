import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'

/** A kind under fire: where its objects are, what one looks like, and where it carries its mark besides its metadata. */
export interface ChaosKind {
  /** As quotas name it. */
  readonly resource: string
  readonly root: string
  readonly apiVersion: string
  readonly kind: string
  readonly body: (mark: string) => JsonObject
  /** A merge patch that changes the mark in the body. */
  readonly patch: (mark: string) => JsonObject
  readonly markOf: (object: KubeObject) => unknown
}

const at = (object: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (value as JsonObject | undefined)?.[key], object)

const labels = { app: 'chaos' }
const podSpec = (mark: string): JsonObject => ({
  // Else a volume with a token is added, and what is put back must have it too.
  automountServiceAccountToken: false,
  containers: [
    { name: 'c', image: `registry.example.test/i:${mark}`, resources: { requests: { cpu: '10m', memory: '8Mi' } } },
  ],
})
const template = (mark: string): JsonObject => ({ metadata: { labels, annotations: { mark } }, spec: podSpec('1') })
const PADDING = 'p'.repeat(300)

function data(resource: string, kind: string): ChaosKind {
  const encode = (text: string): string => (kind === 'Secret' ? Buffer.from(text).toString('base64') : text)
  return {
    resource,
    root: '/api/v1',
    apiVersion: 'v1',
    kind,
    body: (mark) => ({ data: { mark: encode(mark), padding: encode(PADDING), end: encode(mark) } }),
    patch: (mark) => ({ data: { mark: encode(mark), end: encode(mark) } }),
    markOf: (object) => {
      const [mark, end] = [at(object, 'data', 'mark'), at(object, 'data', 'end')]
      return mark === end && typeof mark === 'string'
        ? kind === 'Secret'
          ? Buffer.from(mark, 'base64').toString()
          : mark
        : `half: ${String(mark)} ${String(end)}`
    },
  }
}

function workload(resource: string, kind: string, more: JsonObject = {}): ChaosKind {
  return {
    resource: `${resource}.apps`,
    root: '/apis/apps/v1',
    apiVersion: 'apps/v1',
    kind,
    body: (mark) => ({ spec: { selector: { matchLabels: labels }, template: template(mark), ...more } }),
    patch: (mark) => ({ spec: { template: { metadata: { annotations: { mark } } } } }),
    markOf: (object) => at(object, 'spec', 'template', 'metadata', 'annotations', 'mark'),
  }
}

export const CUSTOM = { group: 'chaos.allot.test', plural: 'gadgets', kind: 'Gadget' } as const

/** A dozen kinds: typed and custom, with and without allocations, cheap and costly to quotas. */
export const KINDS: readonly ChaosKind[] = [
  data('configmaps', 'ConfigMap'),
  data('secrets', 'Secret'),
  {
    resource: 'pods',
    root: '/api/v1',
    apiVersion: 'v1',
    kind: 'Pod',
    body: (mark) => ({ spec: podSpec(mark) }),
    patch: (mark) => ({ spec: podSpec(mark) }),
    markOf: (object) => String(at(object, 'spec', 'containers', '0', 'image')).split(':')[1],
  },
  {
    resource: 'services',
    root: '/api/v1',
    apiVersion: 'v1',
    kind: 'Service',
    body: (mark) => ({ spec: { type: 'NodePort', selector: { mark }, ports: [{ port: 80, name: 'http' }] } }),
    patch: (mark) => ({ spec: { selector: { mark } } }),
    markOf: (object) => at(object, 'spec', 'selector', 'mark'),
  },
  {
    resource: 'serviceaccounts',
    root: '/api/v1',
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    body: (mark) => ({ imagePullSecrets: [{ name: mark }] }),
    patch: (mark) => ({ imagePullSecrets: [{ name: mark }] }),
    markOf: (object) => at(object, 'imagePullSecrets', '0', 'name'),
  },
  workload('deployments', 'Deployment', { replicas: 0 }),
  workload('statefulsets', 'StatefulSet', { replicas: 0, serviceName: 's' }),
  workload('daemonsets', 'DaemonSet'),
  {
    resource: 'cronjobs.batch',
    root: '/apis/batch/v1',
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    body: (mark) => ({
      spec: {
        suspend: true,
        schedule: '0 0 1 1 *',
        jobTemplate: {
          metadata: { annotations: { mark } },
          spec: { template: { spec: { ...podSpec('1'), restartPolicy: 'Never' } } },
        },
      },
    }),
    patch: (mark) => ({ spec: { jobTemplate: { metadata: { annotations: { mark } } } } }),
    markOf: (object) => at(object, 'spec', 'jobTemplate', 'metadata', 'annotations', 'mark'),
  },
  {
    resource: 'roles.rbac.authorization.k8s.io',
    root: '/apis/rbac.authorization.k8s.io/v1',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    body: (mark) => ({ rules: [{ apiGroups: [''], resources: [mark], verbs: ['get'] }] }),
    patch: (mark) => ({ rules: [{ apiGroups: [''], resources: [mark], verbs: ['get'] }] }),
    markOf: (object) => at(object, 'rules', '0', 'resources', '0'),
  },
  {
    resource: 'networkpolicies.networking.k8s.io',
    root: '/apis/networking.k8s.io/v1',
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    body: (mark) => ({ spec: { podSelector: { matchLabels: { mark } } } }),
    patch: (mark) => ({ spec: { podSelector: { matchLabels: { mark } } } }),
    markOf: (object) => at(object, 'spec', 'podSelector', 'matchLabels', 'mark'),
  },
  {
    resource: 'leases.coordination.k8s.io',
    root: '/apis/coordination.k8s.io/v1',
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    body: (mark) => ({ spec: { holderIdentity: mark, leaseDurationSeconds: 10 } }),
    patch: (mark) => ({ spec: { holderIdentity: mark } }),
    markOf: (object) => at(object, 'spec', 'holderIdentity'),
  },
  {
    resource: `${CUSTOM.plural}.${CUSTOM.group}`,
    root: `/apis/${CUSTOM.group}/v1`,
    apiVersion: `${CUSTOM.group}/v1`,
    kind: CUSTOM.kind,
    body: (mark) => ({ spec: { mark, padding: PADDING }, end: mark }),
    patch: (mark) => ({ spec: { mark }, end: mark }),
    markOf: (object) =>
      at(object, 'spec', 'mark') === object['end'] ? object['end'] : `half: ${JSON.stringify(object)}`,
  },
]

export const collectionOf = ({ root, resource }: ChaosKind, namespace: string): string =>
  `${root}/namespaces/${namespace}/${resource.split('.')[0]}`

export function chaosObject(kind: ChaosKind, name: string, mark: string): object {
  return { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, annotations: { mark } }, ...kind.body(mark) }
}

export const chaosPatch = (kind: ChaosKind, mark: string): object => ({
  metadata: { annotations: { mark } },
  ...kind.patch(mark),
})

/** The mark of an object, which its metadata and its body must agree on. */
export function markOf(kind: ChaosKind, object: KubeObject): string {
  const [inMetadata, inBody] = [object.metadata.annotations?.['mark'], kind.markOf(object)]
  return inMetadata !== undefined && inMetadata === inBody
    ? inMetadata
    : `half: ${String(inMetadata)} ${String(inBody)}`
}
