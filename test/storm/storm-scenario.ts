import type { SeededRandom } from '../seeded-random.ts'
import { WIDGETS } from './observer.ts'

/** One kind of storm: what is limited and what the clients do. */
export interface Scenario {
  readonly name: string
  /** The resource that is stormed. */
  readonly resource: string
  readonly quotas: (random: SeededRandom) => readonly QuotaSpec[]
  readonly object: (random: SeededRandom, name: string) => object
  /** An object that must be refused whatever quotas say. */
  readonly wrong: (random: SeededRandom, name: string) => object
  /** A change of an existing object: what follows its path, and a merge patch. */
  readonly change?: (random: SeededRandom, current: object) => { readonly path: string; readonly patch: object }
  /** Objects have a finalizer that somebody must take away before they can be deleted. */
  readonly protected?: true
  /** Only creations: then exactly as many must get in as fit. */
  readonly onlyCreates?: true
  /** Someone raises and lowers the limits, and deletes and makes quotas. */
  readonly limitsChange?: true
}

export interface QuotaSpec {
  readonly name: string
  readonly hard: Readonly<Record<string, string>>
  readonly scopes?: readonly string[]
  readonly scopeSelector?: object
}

export const HIGH_PRIORITY = 'storm-high'

const metadata = (name: string): object => ({ name, labels: { storm: 'yes' } })

function pod(name: string, resources: object | undefined, more: object = {}): object {
  const container = { name: 'c', image: 'i', ...(resources === undefined ? {} : { resources }) }
  return { apiVersion: 'v1', kind: 'Pod', metadata: metadata(name), spec: { containers: [container], ...more } }
}

const widget = (name: string, size: number): object => ({
  apiVersion: 'storm.allot.test/v1',
  kind: 'Widget',
  metadata: metadata(name),
  spec: { size },
})

const SECOND = {
  name: 'second',
  image: 'i',
  resources: { requests: { cpu: '70m', memory: '16Mi' }, limits: { cpu: '1', memory: '48Mi' } },
}

function sizedPod(random: SeededRandom, name: string): object {
  const requests = {
    cpu: `${random.between(1, 700)}m`,
    memory: random.pick(['16Mi', '100M', '33Mi', '1048577', '64Mi', '90000k']),
  }
  const limits = { cpu: random.pick(['1', '2', '1500m']), memory: random.pick(['256Mi', '300M', '1Gi']) }
  const big = {
    name: 'first',
    image: 'i',
    resources: {
      requests: { cpu: `${random.between(1, 900)}m`, memory: '20Mi' },
      limits: { cpu: '2', memory: '80Mi' },
    },
  }
  const object = pod(name, { requests, limits }, random.chance(0.2) ? { initContainers: [big] } : {}) as {
    spec: { containers: object[] }
  }
  if (random.chance(0.2)) object.spec.containers.push(SECOND)
  return object
}

const plainPod = (_random: SeededRandom, name: string): object => pod(name, undefined)

/** Wrong in another place each time: the name, a field's type, a value. */
function wrongPod(random: SeededRandom, name: string): object {
  return random.pick([
    pod(`${name}_`, { requests: { cpu: '1m', memory: '1' }, limits: { cpu: '1', memory: '1Mi' } }),
    pod(name, { requests: { cpu: '-1', memory: '1' }, limits: { cpu: '1', memory: '1Mi' } }),
    pod(name, { requests: { cpu: '2', memory: '1' }, limits: { cpu: '1', memory: '1Mi' } }),
    pod(name, { requests: { cpu: 'much', memory: '1' }, limits: { cpu: '1', memory: '1Mi' } }),
    { ...pod(name, undefined), spec: { containers: 'none' } },
    { ...pod(name, undefined), spec: { containers: [] } },
  ])
}

/** Pods that have run to their end are no longer counted. */
const finish = { path: '/status', patch: { status: { phase: 'Succeeded' } } }

function changePod(random: SeededRandom, current: object): { readonly path: string; readonly patch: object } {
  const { containers } = (current as { readonly spec: { readonly containers: readonly object[] } }).spec
  const [first, ...others] = containers as readonly {
    readonly resources?: { readonly requests?: object; readonly limits?: object }
  }[]
  if (first?.resources?.requests === undefined || random.chance(0.2)) return finish
  const resources = {
    ...first.resources,
    requests: { ...first.resources.requests, cpu: `${random.between(1, 1000)}m` },
  }
  return { path: '/resize', patch: { spec: { containers: [{ ...first, resources }, ...others] } } }
}

function service(random: SeededRandom, name: string): object {
  const ports = Array.from({ length: random.between(1, 3) }, (_, index) => ({ name: `p${index}`, port: 80 + index }))
  const type = random.pick(['ClusterIP', 'NodePort', 'LoadBalancer'])
  return { apiVersion: 'v1', kind: 'Service', metadata: metadata(name), spec: { type, ports, selector: { app: name } } }
}

function claim(random: SeededRandom, name: string): object {
  const storageClassName = random.pick(['fast', 'slow', undefined])
  const storage = random.pick(['1Gi', '512Mi', '700M', '100M', '2Gi'])
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadata(name),
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  }
}

/** Claims are bound first, since only those may grow, and only where their class allows it. */
function changeClaim(random: SeededRandom, current: object): { readonly path: string; readonly patch: object } {
  const { spec, status } = current as {
    readonly spec: { readonly storageClassName?: string }
    readonly status?: { readonly phase?: string }
  }
  if (spec.storageClassName === undefined) return { path: '', patch: { metadata: { labels: { storm: 'late' } } } }
  if (status?.phase !== 'Bound') return { path: '/status', patch: { status: { phase: 'Bound' } } }
  return { path: '', patch: { spec: { resources: { requests: { storage: random.pick(['2Gi', '3Gi', '5Gi']) } } } } }
}

/** Pods of every scope: with and without an end, best effort or not, of high priority or not. */
function scopedPod(random: SeededRandom, name: string): object {
  const requests = { cpu: `${random.between(1, 400)}m`, memory: '10Mi' }
  return pod(name, random.chance(0.3) ? undefined : { requests }, {
    ...(random.chance(0.3) ? { activeDeadlineSeconds: random.between(1000, 2000) } : {}),
    ...(random.chance(0.3) ? { priorityClassName: HIGH_PRIORITY } : {}),
  })
}

const count = (random: SeededRandom, least: number, most: number): string => String(random.between(least, most))
const wrongWidget = (_random: SeededRandom, name: string): object => ({
  ...widget(name, 1),
  metadata: { name, labels: 7 },
})

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'pods by count, creations only',
    resource: 'pods',
    quotas: (random) => [{ name: 'few', hard: { pods: count(random, 20, 90) } }],
    object: plainPod,
    wrong: wrongPod,
    onlyCreates: true,
  },
  {
    name: 'custom resources by count, creations only',
    resource: WIDGETS,
    quotas: (random) => [{ name: 'few', hard: { [`count/${WIDGETS}`]: count(random, 20, 90) } }],
    object: (random, name) => widget(name, random.between(1, 9)),
    wrong: wrongWidget,
    onlyCreates: true,
  },
  {
    name: 'pods by count',
    resource: 'pods',
    quotas: (random) => [
      { name: 'wide', hard: { pods: count(random, 30, 60), 'count/pods': count(random, 40, 60) } },
      { name: 'tight', hard: { pods: count(random, 15, 50) } },
    ],
    object: plainPod,
    wrong: wrongPod,
    change: () => finish,
  },
  {
    name: 'custom resources by count',
    resource: WIDGETS,
    quotas: (random) => [{ name: 'few', hard: { [`count/${WIDGETS}`]: count(random, 15, 40) } }],
    object: (random, name) => widget(name, random.between(1, 9)),
    wrong: wrongWidget,
    change: (random) => ({ path: '', patch: { spec: { size: random.between(10, 99) } } }),
  },
  {
    name: 'sums of cpu and memory',
    resource: 'pods',
    quotas: (random) => [
      { name: 'requests', hard: { 'requests.cpu': count(random, 4, 12), 'requests.memory': '2Gi' } },
      { name: 'limits', hard: { 'limits.cpu': count(random, 30, 60), 'limits.memory': '20Gi', cpu: '9500m' } },
    ],
    object: sizedPod,
    wrong: wrongPod,
    change: changePod,
  },
  {
    name: 'node ports and load balancers of services',
    resource: 'services',
    quotas: (random) => [
      {
        name: 'ports',
        hard: { 'services.nodeports': count(random, 15, 40), 'services.loadbalancers': count(random, 5, 12) },
      },
      { name: 'services', hard: { services: count(random, 20, 45) } },
    ],
    object: service,
    wrong: (_random, name) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata(name),
      spec: { type: 'NodePort', ports: [{ port: 0 }] },
    }),
    change: (random) => ({
      path: '',
      patch: { spec: { type: random.pick(['ClusterIP', 'NodePort', 'LoadBalancer']) } },
    }),
  },
  {
    name: 'storage of claims by class',
    resource: 'persistentvolumeclaims',
    quotas: (random) => [
      {
        name: 'all',
        hard: { 'requests.storage': `${random.between(15, 40)}Gi`, persistentvolumeclaims: count(random, 20, 40) },
      },
      {
        name: 'classes',
        hard: {
          'fast.storageclass.storage.k8s.io/requests.storage': `${random.between(5, 15)}Gi`,
          'slow.storageclass.storage.k8s.io/persistentvolumeclaims': count(random, 5, 15),
        },
      },
    ],
    object: claim,
    wrong: (_random, name) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: metadata(name),
      spec: { accessModes: [], resources: {} },
    }),
    change: changeClaim,
    protected: true,
  },
  {
    name: 'several quotas with scopes',
    resource: 'pods',
    quotas: (random) => [
      { name: 'all', hard: { pods: count(random, 25, 60) } },
      { name: 'long', hard: { pods: count(random, 10, 40) }, scopes: ['NotTerminating'] },
      { name: 'short', hard: { pods: count(random, 5, 20) }, scopes: ['Terminating'] },
      { name: 'best-effort', hard: { pods: count(random, 5, 15) }, scopes: ['BestEffort'] },
      { name: 'measured', hard: { 'requests.cpu': count(random, 2, 5) }, scopes: ['NotBestEffort', 'NotTerminating'] },
      {
        name: 'high',
        hard: { pods: count(random, 4, 12), 'requests.memory': '80Mi' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [HIGH_PRIORITY] }] },
      },
    ],
    object: scopedPod,
    wrong: wrongPod,
    change: (random) =>
      random.chance(0.7) ? { path: '', patch: { spec: { activeDeadlineSeconds: random.between(100, 900) } } } : finish,
  },
  {
    name: 'limits of counts that change',
    resource: 'pods',
    quotas: (random) => [
      { name: 'first', hard: { pods: count(random, 10, 40) } },
      { name: 'second', hard: { 'count/pods': count(random, 10, 40) } },
    ],
    object: plainPod,
    wrong: wrongPod,
    change: () => finish,
    limitsChange: true,
  },
  {
    name: 'limits of sums that change',
    resource: 'pods',
    quotas: (random) => [
      { name: 'first', hard: { 'requests.cpu': count(random, 3, 9) } },
      {
        name: 'second',
        hard: { 'requests.memory': `${random.between(300, 1500)}Mi`, 'limits.cpu': count(random, 15, 50) },
      },
    ],
    object: sizedPod,
    wrong: wrongPod,
    change: changePod,
    limitsChange: true,
  },
]
