import type { BareServer } from '../operator/operated.ts'
import { created } from '../operator/operator-account.ts'
import { untilRefused } from '../operator/enforced-quota.ts'
import { type Owner, ownerIn } from './owners.ts'
import { claimsIn, GROUP, POOLS, type PoolWorld, quotasIn } from '../operator/pool-objects.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const RBAC_GROUP = 'rbac.authorization.k8s.io'
const POOL = 'tidewater'
const READ = ['get', 'list', 'watch']

/** A tenant, with words and numbers that occur nowhere else. */
export interface Tenant extends Owner {
  /** Part of the name of everything that it has. */
  readonly mark: string
  /** The amount of everything that it has. */
  readonly amount: string
}

export interface Tenants {
  readonly pool: string
  readonly alpha: Tenant
  readonly bravo: Tenant
}

/** Two namespaces with one pool; the owner of the first may also read pools. */
export async function makeTenants(server: BareServer, world: PoolWorld): Promise<Tenants> {
  await created(server, '/api/v1/namespaces', namespaceOf('dash-alpha'))
  await created(server, '/api/v1/namespaces', namespaceOf('dash-bravo'))
  await world.create(POOLS, {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'ResourcePool',
    metadata: { name: POOL },
    spec: { selectors: [{ matchLabels: { pool: POOL } }], quota: { hard: { 'requests.memory': '20000Mi' } } },
  })
  const alpha = await makeTenant(server, world, 'dash-alpha', 'heron', '7177Mi')
  const bravo = await makeTenant(server, world, 'dash-bravo', 'osprey', '3313Mi')
  const rules = [{ apiGroups: ['capsule.clastix.io'], resources: ['resourcepools'], verbs: READ }]
  await created(server, `${RBAC}/clusterroles`, { metadata: { name: 'dash-pools' }, rules })
  await created(server, `${RBAC}/clusterrolebindings`, {
    metadata: { name: 'dash-pools' },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'dash-pools' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'dash-alpha', name: 'owner' }],
  })
  return { pool: POOL, alpha, bravo }
}

const namespaceOf = (name: string) => ({ metadata: { name, labels: { pool: POOL } } })

/** A quota that is full, a workload that it blocks, claims of which one waits, and an Event about a refusal. */
async function makeTenant(
  server: BareServer,
  world: PoolWorld,
  namespace: string,
  mark: string,
  amount: string,
): Promise<Tenant> {
  await created(server, quotasIn(namespace), {
    metadata: { name: `quota-${mark}` },
    spec: { hard: { 'limits.memory': amount, pods: '0' } },
  })
  await untilRefused(server, namespace, { ...workload(mark).spec.template, metadata: { name: 'tried' } })
  await created(server, `${GROUP}/namespaces/${namespace}/customquotas`, {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'CustomQuota',
    metadata: { name: `custom-${mark}` },
    spec: { limit: amount, sources: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', op: 'count' }] },
  })
  await created(server, `/apis/apps/v1/namespaces/${namespace}/deployments`, workload(mark))
  await world.claim(namespace, `granted-${mark}`, { 'requests.memory': amount }, POOL)
  await world.until(`${claimsIn(namespace)}/granted-${mark}`, ({ status }) => status?.pool?.name === POOL)
  await world.claim(namespace, `waiting-${mark}`, { 'requests.memory': '15000Mi' }, POOL)
  await world.until(`${claimsIn(namespace)}/waiting-${mark}`, ({ status }) => status?.waiting !== undefined)
  await refuse(server, namespace, mark)
  return { ...(await ownerIn(server, namespace)), mark, amount }
}

/** Writes an Event about a refusal, as the operator does. */
export async function refuse(server: BareServer, namespace: string, mark: string): Promise<void> {
  await created(server, `/api/v1/namespaces/${namespace}/events`, {
    metadata: { generateName: `refused-${mark}-` },
    involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: `work-${mark}` },
    type: 'Warning',
    reason: 'QuotaExceeded',
    message: `quota quota-${mark}: pods 0 of 0 used, 1 more requested`,
    lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
  })
}

const workload = (mark: string) => ({
  metadata: { name: `work-${mark}` },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: mark } },
    template: {
      metadata: { labels: { app: mark } },
      spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { memory: '1Mi' } } }] },
    },
  },
})

/** A claim as a page sends it. */
export const claimOf = (namespace: string, name: string, amount = '1Mi') => ({
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'ResourcePoolClaim',
  metadata: { name, namespace },
  spec: { pool: POOL, claim: { 'requests.memory': amount } },
})
