import { expect, test } from 'vitest'
import type { KubeClient, ListCallOptions, ResourceKind } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { forbidden, qualified } from '../../machinery/status.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { type Change, Simulator } from '../../insight/simulate/simulate.ts'
import type { Simulation } from '../../insight/simulate/simulation.ts'
import { customResources } from '../../systems/custom-resources.ts'
import { ServedKinds } from '../../reading/served-kinds.ts'
import { builtinKinds } from '../migrate/builtin-kinds.ts'
import { type ReadState, readState } from './read-state.ts'

const KINDS: readonly ResourceKind[] = [...builtinKinds().resources, ...customResources].map(
  ({ group, version, resource, kind, namespaced }) => ({ group, version, resource, kind, namespaced }),
)

interface Server {
  readonly objects: string
  /** May the caller list the resource in the namespace, '' for all of them? */
  readonly mayList: (resource: string, namespace: string) => boolean
  /** The resource of which a list is too large to be read whole. */
  readonly cut?: string
  /** The resource of which only the first object of all namespaces is read. */
  readonly cutOfAll?: string
}

/** An API server of the kinds of Kubernetes and of allot, as far as reading goes. `asked`: what was listed, as `pods@shop`. */
function serverOf({ objects, mayList, cut, cutOfAll }: Server): {
  readonly client: KubeClient
  readonly asked: Set<string>
} {
  const stored = readManifests('server', objects)
  const asked = new Set<string>()
  const groups = [...new Set(KINDS.map(({ group }) => group))].filter((group) => group !== '')
  const request = async (_: string, path: string): Promise<unknown> => {
    if (path === '/apis')
      return {
        groups: groups.map((name) => ({
          name,
          versions: [...new Set(KINDS.filter(({ group }) => group === name).map(({ version }) => version))].map(
            (version) => ({ groupVersion: `${name}/${version}`, version }),
          ),
        })),
      }
    const [version = '', group = ''] = path.split('/').slice(2).toReversed()
    return {
      resources: KINDS.filter((one) => one.group === group && one.version === version).map((one) => ({
        name: one.resource,
        kind: one.kind,
        namespaced: one.namespaced,
        verbs: ['get', 'list'],
      })),
    }
  }
  const list = async (kind: ResourceKind, { namespace = '' }: ListCallOptions = {}): Promise<unknown> => {
    asked.add(`${qualified(kind)}@${namespace}`)
    if (!mayList(qualified(kind), namespace)) throw forbidden(kind, '', 'you may not')
    const isHere = (one: KubeObject): boolean => namespace === '' || one.metadata.namespace === namespace
    const items = stored.filter((one) => one.kind === kind.kind && isHere(one))
    if (namespace === '' && qualified(kind) === cutOfAll)
      return { items: items.slice(0, 1), resourceVersion: '1', cut: { left: items.length - 1 } }
    return { items, resourceVersion: '1', ...(qualified(kind) === cut ? { cut: { left: 1 } } : {}) }
  }
  return { client: { request, list } as unknown as KubeClient, asked }
}

interface Tried extends ReadState {
  readonly asked: ReadonlySet<string>
  readonly result: Simulation
}

async function tried(server: Server, apply: string, deletions = ''): Promise<Tried> {
  const { client, asked } = serverOf(server)
  const { signal } = new AbortController()
  const changes: readonly Change[] = [
    ...readManifests('apply', apply).map((object) => ({ operation: 'apply' as const, object })),
    ...readManifests('delete', deletions).map((object) => ({ operation: 'delete' as const, object })),
  ]
  const read = await readState({
    client,
    kinds: await ServedKinds.read(client, signal),
    changes: changes.map(({ object }) => object),
    namespace: 'shop',
    signal,
  })
  const simulator = new Simulator({
    ...read,
    isFromCluster: true,
    decode: (object) => object,
    typeOf: () => undefined,
    namespace: 'shop',
    now: Date.UTC(2026, 0, 1),
    timestamp,
  })
  simulator.step(changes)
  return { ...read, asked, result: simulator.result() }
}

const CAPSULE = 'apiVersion: capsule.clastix.io/v1beta2'
const OBJECTS = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: shop, labels: {pool: main}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: other, uid: other, labels: {pool: main}}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: small, namespace: shop, uid: small}, spec: {hard: {pods: "1"}}, status: {hard: {pods: "1"}, used: {pods: "1"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: old, namespace: shop, uid: old}, spec: {containers: [{name: app, image: app}]}}
---
${CAPSULE}
kind: ResourcePool
metadata: {name: main, uid: main}
spec: {selectors: [{matchLabels: {pool: main}}], quota: {hard: {count/secrets: "3"}}}
---
${CAPSULE}
kind: ResourcePoolClaim
metadata: {name: one, namespace: shop, uid: one}
spec: {pool: main, claim: {count/configmaps: "1"}}
`
const POD = '{apiVersion: v1, kind: Pod, metadata: {name: new}, spec: {containers: [{name: app, image: app}]}}\n---\n'
const CLUSTER_ROLE = '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: all}}\n---\n'
const CLAIM = `{${CAPSULE}, kind: ResourcePoolClaim, metadata: {name: two}, spec: {pool: main, claim: {count/secrets: "1"}}}\n---\n`
const ADMIN: Server = { objects: OBJECTS, mayList: () => true }
/** Reads one namespace, and nothing of the cluster. */
const TENANT: Server = { objects: OBJECTS, mayList: (_, namespace) => namespace === 'shop' }

test('a tenant with least rights learns what its own quotas refuse', async () => {
  const { result, notSeen } = await tried(TENANT, POD)
  expect([result.verdict, result.changes[0]?.message]).toEqual(['refused', expect.stringContaining('quota: small')])
  expect(notSeen).toContainEqual({
    resource: 'resourcequotas',
    reason: 'you may not list them in all namespaces',
    isElsewhere: true,
  })
  expect(notSeen.map(({ resource }) => resource)).not.toContain('pods')
})

/** A Deployment whose pods fit, and may lack what the quota limits. */
const deployment = (requests: string): string => `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 1, selector: {matchLabels: {app: web}},
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: app, resources: {requests: ${requests}}}]}}}}`
const ROOMY = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: shop}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: roomy, namespace: shop, uid: roomy}, spec: {hard: {requests.cpu: "1"}}, status: {hard: {requests.cpu: "1"}, used: {requests.cpu: "0"}}}
---
`

test.each([
  ['fits', '{cpu: 500m}', 'up', []],
  [
    'lacks a value that no LimitRange of its namespace gives',
    '{}',
    'stalls',
    ['quota roomy: each container must specify requests.cpu (missing in app)'],
  ],
] as const)(
  'what a tenant may not read of other namespaces leaves no doubt of a workload that %s',
  async (_, requests, verdict, causes) => {
    const { result, notSeen } = await tried({ ...TENANT, objects: ROOMY }, deployment(requests))
    expect(result.workloads.map((one) => [one.verdict, one.causes.map(({ text }) => text), one.warnings])).toEqual([
      [verdict, causes, []],
    ])
    expect([result.verdict, result.undecided]).toEqual([verdict === 'up' ? 'fits' : 'stalls', []])
    // What decides in the whole cluster and was not seen is named.
    expect(notSeen.map(({ resource }) => resource)).toContain('globalcustomquotas.capsule.clastix.io')
    expect(result.notSeen).toContain('globalcustomquotas.capsule.clastix.io: you may not list them')
  },
)

test('a workload hangs on the LimitRanges of its own namespace', async () => {
  const blind: Server['mayList'] = (resource, namespace) => namespace === 'shop' && resource !== 'limitranges'
  const { result } = await tried({ objects: ROOMY, mayList: blind }, deployment('{cpu: 500m}'))
  expect([result.verdict, result.workloads.map(({ verdict }) => verdict)]).toEqual(['unknown', ['unknown']])
})

test('a workload hangs on all quotas of its namespace, also where their list is too large', async () => {
  const { result } = await tried({ ...TENANT, objects: ROOMY, cut: 'resourcequotas' }, deployment('{cpu: 500m}'))
  expect([result.verdict, result.undecided]).toEqual([
    'unknown',
    expect.arrayContaining([expect.stringContaining('resourcequotas: they are too large to be read here')]),
  ])
})

test('where the list of all namespaces is too large, those of the changes are read', async () => {
  const others = '{apiVersion: v1, kind: ResourceQuota, metadata: {name: first, namespace: other, uid: first}}\n---'
  const server = { ...ADMIN, objects: `${others}${ROOMY}`, cutOfAll: 'resourcequotas' }
  const { result, state, notSeen } = await tried(server, deployment('{cpu: 500m}'))
  expect(state.flatMap(({ kind, metadata }) => (kind === 'ResourceQuota' ? [metadata.name] : []))).toEqual([
    'first',
    'roomy',
  ])
  expect(notSeen).toEqual([
    { resource: 'resourcequotas', reason: expect.stringContaining('first 1'), isElsewhere: true },
  ])
  expect([result.verdict, result.undecided]).toEqual(['fits', []])
  const lacking = await tried({ ...server, cut: 'resourcequotas' }, deployment('{cpu: 500m}'))
  expect(lacking.result.verdict).toBe('unknown')
})

test('a tenant with least rights is told that claims are not decided', async () => {
  const { result } = await tried(TENANT, CLAIM)
  expect([result.verdict, result.claims]).toEqual([
    'unknown',
    [{ namespace: 'shop', name: 'two', after: { state: 'undecided', pool: 'main' } }],
  ])
})

test('what is deleted makes room in the end', async () => {
  const { result } = await tried(TENANT, '', '{apiVersion: v1, kind: Pod, metadata: {name: old}}')
  expect(result).toMatchObject({ verdict: 'fits', changes: [{ result: 'deleted' }] })
  expect(result.quotas).toMatchObject([{ name: 'small', limits: [{ used: { before: '1', after: '0' } }] }])
  const gone = await tried(TENANT, '', '{apiVersion: v1, kind: Pod, metadata: {name: nobody}}')
  expect(gone.result.changes).toMatchObject([{ result: 'refused', message: 'pods "nobody" not found' }])
})

test('a manifest of the cluster that reaches no namespace blinds no tenant', async () => {
  const { result, notSeen, asked } = await tried(TENANT, CLUSTER_ROLE + POD)
  expect(result.verdict).toBe('refused')
  expect(
    notSeen.filter(
      ({ resource, isElsewhere }) => resource === 'pods' || (resource === 'resourcequotas' && isElsewhere !== true),
    ),
  ).toEqual([])
  expect(asked).not.toContain('pods@')
})

test('pools invent no quota in namespaces that no manifest is in, and what they count is read', async () => {
  const stored = `${OBJECTS}---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: capsule-pool-main, namespace: other, uid: kept, labels: {LABELS}}, spec: {hard: {count/secrets: "0"}}, status: {hard: {count/secrets: "0"}, used: {count/secrets: "0"}}}`
  const { asked, state } = await tried({ ...ADMIN, objects: stored.replace('{LABELS}', '{}') }, CLAIM)
  expect(state.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toContain(
    'ResourceQuota other/capsule-pool-main',
  )
  for (const one of ['resourcequotas@', 'limitranges@', 'secrets@shop', 'configmaps@shop']) expect(asked).toContain(one)
})
