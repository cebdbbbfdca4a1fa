import { untilCounted, untilRefused } from '../../operator/enforced-quota.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { personaRoles } from '../../../src/install/rbac/persona-roles.ts'
import { QuotaWorld } from '../../operator/custom-quota/quota-world.ts'
import { deployed, KarmadaWorld } from '../../operator/karmada-quota/karmada-world.ts'
import type { BareServer } from '../../operator/operated.ts'
import { created } from '../../operator/operator-account.ts'
import { claimsIn, podsIn, POOLS } from '../../operator/pool-objects.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { namespaceForPods } from './asked-explanation.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const APPLY = { 'content-type': 'application/apply-patch+yaml' }

const EVERYTHING = { claims: true, increases: true, customQuotas: true }
const definitions = join(temporaryDirectory(), 'definitions.yaml')
const BASE = {
  name: 'berths',
  selector: { matchLabels: { berths: 'few' } },
  mode: 'cumulative',
  template: { spec: { hard: { pods: '1' } } },
}
writeFileSync(definitions, JSON.stringify({ quotas: [BASE] }))

const PODS = [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }]
/** The flags of the operator that they need. */
export const ARGS = ['--quota-definitions', definitions]

type Requests = Readonly<Record<string, string>>

const workload = (replicas: number, requests: Requests = {}, spec: object = {}) => ({
  metadata: { name: 'ferry' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'ferry' } },
    template: {
      metadata: { labels: { app: 'ferry' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'ferry', image: 'registry.example/ferry', resources: { requests } }],
      },
    },
    ...spec,
  },
})

const podOf = (requests: Requests): object => ({
  metadata: { name: 'tried' },
  spec: { containers: [{ name: 'ferry', image: 'registry.example/ferry', resources: { requests } }] },
})

/** A workload or a request that a tenant waits for. */
export interface Wait {
  readonly title: string
  readonly labels?: Readonly<Record<string, string>>
  readonly given: (world: Worlds, namespace: string) => Promise<void>
  readonly asked: readonly [kind: string, name: string]
  readonly cause: RegExp
  /** What solves it. */
  readonly remedy?: string
}

export interface Worlds {
  readonly custom: QuotaWorld
  readonly karmada: KarmadaWorld
}

const deploy = async (
  { custom }: Worlds,
  namespace: string,
  object: ReturnType<typeof workload>,
  pods: number,
): Promise<void> => {
  await custom.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, object)
  await custom.server.until(podsIn(namespace), ({ json }) => json.items.length === pods)
}

/** As `deploy`, for a quota that the API server enforces: it counts the pods that it has room for before any is refused. */
async function overfill(
  worlds: Worlds,
  namespace: string,
  { replicas, room }: { readonly replicas: number; readonly room: number },
): Promise<void> {
  const { custom } = worlds
  await deploy(worlds, namespace, workload(room), room)
  await untilCounted(custom.server, namespace, 'pods', `${room}`)
  await custom.patch(`/apis/apps/v1/namespaces/${namespace}/deployments/ferry`, { spec: { replicas } })
}

const poolOf = (name: string, hard: Requests, config: object = {}) => ({
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'ResourcePool',
  metadata: { name },
  spec: { selectors: [{ matchLabels: { pool: name } }], quota: { hard }, config },
})

/** What tenants wait for, one thing in each namespace. */
export const WAITS: readonly Wait[] = [
  {
    title: 'a pool that is used up',
    given: async (worlds, namespace) => {
      await worlds.custom.create(POOLS, poolOf(namespace, { pods: '2' }))
      await worlds.custom.claim(namespace, 'one', { pods: '1' }, namespace)
      await worlds.custom.allocated(namespace, 'one')
      await overfill(worlds, namespace, { replicas: 2, room: 1 })
    },
    asked: ['deployment', 'ferry'],
    cause: /^quota \S+: pods 1 of 1 used, 1 more requested$/,
    remedy: 'claim',
  },
  {
    title: 'a custom quota',
    given: async (worlds, namespace) => {
      await worlds.custom.quota(namespace, 'crew', { limit: '3', sources: PODS })
      await deploy(worlds, namespace, workload(5), 3)
    },
    asked: ['deployment', 'ferry'],
    cause: /^CustomQuota crew: 3 of 3 used, 2 more requested$/,
    remedy: 'raise',
  },
  {
    title: 'a global quota that another namespace holds',
    labels: { fleet: 'north' },
    given: async (worlds, namespace) => {
      const spec = { limit: '2', sources: PODS, namespaceSelectors: [{ matchLabels: { fleet: 'north' } }] }
      await worlds.custom.create('/api/v1/namespaces', {
        metadata: { name: `${namespace}-other`, labels: { fleet: 'north' } },
      })
      await worlds.custom.quota(undefined, 'north', spec)
      await deploy(worlds, `${namespace}-other`, workload(2), 2)
      await deploy(worlds, namespace, workload(1), 0)
    },
    asked: ['deployment', 'ferry'],
    cause: /^the API server said: .*GlobalCustomQuota "north" \(requested=1, currentUsed=2, available=0, limit=2/,
    remedy: 'raise',
  },
  {
    title: 'requests that a quota demands',
    given: async (worlds, namespace) => {
      await worlds.custom.create(`/api/v1/namespaces/${namespace}/resourcequotas`, {
        metadata: { name: 'strict' },
        spec: { hard: { 'requests.cpu': '2' } },
      })
      await untilRefused(worlds.custom.server, namespace, podOf({}))
      await deploy(worlds, namespace, workload(1), 0)
    },
    asked: ['deployment', 'ferry'],
    cause: /^quota strict: each container must specify requests\.cpu \(missing in ferry\)$/,
    remedy: 'set',
  },
  {
    title: 'a rollout without room for one more',
    given: async (worlds, namespace) => {
      const rolling = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
      await worlds.custom.create(`/api/v1/namespaces/${namespace}/resourcequotas`, {
        metadata: { name: 'exact' },
        spec: { hard: { 'requests.cpu': '600m' } },
      })
      await untilRefused(worlds.custom.server, namespace, podOf({ cpu: '700m' }))
      await deploy(worlds, namespace, workload(2, { cpu: '300m' }, rolling), 2)
      await untilCounted(worlds.custom.server, namespace, 'requests.cpu', '600m')
      await worlds.custom.patch(`/apis/apps/v1/namespaces/${namespace}/deployments/ferry`, {
        spec: { template: { metadata: { annotations: { built: 'again' } } } },
      })
    },
    asked: ['deployment', 'ferry'],
    cause: /^quota exact: requests\.cpu 600m of 600m used, 300m more requested$/,
    remedy: 'rollout',
  },
  {
    title: 'a claim behind another in an ordered queue',
    given: async ({ custom }, namespace) => {
      await custom.create(POOLS, poolOf(namespace, { pods: '4' }, { orderedQueue: true }))
      await custom.claim(namespace, 'first', { pods: '3' }, namespace)
      await custom.allocated(namespace, 'first')
      await custom.claim(namespace, 'second', { pods: '2' }, namespace)
      await custom.until(`${claimsIn(namespace)}/second`, ({ status }) => status?.waiting !== undefined)
      await custom.claim(namespace, 'third', { pods: '1' }, namespace)
    },
    asked: ['resourcepoolclaim', 'third'],
    cause: /; it has place 2 in the queue$/,
    remedy: 'free',
  },
  {
    title: 'a federated quota',
    given: async ({ karmada }, namespace) => {
      await karmada.quota(namespace, 'federation', { 'requests.cpu': '2' })
      const pods = { requests: { cpu: '500m' }, replicas: 6 }
      const refused = await karmada.bind(namespace, 'ferry-deployment', deployed(pods, 'ferry'))
      expect([refused.status, refused.json.reason]).toEqual([403, 'QuotaExceeded'])
      // Karmada marks what a policy propagates, and tries again.
      const { metadata, spec } = workload(6, { cpu: '500m' })
      const labels = { 'propagationpolicy.karmada.io/permanent-id': 'aa' }
      await karmada.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
        metadata: { ...metadata, labels },
        spec,
      })
    },
    asked: ['deployment', 'ferry'],
    cause: /^KarmadaQuota federation: requests\.cpu 0 of 2 used, 3 more requested$/,
    remedy: 'raise',
  },
  {
    title: 'an increase that nobody has requested',
    labels: { berths: 'few' },
    given: async (worlds, namespace) => {
      await untilCounted(worlds.custom.server, namespace, 'pods', '0')
      await overfill(worlds, namespace, { replicas: 3, room: 1 })
    },
    asked: ['deployment', 'ferry'],
    cause: /^quota \S+: pods 1 of 1 used, 2 more requested$/,
    remedy: 'increase',
  },
]

/** Prepares a server for what tenants wait for. */
export async function openWorlds(server: BareServer): Promise<Worlds> {
  const karmada = new KarmadaWorld(server)
  await karmada.define()
  for (const role of personaRoles(EVERYTHING))
    await server.send('PATCH', `${RBAC}/clusterroles/${role.metadata.name}?fieldManager=t&force=true`, role, APPLY)
  return { custom: new QuotaWorld(server), karmada }
}

/** Makes a namespace whose ServiceAccount `default` has the role admin in it. */
export async function makeTenantNamespace(
  server: BareServer,
  namespace: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  await namespaceForPods(server, namespace, { pool: namespace, ...labels })
  await created(server, `${RBAC}/namespaces/${namespace}/rolebindings`, {
    metadata: { name: 'tenant' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
    subjects: [{ kind: 'ServiceAccount', namespace, name: 'default' }],
  })
}
