// The cost of deciding a pool: 10,000 claims in 1,000 namespaces, all of them anew, and after one of them changed, where all is
// looked at and where only its namespace is; and what planning the writes to its quotas costs then. One JSON line each.
import { measure } from 'mitata'
import type { ResourcePool } from '../src/systems/resource-pool/api/resource-pool.ts'
import type { ResourcePoolClaim } from '../src/systems/resource-pool/api/claim.ts'
import type { ResourceQuota } from '../src/kinds/resource-quota/resource-quota.ts'
import { claimChange, poolStatusChange } from '../src/systems/resource-pool/decide/apply-outcome.ts'
import { decidePool } from '../src/systems/resource-pool/decide/decide-pool.ts'
import { nextSteps } from '../src/systems/resource-pool/decide/quota/write-order.ts'
import type { JsonObject } from '../src/machinery/object.ts'
import { mergeDiff } from '../src/schema/patch/merge-diff.ts'
import { applied, claimOf, inPool, NOW, poolOf } from '../test/systems/resource-pool/pool-arena.ts'

const CLAIMS = 10_000
const NAMESPACES = 1_000
const WAITING = 100

const namespaces = inPool('p', ...Array.from({ length: NAMESPACES }, (_, at) => `namespace-${at}`))
const hard = { 'requests.cpu': `${(CLAIMS - WAITING) * 100}m`, 'requests.memory': '100Ti' }
const spec = { quota: { hard }, defaults: { 'requests.cpu': '0', 'requests.memory': '0' } }
const empty = poolOf('p', spec)
const fresh = Array.from({ length: CLAIMS }, (_, at) =>
  claimOf(
    `claim-${at}`,
    { 'requests.cpu': '100m', 'requests.memory': '64Mi' },
    { age: at, namespace: `namespace-${at % NAMESPACES}` },
  ),
)

/** The quotas as a server has them that has followed. */
function followed(pool: ResourcePool): Map<string, ResourceQuota> {
  const { writes } = nextSteps({ pool, quotas: new Map(), isLive: true })
  const created = writes.flatMap((write) =>
    write.kind === 'create' ? [[write.namespace, enforced(write.quota)] as const] : [],
  )
  const raised = nextSteps({ pool, quotas: new Map(created), isLive: true }).writes
  return new Map(
    raised.flatMap((write) => (write.kind === 'update' ? [[write.namespace, enforced(write.quota)] as const] : [])),
  )
}

function enforced(quota: ResourceQuota): ResourceQuota {
  const status = { hard: quota.spec?.hard ?? {}, used: { 'requests.cpu': '300m', 'requests.memory': '150Mi' } }
  return { ...quota, metadata: { ...quota.metadata, uid: 'u', resourceVersion: '1' }, status }
}

/** As it comes from a server: nothing of it is known. */
const anew = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const json = (value: object | undefined): JsonObject => (value ?? {}) as JsonObject

const sink: unknown[] = [undefined]
async function time(figure: string, work: () => unknown): Promise<void> {
  const { avg, min } = await measure(() => {
    sink[0] = work()
  })
  const milliseconds = (nanoseconds: number): number => Number((nanoseconds / 1e6).toFixed(2))
  console.log(JSON.stringify({ bench: 'pools', figure, milliseconds: milliseconds(avg), least: milliseconds(min) }))
}

function decided(pool: ResourcePool, claims: readonly ResourcePoolClaim[], quotas: Map<string, ResourceQuota>) {
  const outcome = decidePool({ pool, claims, namespaces, quotas })
  const changes = outcome.claims.flatMap((one) => claimChange(one, pool, NOW) ?? [])
  return { outcome, status: poolStatusChange(pool, outcome, NOW), changes }
}

await time(`allocate ${CLAIMS} claims in ${NAMESPACES} namespaces`, () => decided(empty, fresh, new Map()))

const first = applied(empty, fresh, decided(empty, fresh, new Map()).outcome)
const quotas = followed(first.pool)
const settled = applied(first.pool, first.claims, decided(first.pool, first.claims, quotas).outcome)
await time('decide again after a restart', () => decided(settled.pool, settled.claims, quotas))

const resized = (claim: ResourcePoolClaim): ResourcePoolClaim => ({
  ...claim,
  metadata: { ...claim.metadata, generation: 2 },
  spec: { ...claim.spec, claim: { 'requests.cpu': '50m', 'requests.memory': '64Mi' } },
})
const changedClaims = settled.claims.map((claim, at) => (at === 5000 ? resized(claim) : claim))
const after = decided(settled.pool, changedClaims, quotas)
if (after.changes.length === 0 || after.status === undefined) throw new Error('nothing changed')
await time('decide after one claim changed, the pool as written', () => decided(settled.pool, changedClaims, quotas))
const text = JSON.stringify(settled.pool)
await time('read the pool from JSON', () => JSON.parse(text) as unknown)
await time('decide after one claim changed, the pool just read', () =>
  decided(JSON.parse(text) as ResourcePool, changedClaims, quotas),
)
const written = { ...settled.pool, status: after.status }
await time('plan the writes to the quotas after that', () => nextSteps({ pool: written, quotas, isLive: true }))
const planned = nextSteps({ pool: anew(written), quotas, isLive: true }).writes
if (planned.length !== 1) throw new Error(`${planned.length} quotas are written`)

const { namespace: changed = '' } = changedClaims[5000]?.metadata ?? {}
const within = new Set([changed])
const inside = {
  claims: changedClaims.filter(({ metadata }) => metadata.namespace === changed),
  namespaces: namespaces.filter(({ name }) => name === changed),
  quotas: new Map([...quotas].filter(([name]) => name === changed)),
}
await time('decide where one claim changed, and plan all writes', () => {
  const outcome = decidePool({ pool: settled.pool, ...inside, within })
  const status = poolStatusChange(settled.pool, outcome, NOW)
  if (status === undefined) throw new Error('nothing changed')
  const patch = mergeDiff(json(settled.pool.status), json(status))
  const changes = outcome.claims.flatMap((one) => claimChange(one, settled.pool, NOW) ?? [])
  const steps = nextSteps({ pool: { ...settled.pool, status }, quotas: inside.quotas, isLive: true, within })
  if (steps.writes.length !== 1) throw new Error(`${steps.writes.length} quotas are written`)
  return { patch, changes, steps }
})
