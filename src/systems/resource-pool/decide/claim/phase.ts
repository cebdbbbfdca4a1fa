import type { AllocatedClaim, ResourcePool } from '../../api/resource-pool.ts'
import { RELEASE_ANNOTATION } from '../../api/pool-names.ts'
import { validateAmounts } from '../../../../kinds/resource-quota/validate.ts'
import type { ResourcePoolClaim } from '../../api/claim.ts'
import { Quantity, QuantityError } from '../../../../quantity/quantity.ts'
import { equals, quantityOf, type ResourceList, resourceNames } from '../../../../quantity/resource-list.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import type { ClaimDecision, RefusalReason } from '../queue/pool-outcome.ts'
import type { Obstacle } from '../quota/place.ts'

/** How a claim stands with a pool before the queue is served. */
export type ClaimPhase =
  /** It keeps what it has. */
  | { readonly kind: 'holds'; readonly request: ResourceList; /** Has it ended? */ readonly isFrozen?: true }
  /** It has room and asks for another amount. */
  | { readonly kind: 'resizes'; readonly request: ResourceList; readonly held: ResourceList }
  | { readonly kind: 'asks'; readonly request: ResourceList; readonly released: boolean }
  | { readonly kind: 'decided'; readonly decision: Exclude<ClaimDecision, { verdict: 'allocated' | 'waiting' }> }

export interface ClaimPhaseInput {
  readonly pool: ResourcePool
  readonly claim: ResourcePoolClaim
  /** The entry of the claim in the pool's status. */
  readonly entry: AllocatedClaim | undefined
  /** Does the pool serve its namespace? */
  readonly served: boolean
  readonly hard: ResourceList
  /** Do workloads use what it has? Only asked where it matters. */
  readonly isUsed: () => boolean
  /** Has the claim ended? */
  readonly isOver: boolean
  /** Reports whether the quota covers the usage without the amounts of the claim. Called only if it matters. */
  readonly mayGo: () => boolean
  /** The obstacle that keeps the pool from limiting its namespace. */
  readonly obstacle?: Obstacle | undefined
}

/** Does the claim belong to the pool, as its status says? A pool that was made anew takes over the claims of its name. */
export function belongsTo(claim: ResourcePoolClaim, pool: ResourcePool): boolean {
  const of = claim.status?.pool
  return of !== undefined && (of.uid === pool.metadata.uid || of.name === pool.metadata.name)
}

/** Does the claim ask to be released? */
export function asksForRelease({ metadata }: ResourcePoolClaim): boolean {
  return metadata.annotations?.[RELEASE_ANNOTATION]?.toLowerCase() === 'true'
}

/** Returns the phase of a claim, or undefined where the pool does not decide about it. */
export function phaseOf(input: ClaimPhaseInput): ClaimPhase | undefined {
  const { pool, claim, entry, served } = input
  const isOurs = entry !== undefined || belongsTo(claim, pool)
  const named = claim.spec.pool
  // A claim belongs to its earlier pool until that pool lets it go.
  const isFree = isOurs || claim.status?.pool === undefined
  const wants = isFree && (named === pool.metadata.name || named === '')
  if (!wants && !isOurs) return undefined
  if (input.isOver && !(entry === undefined && claim.metadata.deletionTimestamp !== undefined)) return ended(input)
  if (!served) return isOurs || named !== '' ? leaving(wants && named !== '') : undefined
  if (!wants) return entry !== undefined && input.isUsed() ? decided({ verdict: 'held-by-use' }) : leaving(false)
  if (entry === undefined && claim.metadata.deletionTimestamp !== undefined) return isOurs ? leaving(false) : undefined
  const { obstacle } = input
  if (obstacle !== undefined && !(entry !== undefined && obstacle.keeps))
    return obstacle.why === undefined
      ? undefined
      : decided({ verdict: 'refused', reason: 'no-quota', why: obstacle.why })
  return asking(input, named !== '' || isOurs)
}

/** A claim that has ended keeps what workloads use, and nothing else. */
function ended({ entry, served, obstacle, mayGo }: ClaimPhaseInput): ClaimPhase {
  if (entry === undefined || !served || obstacle?.keeps === false || mayGo()) return decided({ verdict: 'ended' })
  return { kind: 'holds', request: amountsOf(entry.claims), isFrozen: true }
}

function asking({ claim, entry, hard, isUsed }: ClaimPhaseInput, isNamed: boolean): ClaimPhase {
  const held = entry === undefined ? undefined : amountsOf(entry.claims)
  const request = readable(claim)
  if (typeof request === 'string') return refused('amount-refused', request)
  const released = asksForRelease(claim) && (held === undefined || !isUsed())
  if (held !== undefined && !released && equals(held, request)) return { kind: 'holds', request }
  for (const resource of resourceNames(request)) {
    // Without a name of a pool in it, it is not this pool that lacks something.
    if (quantityOf(hard, resource) === undefined)
      return isNamed ? refused('resource-missing', resource) : refused('no-pool-named')
    if (!isAmountOf(resource, request)) return refused('amount-refused', resource)
  }
  return held === undefined || released ? { kind: 'asks', request, released } : { kind: 'resizes', request, held }
}

/** The amounts of a claim, or the resource whose amount is none. */
function readable(claim: ResourcePoolClaim): ResourceList | string {
  try {
    return amountsOf(claim.spec.claim)
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    const names = Object.keys(claim.spec.claim).toSorted()
    return names.find((name) => String(claim.spec.claim[name]) === error.text) ?? ''
  }
}

/**
 * Could it stand in a ResourceQuota? One claim that cannot would hold up the quota of its whole namespace. Servers round what
 * is finer than a thousandth.
 */
function isAmountOf(resource: string, request: ResourceList): boolean {
  const amount = quantityOf(request, resource)
  if (amount === undefined || !amount.equals(Quantity.parse(`${amount.milliValue()}m`))) return false
  return validateAmounts({ [resource]: amount.toString() }, 'spec.hard').length === 0
}

const decided = (decision: Extract<ClaimPhase, { kind: 'decided' }>['decision']): ClaimPhase => ({
  kind: 'decided',
  decision,
})

const refused = (reason: RefusalReason, resource?: string): ClaimPhase =>
  decided({ verdict: 'refused', reason, ...(resource === undefined ? {} : { resource }) })

const leaving = (wants: boolean): ClaimPhase => (wants ? refused('pool-not-available') : decided({ verdict: 'left' }))
