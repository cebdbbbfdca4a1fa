import { describe, expect, test } from 'vitest'
import { guessedResource } from '../../api/guessed-resource.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import type { Simulation } from './simulation.ts'
import { type KindOf, Simulator } from './simulate.ts'

const CLUSTER_WIDE = new Set(['Namespace', 'ResourcePool', 'PriorityClass', 'QuotaServiceConfig', 'Node'])
const kinds: KindOf = (apiVersion, kind) => ({
  ...guessedResource(apiVersion, kind),
  kind,
  namespaced: !CLUSTER_WIDE.has(kind),
})

function simulated(state: string, ...steps: readonly string[]): Simulation {
  const simulator = new Simulator({
    state: readManifests('state', state),
    isFromCluster: false,
    kinds,
    decode: (object) => object,
    typeOf: () => undefined,
    namespace: 'shop',
    now: Date.parse('2026-01-01T00:00:00Z'),
    timestamp,
  })
  for (const step of steps)
    simulator.step(readManifests('changes', step).map((object) => ({ operation: 'apply' as const, object })))
  return simulator.result()
}

const NAMESPACE = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pool: main}}
`
const quota = (hard: string, name = 'small'): string => `
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: ${name}}
spec: {hard: ${hard}}
`
const deployment = (replicas: number, { cpu = '1', name = 'web', spec = '' } = {}): string => `
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  ${spec}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: app, image: app, resources: {requests: {cpu: "${cpu}"}}}]}
`
const podsOf = ({ workloads }: Simulation): readonly (readonly [string, number, number, number])[] =>
  workloads.map(({ object, pods }) => [object.name, pods.before, pods.after, pods.wanted] as const)

test('a Deployment comes up as far as the quota has room, and says why it stalls', () => {
  const result = simulated(NAMESPACE + quota('{pods: "2"}'), deployment(3))
  expect([result.verdict, podsOf(result)]).toEqual(['stalls', [['web', 0, 2, 3]]])
  expect(result.workloads[0]?.causes).toEqual([
    { type: 'exceeded', text: 'quota small: pods 2 of 2 used, 1 more requested' },
  ])
  expect(result.quotas).toEqual([
    {
      namespace: 'shop',
      name: 'small',
      change: 'changed',
      limits: [{ resource: 'pods', hard: { before: '2', after: '2' }, used: { before: '0', after: '2' } }],
    },
  ])
})

test('a refused manifest has the words of the API server, and the next one goes on', () => {
  const result = simulated(
    NAMESPACE + quota('{configmaps: "2"}'),
    ['a', 'b'].map((name) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`).join(''),
    quota('{configmaps: "3"}'),
    '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n',
  )
  expect(result.changes.map((one) => [one.result, one.message])).toEqual([
    ['created', undefined],
    [
      'refused',
      'configmaps "b" is forbidden: exceeded quota: small, requested: configmaps=1, used: configmaps=2, limited: configmaps=2',
    ],
    ['changed', undefined],
    ['created', undefined],
  ])
})

test('a higher quota lets a workload go on that stalled, a lower one ends nothing', () => {
  const state = NAMESPACE + quota('{pods: "2"}') + deployment(3)
  expect(podsOf(simulated(state, quota('{pods: "5"}')))).toEqual([['web', 2, 3, 3]])
  const lowered = simulated(NAMESPACE + quota('{pods: "4"}') + deployment(3), quota('{pods: "1"}'))
  expect([lowered.verdict, podsOf(lowered)]).toEqual(['fits', [['web', 3, 3, 3]]])
  expect(lowered.workloads[0]?.warnings.map(({ type }) => type)).toEqual(['surge'])
})

test('a rollout goes on within its surge, or stalls where there is no room for it', () => {
  const strict = { spec: 'strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}' }
  const state = (cpu: number): string => `${NAMESPACE}${quota(`{requests.cpu: "${cpu}"}`)}${deployment(3, strict)}`
  const update = deployment(3, { ...strict, cpu: '900m' })
  expect(simulated(state(4), update)).toMatchObject({ verdict: 'fits', workloads: [{ pods: { after: 3, wanted: 3 } }] })
  const stalled = simulated(state(3), update)
  expect(stalled).toMatchObject({
    verdict: 'stalls',
    workloads: [{ verdict: 'stalls', pods: { after: 3, wanted: 3 } }],
  })
  expect(stalled.workloads[0]?.causes.map(({ text }) => text)).toEqual([
    'quota small: requests.cpu 3 of 3 used, 900m more requested',
  ])
  // One pod may be missing: so it goes on.
  const lax = { spec: 'strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}' }
  const eased = `${NAMESPACE}${quota('{requests.cpu: "3"}')}${deployment(3, lax)}`
  expect(simulated(eased, deployment(3, { ...lax, cpu: '900m' })).verdict).toBe('fits')
})

const POOL = `
---
apiVersion: capsule.clastix.io/v1beta2
kind: ResourcePool
metadata: {name: main}
spec:
  selectors: [{matchLabels: {pool: main}}]
  quota: {hard: {requests.cpu: "3"}}
`
const claim = (name: string, cpu: number): string => `
---
apiVersion: capsule.clastix.io/v1beta2
kind: ResourcePoolClaim
metadata: {name: ${name}}
spec: {pool: main, claim: {requests.cpu: "${cpu}"}}
`

test('claims get their amounts in order, wait with their place, and follow when the pool grows', () => {
  const result = simulated(NAMESPACE + POOL, claim('a', 2) + claim('b', 2), claim('c', 3))
  expect(result.claims.map(({ name, after }) => [name, after?.state, after?.position])).toEqual([
    ['a', 'allocated', undefined],
    ['b', 'waiting', 1],
    ['c', 'waiting', 2],
  ])
  expect(result.quotas).toMatchObject([
    { name: 'capsule-pool-main', limits: [{ resource: 'requests.cpu', hard: { after: '2' } }] },
  ])
  expect(result.pools).toMatchObject([{ limits: [{ used: { after: '2' } }] }])
  const grown = simulated(NAMESPACE + POOL + claim('a', 2) + claim('b', 2), POOL.replace('"3"', '"4"'))
  expect(grown.claims.map(({ name, before, after }) => [name, before?.state, after?.state])).toEqual([
    ['b', 'waiting', 'allocated'],
  ])
})

test('what only helm test makes is skipped, and it says so', () => {
  const pod = (annotations: string): string =>
    `---\napiVersion: v1\nkind: Pod\nmetadata: {name: check, annotations: ${annotations}}\nspec: {containers: [{name: app, image: app}]}\n`
  const skipped = simulated(NAMESPACE + quota('{pods: "0"}'), pod('{helm.sh/hook: "pre-install, test"}'))
  expect(skipped).toMatchObject({ verdict: 'fits', changes: [{ result: 'skipped' }] })
  const made = simulated(NAMESPACE + quota('{pods: "0"}'), pod('{helm.sh/hook: pre-install}'))
  expect(made).toMatchObject({ verdict: 'refused' })
})

test('a claim finds its pool by name, by what it has, and by its namespace', () => {
  const pools =
    POOL + POOL.replaceAll('main}', 'side}').replace('{matchLabels: {pool: side}}', '{matchLabels: {pool: main}}')
  const nameless = claim('c', 1).replace('pool: main, ', '')
  const result = simulated(NAMESPACE + pools, claim('a', 2), nameless + nameless.replace('name: c', 'name: d'))
  expect(result.claims.map(({ name, after }) => [name, after?.state, after?.pool])).toEqual([
    ['a', 'allocated', 'main'],
    ['c', 'allocated', 'main'],
    ['d', 'allocated', 'side'],
  ])
})

const applied = (recorded: object): string =>
  `apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  annotations:
    owner: team-a
    kubectl.kubernetes.io/last-applied-configuration: ${JSON.stringify(JSON.stringify(recorded))}
data: {a: "1", b: "2"}
`

test('what kubectl has recorded takes away what a manifest drops, and no annotations that others have set', () => {
  const recorded = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { annotations: {}, creationTimestamp: null, name: 'web', namespace: 'shop' },
    data: { a: '1' },
  }
  const change = (rest: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n${rest}\n`
  const result = (state: string, rest: string): unknown => simulated(state, change(rest)).changes[0]?.result
  expect(result(applied(recorded), 'data: {a: "1"}')).toBe('unchanged')
  expect(result(applied(recorded), '')).toBe('changed')
  const annotated = { ...recorded, metadata: { name: 'web', annotations: { owner: 'team-a' } } }
  expect(result(applied(annotated), 'data: {a: "1"}')).toBe('changed')
})

test('fields that an older API server does not have are no change', () => {
  const labels = { 'controller-uid': 'j', 'job-name': 'done' }
  const pod = { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app' }] }
  const job: KubeObject = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'done', namespace: 'shop', uid: 'j', resourceVersion: '5', labels },
    spec: { selector: { matchLabels: { 'controller-uid': 'j' } }, template: { metadata: { labels }, spec: pod } },
    status: { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] },
  }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }
  const now = Date.parse('2026-01-01T00:00:00Z')
  const decode = (object: KubeObject): KubeObject => object
  const schemas = { decode, typeOf: () => undefined }
  const options = { state: [namespace, job], isFromCluster: true, kinds, ...schemas, namespace: 'shop', now, timestamp }
  const [result] = new Simulator(options).step([{ operation: 'apply', object: job }])
  expect([result?.result, result?.message]).toEqual(['unchanged', undefined])
})

test('an increase says what it contributes, and the base quota rises', () => {
  const config = `
---
apiVersion: openmcp.cloud/v1alpha1
kind: QuotaServiceConfig
metadata: {name: standard}
spec:
  quotas:
  - name: base
    mode: cumulative
    template: {spec: {hard: {pods: "2"}}}
`
  const more = `
---
apiVersion: openmcp.cloud/v1alpha1
kind: QuotaIncrease
metadata: {name: more}
spec: {hard: {pods: "3"}}
`
  const result = simulated(NAMESPACE + config, more + deployment(6))
  expect(result.increases).toMatchObject([{ name: 'more', after: { contributes: 'pods: 3' } }])
  expect([podsOf(result), result.quotas[0]?.limits[0]?.hard]).toEqual([[['web', 0, 5, 6]], { before: '2', after: '5' }])
})

const CONFIG = (name: string, pods = 2): string => `
---
apiVersion: openmcp.cloud/v1alpha1
kind: QuotaServiceConfig
metadata: {name: ${name}}
spec: {quotas: [{name: base, mode: cumulative, template: {spec: {hard: {pods: "${pods}"}}}}]}
`
const notes = ({ changes }: Simulation): unknown => changes.map(({ message }) => message)

describe('a QuotaServiceConfig', () => {
  test('is taken for the one that allot reads where no base quota names another, and the output says so', () => {
    expect(notes(simulated(NAMESPACE, CONFIG('standard')))).toEqual([
      'it has an effect only where allot runs with --quota-service-config standard',
    ])
    const followed = simulated(NAMESPACE + CONFIG('standard'), CONFIG('standard', 3))
    expect([notes(followed), followed.quotas[0]?.limits[0]?.hard]).toEqual([[undefined], { before: '2', after: '3' }])
  })

  test('beside the one that allot reads has no effect, and the output says so', () => {
    const beside = simulated(NAMESPACE + CONFIG('standard'), CONFIG('other', 9))
    expect([notes(beside), beside.quotas]).toEqual([
      ['it has no effect: allot follows QuotaServiceConfig standard (--quota-service-config)'],
      [],
    ])
    const ofFile =
      NAMESPACE +
      quota('{pods: "2"}').replace(
        'metadata: {name: small}',
        'metadata: {name: small, labels: {quota.openmcp.cloud/managed-by: quota-controller, quota.openmcp.cloud/quota-definition: small}}',
      )
    const unread = simulated(ofFile, CONFIG('other', 9))
    expect([notes(unread), unread.quotas]).toEqual([
      ['it has no effect: allot follows the definitions of a file (--quota-definitions)'],
      [],
    ])
    expect(notes(simulated(NAMESPACE, CONFIG('one'), CONFIG('two')))).toEqual([
      'it has an effect only where allot runs with --quota-service-config one',
      'it has no effect: allot follows QuotaServiceConfig one (--quota-service-config)',
    ])
  })
})
