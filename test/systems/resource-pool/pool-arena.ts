import { resourcePoolClaim, type ResourcePoolClaim } from '../../../src/systems/resource-pool/api/claim.ts'
import { resourcePool, type ResourcePool } from '../../../src/systems/resource-pool/api/resource-pool.ts'
import type { ResourceQuotaStatus } from '../../../src/kinds/resource-quota/resource-quota.ts'
import type { JsonObject, ObjectMeta } from '../../../src/machinery/object.ts'
import { allocate } from '../../../src/systems/resource-pool/decide/allocate.ts'
import { withClaimChange } from './with-claim-change.ts'
import { claimChange, poolStatusChange } from '../../../src/systems/resource-pool/decide/apply-outcome.ts'
import type { PoolOutcome } from '../../../src/systems/resource-pool/decide/queue/pool-outcome.ts'
import type { NamespaceFacts } from '../../../src/systems/resource-pool/decide/select-namespaces.ts'

export const NOW = '2026-01-01T00:00:00Z'

const API_VERSION = 'capsule.clastix.io/v1beta2'

/** A pool as an API server gives it, with all defaults. It selects the namespaces labelled `pool: <name>`. */
export function poolOf(
  name: string,
  spec: JsonObject,
  more: { metadata?: ObjectMeta; status?: JsonObject } = {},
): ResourcePool {
  const metadata = { name, uid: `uid-${name}`, generation: 1, resourceVersion: '1', ...more.metadata }
  const selectors = [{ matchLabels: { pool: name } }]
  const status = more.status === undefined ? {} : { status: more.status }
  return resourcePool.read({
    apiVersion: API_VERSION,
    kind: 'ResourcePool',
    metadata,
    spec: { selectors, ...spec },
    ...status,
  })
}

/** A claim, by default on the pool `p` and born at second `age`. */
export function claimOf(
  name: string,
  claim: Readonly<Record<string, string>>,
  {
    namespace = 'a',
    age = 0,
    pool = 'p',
    ...metadata
  }: ObjectMeta & { readonly age?: number; readonly pool?: string } = {},
): ResourcePoolClaim {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1) + age * 1000).toISOString().replace('.000', '')
  return resourcePoolClaim.read({
    apiVersion: API_VERSION,
    kind: 'ResourcePoolClaim',
    metadata: { name, namespace, uid: `uid-${namespace}-${name}`, generation: 1, creationTimestamp, ...metadata },
    spec: { pool, claim },
  })
}

export const inPool = (pool: string, ...names: readonly string[]): readonly NamespaceFacts[] =>
  names.map((name) => ({ name, labels: { pool } }))

/** A pool and its claims, where outcomes are applied as if quotas followed at once and nothing were in release. */
export interface Arena {
  readonly pool: ResourcePool
  readonly claims: readonly ResourcePoolClaim[]
  readonly outcome: PoolOutcome
}

/** Decides, and applies the outcome to the pool and to the claims. `now`: milliseconds since the epoch. */
export function settle(
  pool: ResourcePool,
  claims: readonly ResourcePoolClaim[],
  namespaces: readonly NamespaceFacts[],
  used: Readonly<Record<string, ResourceQuotaStatus>> = {},
  now = -Infinity,
): Arena {
  const outcome = allocate({ pool, claims, namespaces, used, now })
  return { ...applied(pool, claims, outcome), outcome }
}

/** The objects with an outcome written to them. */
export function applied(
  pool: ResourcePool,
  claims: readonly ResourcePoolClaim[],
  outcome: PoolOutcome,
): Pick<Arena, 'pool' | 'claims'> {
  const status = poolStatusChange(pool, outcome, NOW)
  const outcomes = new Map(outcome.claims.map((one) => [one.claim, one]))
  return {
    pool: status === undefined ? pool : { ...pool, status },
    claims: claims.map((claim) => {
      const of = outcomes.get(claim)
      const change = of === undefined ? undefined : claimChange(of, pool, NOW)
      return change === undefined ? claim : withClaimChange(claim, change)
    }),
  }
}

/** The pool as if every quota had been lowered: what was given back is free. */
export function withoutReleases(pool: ResourcePool): ResourcePool {
  if (pool.status === undefined) return pool
  const { releasing: _, ...status } = pool.status
  return { ...pool, status }
}
