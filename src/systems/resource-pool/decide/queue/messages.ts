import type { QueueVerdict } from './queue.ts'
import { quoted, spelled } from '../amount/shorten-text.ts'

/** The texts of conditions and events that clients read, word for word as Capsule has them. */
export const RECONCILED = 'reconciled'
export const CLAIMABLE = 'resource claimable from pool'
export const HAS_EXHAUSTIONS = 'Pool has exhaustions'
export const NOTHING_EXHAUSTED = 'no exhaustions'
export const CAUSES_EXHAUSTIONS = 'claim causes exhaustions'
export const CLAIM_USED = 'claim is used'
export const CLAIM_UNUSED = 'claim is unused'
export const NO_POOL_NAMED = 'no pool reference was defined'
export const POOL_NOT_AVAILABLE = 'resourcepool not available'
export const DISASSOCIATED_NOTE = 'claim is disassociated from the pool'

export const poolNotFound = (pool: string): string => `ResourcePool.capsule.clastix.io ${quoted(pool)} not found`

export const resourceMissing = (resource: string, pool: string): string =>
  `resource ${spelled(resource)} is not available in pool ${spelled(pool)}`

export const poolHeldByUse = (pool: string): string => `can not change pool while claim is in use for pool ${pool}`

/** Our own: something else keeps the claim from going. */
export const CLAIM_IS_DELETED = 'the claim is being deleted and holds nothing'

/** Our own: the time of the claim is over. */
export const CLAIM_HAS_ENDED = 'the claim has ended and holds nothing'

/** Our own: an amount that no quota may have. */
export const amountRefused = (resource: string, amount: string): string =>
  `spec.claim: ${spelled(resource)}=${spelled(amount)} is not an amount that a quota can have`

/** Our own: no quota of the pool limits the namespace. */
export const noQuota = (pool: string, namespace: string, why: string): string =>
  `resourcepool ${pool} has no quota in namespace ${namespace}: ${why}`

/** Our own: a namespace has so many claims that the pool cannot keep books of more. It says nothing that changes while it waits. */
export const ledgerFull = (pool: string, namespace: string): string =>
  `resourcepool ${pool} cannot record more claims of namespace ${namespace}: they take up as much as is left for all namespaces together; delete claims, or ask for more in fewer of them`

/** Our own: the claim has what it asks for. */
export const hasFrom = (pool: string): string => `the claim has what it asks for from resourcepool ${pool}`

/** Our own: the event on a claim that got what it waited for. */
export const gainedNote = (resources: readonly string[], pool: string): string =>
  `claim got the room in resourcepool ${pool} that it waited for: ${resources.join(', ')}`

/** Why a claim waits; the parts sorted by resource. */
export function waitingMessage(verdict: Extract<QueueVerdict, { readonly verdict: 'waiting' }>): string {
  const parts =
    verdict.reason === 'PoolExhausted'
      ? verdict.shortages.map(({ resource, requested, available }) =>
          part(resource, requested.toString(), 'available', available.sign() < 0 ? '0' : available.toString()),
        )
      : verdict.shortages.map(({ resource, requested, queued }) =>
          part(resource, requested.toString(), 'queued', queued.toString()),
        )
  return parts.join('; ')
}

/** The resources of a `waitingMessage`; none of another text. */
export const resourcesIn = (message: string): readonly string[] =>
  [...message.matchAll(/\brequested: ([^=,;]+)=/g)].map(([, resource = '']) => resource)

const part = (resource: string, requested: string, what: string, amount: string): string =>
  `requested: ${resource}=${spelled(requested)}, ${what}: ${resource}=${spelled(amount)}`
