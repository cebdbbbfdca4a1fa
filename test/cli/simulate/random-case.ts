import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../../readme/document-shell.ts'
import type { SeededRandom } from '../../seeded-random.ts'

/** One thing that somebody does in a case. */
export interface Step {
  readonly operation: 'apply' | 'delete'
  readonly object: Manifest
}

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Record<string, string>
    readonly annotations?: Record<string, string>
  }
  readonly [field: string]: unknown
}

/** What happens in one namespace, with its pool, one step after the other. */
export interface Case {
  readonly namespace: string
  readonly pool: string
  /** The GlobalCustomQuotas of the case. */
  readonly globals: readonly string[]
  readonly steps: readonly Step[]
}

type Amounts = Readonly<Record<string, string>>
const CAPSULE = 'capsule.clastix.io/v1beta2'

/** The definitions that all cases share: namespaces with the label follow them. */
const DEFINITIONS: Manifest = {
  apiVersion: 'openmcp.cloud/v1alpha1',
  kind: 'QuotaServiceConfig',
  metadata: { name: 'standard' },
  spec: {
    quotas: [
      {
        name: 'summed',
        selector: { matchLabels: { base: 'summed' } },
        mode: 'cumulative',
        template: { spec: { hard: { pods: '3', configmaps: '4' } } },
      },
      {
        name: 'largest',
        selector: { matchLabels: { base: 'largest' } },
        mode: 'maximum',
        template: { spec: { hard: { 'requests.cpu': '500m' } } },
      },
    ],
  },
}

const cpu = (random: SeededRandom): string => random.pick(['50m', '100m', '150m', '0.2'])

/** The kind that KarmadaQuotas count. */
const BINDINGS = parse(
  readFileSync(join(ROOT, 'examples/karmada-quotas/0-bindings/resourcebindings.yaml'), 'utf8'),
) as Manifest

/** What all cases share: definitions, classes, and a node beside the one that the server has. */
export const SHARED: readonly Manifest[] = [
  DEFINITIONS,
  BINDINGS,
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'second', labels: { disk: 'fast' } } },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 5 },
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'kata' },
    handler: 'kata',
    overhead: { podFixed: { cpu: '50m' } },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'registry.example/disk',
  },
]

/** Makes up a case. Whatever may be ordered by chance, such as two workloads that wait for the same room, is left out. */
export function randomCase(random: SeededRandom, id: string): Case {
  const namespace = `case-${id}`
  const pool = `pool-${id}`
  const base = random.pick(['', '', 'summed', 'largest'])
  const isServed = random.chance(0.6)
  const isFederated = random.chance(0.3)
  const labels = { case: id, ...(isServed ? { pool } : {}), ...(base === '' ? {} : { base }) }
  const there = new Map<string, Manifest>()
  const steps: Step[] = []
  const put = (object: Manifest): void => {
    there.set(`${object.kind}/${object.metadata.name}`, object)
    steps.push({ operation: 'apply', object })
  }
  const named = (apiVersion: string, kind: string, name: string, rest: object): Manifest => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
    ...rest,
  })
  put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } })
  const workload = random.pick(['Deployment', 'Deployment', 'StatefulSet', 'DaemonSet'])
  const makers: Readonly<Record<string, () => Manifest>> = {
    quota: () => named('v1', 'ResourceQuota', random.pick(['small', 'other']), { spec: quotaSpec(random) }),
    range: () => named('v1', 'LimitRange', 'range', { spec: { limits: [rangeLimit(random)] } }),
    workload: () => updated(random, workloadOf(random, workload, id, named), there),
    pod: () => named('v1', 'Pod', `pod${random.between(1, 2)}`, { spec: podSpec(random, id) }),
    configMap: () => named('v1', 'ConfigMap', `map${random.between(1, 4)}`, { data: { a: 'b' } }),
    service: () =>
      named('v1', 'Service', `service${random.between(1, 2)}`, {
        spec: { type: random.pick(['ClusterIP', 'NodePort']), ports: [{ port: 80 }], selector: { app: 'web' } },
      }),
    volume: () =>
      named('v1', 'PersistentVolumeClaim', `volume${random.between(1, 2)}`, {
        spec: {
          accessModes: ['ReadWriteOnce'],
          ...(random.chance(0.7) ? { storageClassName: random.pick(['fast', 'slow']) } : {}),
          resources: { requests: { storage: random.pick(['1Gi', '2Gi']) } },
        },
      }),
    class: () => ({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: `late-${id}` },
      value: 7,
    }),
    custom: () =>
      countingAlike(
        named(CAPSULE, 'CustomQuota', random.pick(['counted', 'sized']), { spec: customSpec(random) }),
        there,
      ),
    global: () =>
      countingAlike(
        {
          apiVersion: CAPSULE,
          kind: 'GlobalCustomQuota',
          metadata: { name: `wide-${id}` },
          spec: { ...customSpec(random), namespaceSelectors: [{ matchLabels: { case: id } }] },
        },
        there,
      ),
    karmada: () =>
      countingAlike(
        named('quota.karmada.io/v1alpha1', 'KarmadaQuota', random.pick(['fleet', 'spare']), {
          spec: fleetSpec(random),
        }),
        there,
      ),
    binding: () =>
      named('work.karmada.io/v1alpha2', 'ResourceBinding', `binding${random.between(1, 3)}`, {
        spec: bindingSpec(random),
      }),
    ...(isServed
      ? {
          pool: () => poolOf(random, pool),
          claim: () =>
            named(CAPSULE, 'ResourcePoolClaim', claimName(), {
              spec: { pool: random.pick([pool, pool, pool, '']), claim: claimAmounts(random) },
            }),
        }
      : {}),
    ...(base === ''
      ? {}
      : {
          increase: () =>
            named('openmcp.cloud/v1alpha1', 'QuotaIncrease', `more${random.between(1, 2)}`, {
              spec: {
                hard: base === 'summed' ? { pods: String(random.between(1, 3)) } : { 'requests.cpu': cpu(random) },
              },
            }),
        }),
  }
  if (isServed) put(poolOf(random, pool))
  // Claims of one second queue by their names, and nobody knows when a second ends.
  let claims = 0
  const claimName = (): string => {
    const known = [...there.values()].filter(({ kind }) => kind === 'ResourcePoolClaim')
    return known.length > 0 && random.chance(0.3) ? random.pick(known).metadata.name : `claim${(claims += 1)}`
  }
  const kinds = Object.keys(makers)
  for (let count = random.between(3, 7); count > 0; count--) {
    const deletable = [...there.entries()].filter(
      ([, { kind }]) => !['Namespace', 'ResourcePool', workload].includes(kind),
    )
    if (deletable.length > 0 && random.chance(0.12)) {
      const [key, object] = random.pick(deletable)
      there.delete(key)
      steps.push({ operation: 'delete', object })
    } else {
      const make =
        makers[
          random.pick([
            ...kinds,
            'quota',
            'custom',
            'custom',
            'global',
            ...(isFederated ? ['karmada', 'binding', 'binding'] : []),
            'workload',
            'workload',
            ...(isServed ? ['claim', 'claim'] : []),
          ])
        ]
      if (make !== undefined) put(make())
    }
  }
  return { namespace, pool, globals: [`wide-${id}`], steps }
}

const IDLE = ['pod', 'request.cpu', 'count/deployments', 'limits.memroy'] as const

function quotaSpec(random: SeededRandom): object {
  const limits: Readonly<Record<string, () => string>> = {
    pods: () => String(random.between(0, 4)),
    'requests.cpu': () => random.pick(['0', '200m', '0.3', '1']),
    'limits.memory': () => random.pick(['64Mi', '256Mi', '1Gi']),
    configmaps: () => String(random.between(1, 4)),
    'count/replicasets.apps': () => String(random.between(0, 2)),
    services: () => String(random.between(0, 2)),
    'services.nodeports': () => String(random.between(0, 1)),
    'requests.storage': () => random.pick(['1Gi', '3Gi']),
    'fast.storageclass.storage.k8s.io/persistentvolumeclaims': () => String(random.between(0, 1)),
  }
  if (random.chance(0.15))
    return {
      hard: { pods: String(random.between(0, 2)) },
      scopes: [random.pick(['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating'])],
    }
  // Some names limit nothing: of quotas API servers warn, and pools and claims with them are refused.
  const hard: Record<string, string> = random.chance(0.1) ? { [random.pick(IDLE)]: '1' } : {}
  for (let count = random.between(1, 3); count > 0; count--) {
    const name = random.pick(Object.keys(limits))
    hard[name] = limits[name]?.() ?? '1'
  }
  return { hard }
}

/** An update changes the limit alone: a quota that counts more than before is closed for as long as requests may take. */
function countingAlike(next: Manifest, there: ReadonlyMap<string, Manifest>): Manifest {
  const before = there.get(`${next.kind}/${next.metadata.name}`)?.['spec'] as Spec | undefined
  if (before === undefined) return next
  const { limit, hard } = next['spec'] as Spec
  const lowered = Object.keys((before['hard'] ?? {}) as Amounts).map((name) => [
    name,
    fleetAmount(name, hard as Amounts),
  ])
  return {
    ...next,
    spec: { ...before, ...(limit === undefined ? { hard: Object.fromEntries(lowered) as Amounts } : { limit }) },
  }
}

const fleetAmount = (name: string, { [name]: amount = '3' }: Amounts): string => amount

/** Limits on what the bindings of a namespace take over all clusters. */
function fleetSpec(random: SeededRandom): object {
  const limits: Readonly<Record<string, () => string>> = {
    cpu: () => random.pick(['500m', '1', '2']),
    pods: () => String(random.between(1, 6)),
    'count/deployments.apps': () => String(random.between(0, 2)),
  }
  const hard = Object.fromEntries(
    Array.from({ length: random.between(1, 2) }, () => random.pick(Object.keys(limits))).map((name) => [
      name,
      limits[name]?.() ?? '1',
    ]),
  )
  const scopes = Object.keys(hard).some((name) => name.startsWith('count/')) || random.chance(0.7) ? {} : PRIORITY
  return { hard, ...scopes }
}

const PRIORITY = {
  scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
}

const bindingSpec = (random: SeededRandom): object => ({
  resource: { apiVersion: 'apps/v1', kind: random.pick(['Deployment', 'Job']), name: 'web' },
  replicas: random.between(0, 3),
  replicaRequirements: {
    resourceRequest: { cpu: cpu(random) },
    ...(random.chance(0.4) ? { priorityClassName: 'high' } : {}),
  },
  clusters: ['one', 'two']
    .slice(0, random.between(0, 2))
    .map((name) => ({ name, ...(random.chance(0.7) ? { replicas: random.between(0, 3) } : {}) })),
})

/** A limit on objects of one or two kinds, by their number or by what a field or CEL says. */
function customSpec(random: SeededRandom): object {
  const kinds = [
    () => ({ apiVersion: 'v1', kind: 'Pod', op: 'count' }),
    () => ({ apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }),
    () => ({ apiVersion: 'v1', kind: 'Pod', op: 'add', path: '.spec.containers[*].resources.requests.cpu' }),
    () => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', op: 'add', path: '.spec.resources.requests.storage' }),
    () => ({
      apiVersion: 'v1',
      kind: 'Service',
      op: 'count',
      selectors: [{ celExpressions: ["object.spec.type == 'NodePort'"] }],
    }),
    () => ({ apiVersion: 'v1', kind: 'ConfigMap', op: 'sub', cel: 'string(size(object.data))' }),
  ]
  const chosen = new Set(Array.from({ length: random.between(1, 2) }, () => random.pick(kinds)))
  return {
    limit: random.pick(['1', '2', '300m', '3', '2Gi']),
    sources: [...chosen].map((make) => make()),
    ...(random.chance(0.2) ? { scopeSelectors: [{ matchLabels: { app: 'web' } }] } : {}),
  }
}

const rangeLimit = (random: SeededRandom): object => ({
  type: 'Container',
  ...(random.chance(0.7) ? { defaultRequest: { cpu: cpu(random) } } : {}),
  ...(random.chance(0.5) ? { default: { memory: '64Mi', cpu: '500m' } } : {}),
  ...(random.chance(0.4) ? { max: { cpu: random.pick(['120m', '500m']) } } : {}),
})

function resources(random: SeededRandom): object {
  const requests: Amounts = random.chance(0.8) ? { cpu: cpu(random) } : {}
  const limits: Amounts = random.chance(0.4) ? { memory: random.pick(['64Mi', '128Mi']) } : {}
  return { requests, limits }
}

const podSpec = (random: SeededRandom, id: string): object => ({
  terminationGracePeriodSeconds: 0,
  ...(random.chance(0.2) ? { priorityClassName: random.pick(['high', `late-${id}`]) } : {}),
  ...(random.chance(0.15) ? { runtimeClassName: 'kata' } : {}),
  ...(random.chance(0.15) ? { activeDeadlineSeconds: 3600 } : {}),
  containers: [
    { name: 'app', image: 'registry.example/app', resources: resources(random) },
    ...(random.chance(0.2) ? [{ name: 'side', image: 'registry.example/side', resources: resources(random) }] : []),
  ],
})

type Named = (apiVersion: string, kind: string, name: string, rest: object) => Manifest

function workloadOf(random: SeededRandom, kind: string, id: string, named: Named): Manifest {
  const { activeDeadlineSeconds: _, ...spec } = podSpec(random, id) as { readonly activeDeadlineSeconds?: number }
  const common = {
    replicas: random.between(0, 4),
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec },
  }
  if (kind === 'StatefulSet') return named('apps/v1', kind, 'db', { spec: { ...common, serviceName: 'db' } })
  if (kind === 'DaemonSet') {
    const { selector } = common
    const picky = random.chance(0.3) ? { nodeSelector: { disk: 'fast' } } : {}
    const template = { ...common.template, spec: { ...spec, ...picky } }
    const rolling = random.pick([{}, { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }])
    return named('apps/v1', kind, 'agent', { spec: { selector, template, ...rolling } })
  }
  const strategies = [
    {},
    { type: 'Recreate' },
    ...[
      { maxSurge: 1, maxUnavailable: 0 },
      { maxSurge: 0, maxUnavailable: 1 },
      { maxSurge: '50%', maxUnavailable: '50%' },
    ].map((rollingUpdate) => ({ type: 'RollingUpdate', rollingUpdate })),
  ]
  return named('apps/v1', kind, 'web', { spec: { ...common, strategy: random.pick(strategies) } })
}

type Spec = Readonly<Record<string, unknown>>

/** An update changes the size or the template: with both, old and new pods would run for the same room, and chance decides. */
function updated(random: SeededRandom, next: Manifest, there: ReadonlyMap<string, Manifest>): Manifest {
  const before = there.get(`${next.kind}/${next.metadata.name}`)?.['spec'] as Spec | undefined
  if (before === undefined) return next
  const { replicas, template } = before
  if (replicas === undefined && random.chance(0.5)) return next
  return {
    ...next,
    spec: {
      ...(next['spec'] as Spec),
      ...(replicas !== undefined && random.chance(0.5) ? { replicas } : { template }),
    },
  }
}

const poolOf = (random: SeededRandom, name: string): Manifest => ({
  apiVersion: CAPSULE,
  kind: 'ResourcePool',
  metadata: { name },
  spec: {
    selectors: [{ matchLabels: { pool: name } }],
    quota: { hard: { 'requests.cpu': random.pick(['300m', '500m', '1']), pods: String(random.between(2, 6)) } },
    ...(random.chance(0.4) ? { defaults: { pods: '1' } } : {}),
    config: { orderedQueue: random.chance(0.5), defaultsZero: random.chance(0.3) },
  },
})

const claimAmounts = (random: SeededRandom): Amounts => ({
  ...(random.chance(0.05) ? { [random.pick(IDLE)]: '1' } : {}),
  ...(random.chance(0.8) ? { 'requests.cpu': random.pick(['100m', '200m', '300m']) } : {}),
  pods: String(random.between(1, 3)),
})
