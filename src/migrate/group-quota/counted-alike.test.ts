// Covers custom-quotas-of.ts, whose quotas count as the ResourceQuotas of charges do.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { GlobalCustomQuotaSpec } from '../../systems/custom-quota/api/global-custom-quota.ts'
import type { ResourceQuotaSpec, ScopeRequirement } from '../../kinds/resource-quota/resource-quota.ts'
import { compileQuota } from '../../systems/custom-quota/decide/compile-quota.ts'
import { costOf } from '../../systems/custom-quota/decide/object-cost.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { countingRule } from '../../systems/resource-quota/decide/quota-rule.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { quantityOf } from '../../quantity/resource-list.ts'
import { customQuotasOf } from './custom-quotas-of.ts'
import type { CountableKind } from './custom-quotas-of.ts'

const file = new URL('../../../schemas/kubernetes-1.36-resources.json', import.meta.url)
const entries = Object.values(
  (JSON.parse(readFileSync(file, 'utf8')) as { resources: Record<string, Record<string, string>> }).resources,
)
const KINDS = new Map<string, CountableKind>(
  entries
    .filter(({ version = '' }) => /^v\d+$/.test(version))
    .map(({ group = '', version = '', resource = '', kind = '' }) => [
      qualified({ group, resource }),
      { apiVersion: group === '' ? version : `${group}/${version}`, kind },
    ]),
)
/** Before any deletion is overdue: what time alone changes, custom quotas do not see. */
const NOW = 0

const options = {
  evaluators: QUOTA_EVALUATORS,
  kindOf: (of: { group: string; resource: string }) => KINDS.get(qualified(of)),
}

/** Carries a quota with one limit over; undefined where it is not carried over. */
function carried(quota: ResourceQuotaSpec): GlobalCustomQuotaSpec | undefined {
  const of = {
    title: 'Quota q',
    origin: { kind: 'crq', path: ['q'] },
    quota,
    namespaces: { matchLabels: { a: 'b' } },
    shortfalls: [],
  }
  const [manifest] = customQuotasOf([of], options).manifests
  return manifest?.['spec'] as GlobalCustomQuotaSpec | undefined
}

const compiledQuotas = new Map<string, ReturnType<typeof compileQuota>>()

function compiledFor(spec: GlobalCustomQuotaSpec): ReturnType<typeof compileQuota> {
  const key = JSON.stringify(spec)
  const known =
    compiledQuotas.get(key) ??
    compileQuota({ ...spec, options: { emitMetricPerClaimUsage: false } }, { strictPaths: false })
  compiledQuotas.set(key, known)
  return known
}

/** The amount of an object for a ResourceQuota with these scopes, and for the custom quota that takes its place. */
function bothAmounts(
  name: string,
  requirements: readonly ScopeRequirement[],
  object: KubeObject,
): { readonly native: string; readonly custom: string } {
  const quota: ResourceQuotaSpec = { hard: { [name]: '5' }, scopeSelector: { matchExpressions: requirements } }
  const resource = [...KINDS].find(
    ([, { apiVersion, kind }]) => apiVersion === object.apiVersion && kind === object.kind,
  )
  const [plural = '', ...group] = (resource?.[0] ?? '').split('.')
  const evaluator = QUOTA_EVALUATORS.of({ resource: plural, group: group.join('.') })
  if (evaluator === undefined) throw new Error(`nothing charges ${object.kind}`)
  const rule = countingRule({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: {}, spec: quota }, QUOTA_EVALUATORS)
  const isCounted = evaluator.counts(name) && rule.match(object, evaluator).counted
  const native = isCounted ? quantityOf(evaluator.usage(object, { now: NOW }), name) : undefined
  const spec = carried(quota)
  if (spec === undefined) return { native: (native ?? Quantity.zero).canonical(), custom: '0' }
  const compiled = compiledFor(spec)
  if (!compiled.ok) throw new Error(compiled.problems.map(({ path, detail }) => `${path}: ${detail}`).join('; '))
  return {
    native: (native ?? Quantity.zero).withFormat('DecimalSI').canonical(),
    custom: (costOf(compiled.quota, object) ?? Quantity.zero).withFormat('DecimalSI').canonical(),
  }
}

/** As API servers store an amount: rounded up to thousandths, in the canonical form. */
const amount = fc
  .constantFrom('0', '1', '100m', '0.5', '1500m', '2', '1Gi', '1.5Gi', '128974848', '0.3Ki', '5e-1', '2e3', '0.0001')
  .map((text) => Quantity.parse(text).roundUp(-3).canonical())
const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined })
const without = (value: object): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))
const object = (of: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> => fc.record(of).map(without)

const amounts = object({
  cpu: maybe(amount),
  memory: maybe(amount),
  'hugepages-2Mi': maybe(amount),
  'example.com/gpu': maybe(fc.constantFrom('1', '3')),
  'ephemeral-storage': maybe(amount),
})
const resources = object({ requests: maybe(amounts), limits: maybe(amounts) })
const podLevelAmounts = object({ cpu: maybe(amount), memory: maybe(amount) })
const container = (names: readonly string[]) =>
  object({
    name: fc.constantFrom(...names),
    resources: maybe(resources),
    restartPolicy: maybe(fc.constantFrom('Always')),
  })
const containers = fc
  .uniqueArray(container(['a', 'b', 'c']), { selector: ({ name }) => name, minLength: 1, maxLength: 3 })
  .map((list) => list.map((one) => without({ ...one, restartPolicy: undefined })))
const initContainers = fc.uniqueArray(container(['x', 'y', 'z']), { selector: ({ name }) => name, maxLength: 3 })
const status = (names: readonly string[]) =>
  fc.uniqueArray(
    object({ name: fc.constantFrom(...names), resources: maybe(resources), allocatedResources: maybe(amounts) }),
    {
      selector: ({ name }) => name,
      maxLength: 2,
    },
  )
const term = object({ namespaces: maybe(fc.constantFrom([], ['a'])), namespaceSelector: maybe(fc.constant({})) })
const terms = object({
  requiredDuringSchedulingIgnoredDuringExecution: maybe(fc.array(term, { maxLength: 2 })),
  preferredDuringSchedulingIgnoredDuringExecution: maybe(
    fc.array(fc.record({ weight: fc.constant(1), podAffinityTerm: term }), { maxLength: 2 }),
  ),
})
const pods = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('Pod'),
  metadata: fc.constant({ name: 'p', namespace: 'n' }),
  spec: object({
    containers,
    initContainers: maybe(initContainers),
    overhead: maybe(podLevelAmounts),
    resources: maybe(object({ requests: maybe(podLevelAmounts), limits: maybe(podLevelAmounts) })),
    activeDeadlineSeconds: maybe(fc.constantFrom(0, 60)),
    priorityClassName: maybe(fc.constantFrom('low', 'high')),
    affinity: maybe(object({ podAffinity: maybe(terms), podAntiAffinity: maybe(terms) })),
  }),
  status: maybe(
    object({
      phase: maybe(fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed')),
      qosClass: maybe(fc.constantFrom('BestEffort', 'Burstable', 'Guaranteed')),
      containerStatuses: maybe(status(['a', 'b', 'c'])),
      initContainerStatuses: maybe(status(['x', 'y', 'z'])),
      resources: maybe(object({ requests: maybe(podLevelAmounts), limits: maybe(podLevelAmounts) })),
      allocatedResources: maybe(podLevelAmounts),
      conditions: maybe(
        fc.constantFrom([{ type: 'PodResizePending', reason: 'Infeasible' }], [{ type: 'PodResizePending' }], []),
      ),
    }),
  ),
})
const services = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('Service'),
  metadata: fc.constant({ name: 's', namespace: 'n' }),
  spec: object({
    type: maybe(fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName')),
    allocateLoadBalancerNodePorts: maybe(fc.boolean()),
    ports: maybe(
      fc.array(object({ port: fc.constant(1), nodePort: maybe(fc.constantFrom(0, 30_000)) }), { maxLength: 3 }),
    ),
  }),
})
const storage = maybe(object({ storage: maybe(amount) }))
const className = maybe(fc.constantFrom('', 'gold', 'silver'))
const volumeClaims = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('PersistentVolumeClaim'),
  metadata: object({
    name: fc.constant('c'),
    namespace: fc.constant('n'),
    annotations: maybe(object({ 'volume.beta.kubernetes.io/storage-class': className })),
  }),
  spec: object({
    storageClassName: className,
    volumeAttributesClassName: className,
    resources: maybe(object({ requests: storage })),
  }),
  status: maybe(
    object({
      allocatedResources: storage,
      currentVolumeAttributesClassName: className,
      modifyVolumeStatus: maybe(object({ targetVolumeAttributesClassName: className })),
    }),
  ),
})
const device = object({
  deviceClassName: fc.constantFrom('gpu', 'nic'),
  allocationMode: maybe(fc.constantFrom('ExactCount', 'All', 'Other')),
  count: maybe(fc.constantFrom(1, 3)),
})
const deviceClaims = fc.record({
  apiVersion: fc.constant('resource.k8s.io/v1'),
  kind: fc.constant('ResourceClaim'),
  metadata: fc.constant({ name: 'c', namespace: 'n' }),
  spec: object({
    devices: maybe(
      object({
        requests: maybe(
          fc.array(
            fc.oneof(object({ exactly: device }), object({ firstAvailable: fc.array(device, { maxLength: 3 }) })),
            {
              maxLength: 3,
            },
          ),
        ),
      }),
    ),
  }),
})
const others = fc.constantFrom('ConfigMap', 'Secret', 'ReplicationController', 'ResourceQuota').map((kind) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'o', namespace: 'n' },
}))
const objects: fc.Arbitrary<KubeObject> = fc.oneof(
  { arbitrary: pods, weight: 4 },
  services,
  volumeClaims,
  deviceClaims,
  others,
)

/** An instance of each pattern of names that an evaluator says it counts. */
const NAMES = QUOTA_EVALUATORS.entries
  .flatMap(({ names }) => names)
  .map((name) =>
    name
      .replace('requests.*/*', 'requests.example.com/gpu')
      .replace('hugepages-*', 'hugepages-2Mi')
      .replace('*.storageclass', 'gold.storageclass')
      .replace('*.deviceclass', 'gpu.deviceclass'),
  )

const ofClasses = (scopeName: string): fc.Arbitrary<ScopeRequirement> =>
  fc.oneof(
    fc.record({ scopeName: fc.constant(scopeName), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    fc.record({
      scopeName: fc.constant(scopeName),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.uniqueArray(fc.constantFrom('low', 'high', 'gold', 'silver'), { minLength: 1 }),
    }),
  )
const requirements = fc.array(
  fc.oneof(
    fc
      .constantFrom('Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity')
      .map((scopeName): ScopeRequirement => ({ scopeName, operator: 'Exists' })),
    ofClasses('PriorityClass'),
    ofClasses('VolumeAttributesClass'),
  ),
  { maxLength: 2 },
)

describe('a limit that is carried over', () => {
  test('counts every object as the ResourceQuota does, in every scope', () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), requirements, objects, (name, scopes, one) => {
        // Devices under the name of an extended resource are a difference that is reported.
        fc.pre(!(name.startsWith('requests.example.com/') && one.kind === 'ResourceClaim'))
        const { native, custom } = bothAmounts(name, scopes, one)
        expect(custom).toBe(native)
      }),
      { numRuns: 400 },
    )
  })

  test('counts what pods ask for, with their init containers, sidecars, overhead and resizes', () => {
    fc.assert(
      fc.property(fc.constantFrom('requests.cpu', 'limits.cpu', 'memory', 'hugepages-2Mi'), pods, (name, pod) => {
        const { native, custom } = bothAmounts(name, [], pod)
        expect(custom).toBe(native)
      }),
      { numRuns: 1000 },
    )
  })

  test('counts a pod with as many containers as one may have in practice, while each reports what is in force', () => {
    const some = { requests: { cpu: '100m' } }
    const list = (prefix: string, more: object) =>
      Array.from({ length: 40 }, (_, at) => ({ name: `${prefix}${at}`, resources: some, ...more }))
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'n' },
      spec: { containers: list('c', {}), initContainers: list('s', { restartPolicy: 'Always' }) },
      status: { containerStatuses: list('c', {}), initContainerStatuses: list('s', {}) },
    }
    expect(bothAmounts('requests.cpu', [], pod)).toEqual({ native: '8', custom: '8' })
  })

  test('is carried over for every name that an evaluator counts', () => {
    for (const name of NAMES) expect(carried({ hard: { [name]: '1' } }), name).toBeDefined()
  })
})
