import type { ClaimWaiting, ResourcePoolClaim } from '../../api/claim.ts'
import { quantityOf, type ResourceList, resourceNames } from '../../../../quantity/resource-list.ts'
import { amountsOf as amountsIn } from '../../../../api/definition/parsed-amounts.ts'
import { clampToZero } from '../../../../quantity/limit.ts'
import type { ClaimState } from '../claim/state.ts'
import type { RefusalReason } from '../queue/pool-outcome.ts'
import type { QueueVerdict } from '../queue/queue.ts'
import { bounded, spelled } from '../amount/shorten-text.ts'

/** How many claims of a queue know their places, and are listed by their pool. */
export const LISTED = 20

/** The `status.waiting` of a claim that was assigned to a pool. */
export type LineWaiting = ClaimWaiting & { readonly reason: 'WaitingForRoom' | 'WaitingInQueue' | 'NeverFits' }

type Waits = Extract<QueueVerdict, { readonly verdict: 'waiting' }>

/**
 * Returns the `status.waiting` of a claim in a pool. `position`: its place in the queue, from 1. Without one it holds only the facts that stay the
 * same while it waits. How many claims wait in all is not for the tenant: others of the queue may be in namespaces of other tenants.
 */
export function waitingInLine(
  { request, oversize = [], standsAside = false }: Pick<ClaimState, 'request' | 'oversize' | 'standsAside'>,
  verdict: Waits,
  position: number | undefined,
): LineWaiting {
  const reason = verdict.reason === 'PoolExhausted' ? 'WaitingForRoom' : 'WaitingInQueue'
  const place = position === undefined ? {} : { position }
  if (oversize.length > 0) {
    const amounts = oversize.map(
      ({ resource, requested, available }) =>
        `${resource}: ${spelled(requested.toString())} of ${available.toString()} in the pool`,
    )
    const advice = standsAside ? 'others pass it until the pool grows' : 'ask for less, or let the pool grow'
    return {
      reason: 'NeverFits',
      message: `the whole pool is too small: ${amounts.join(', ')}; ${advice}`,
      for: forText(amounts, position),
      ...place,
    }
  }
  if (position === undefined) {
    const amounts = amountsOf(request)
    return {
      reason,
      message: `waits for ${amounts.join(', ')} behind the first ${LISTED} claims of the queue`,
      for: `${amounts.join(', ')}; after the first ${LISTED}`,
    }
  }
  const amounts =
    verdict.reason === 'PoolExhausted'
      ? verdict.shortages.map(
          ({ resource, requested, available }) =>
            `${resource}: ${spelled(requested.toString())} of ${clampToZero(available).toString()} free`,
        )
      : verdict.shortages.map(
          ({ resource, requested, queued }) =>
            `${resource}: ${spelled(requested.toString())} behind older claims of ${queued.toString()}`,
        )
  const what = verdict.reason === 'PoolExhausted' ? 'waits for room' : 'waits for older claims'
  return { reason, message: `${what}: ${amounts.join(', ')}`, for: forText(amounts, position), ...place }
}

/** The facts known of the pool that does not take a claim. */
export interface RefusalFacts {
  /** The name of the pool that the claim asks. */
  readonly pool: string
  readonly isEnding: boolean
  /** The message of the condition. */
  readonly message: string
  /** Returns the amounts of the whole pool. They are empty where the pool does not exist. */
  readonly hard: () => ResourceList
}

/** Returns the `status.waiting` of a claim that no pool takes. */
export function waitingWithoutPool(claim: ResourcePoolClaim, reason: RefusalReason, facts: RefusalFacts): ClaimWaiting {
  const names = bounded(Object.keys(claim.spec.claim).toSorted().map(spelled).join(', '))
  const pool = spelled(facts.pool)
  const { isEnding, message } = facts
  switch (reason) {
    case 'no-pool-named':
      return {
        reason: 'NoPool',
        message: `no pool that selects the namespace has ${names}`,
        for: `a pool with ${names}`,
      }
    case 'pool-not-found':
      return { reason: 'NoSuchPool', message, for: `pool ${pool}` }
    case 'pool-not-available':
      return isEnding
        ? { reason: 'NoSuchPool', message: `pool ${pool} is being deleted`, for: `another pool ${pool}` }
        : {
            reason: 'PoolDoesNotSelectNamespace',
            message: `pool ${pool} does not select the namespace ${claim.metadata.namespace ?? ''}: its labels fit none of the pool's selectors, or it is being deleted`,
            for: `pool ${pool} to select the namespace`,
          }
    case 'resource-missing': {
      const amounts = bounded(beyondPool(amountsIn(claim.spec.claim), facts.hard()).join(', '))
      const advice = 'claim only what the pool has, or add it to the pool'
      return { reason: 'NeverFits', message: `the whole pool is too small: ${amounts}; ${advice}`, for: amounts }
    }
    case 'amount-refused':
      return { reason: 'NeverFits', message, for: `${names} of pool ${pool}` }
    case 'no-quota':
      return { reason: 'NoQuota', message, for: `a quota of pool ${pool} in the namespace` }
    case 'ledger-full':
      return { reason: 'LedgerFull', message, for: `fewer claims of the namespace in pool ${pool}` }
    default:
      return reason satisfies never
  }
}

/** The amounts asked for beyond all that a pool has. */
function beyondPool(request: ResourceList, hard: ResourceList): readonly string[] {
  return resourceNames(request).flatMap((name) => {
    const [requested, most] = [quantityOf(request, name), quantityOf(hard, name)]
    if (requested === undefined || (most !== undefined && requested.cmp(most) <= 0)) return []
    return [`${spelled(name)}: ${spelled(requested.toString())} of ${most?.toString() ?? 'none'} in the pool`]
  })
}

const amountsOf = (request: ResourceList): readonly string[] =>
  resourceNames(request).map((name) => `${name}: ${spelled(quantityOf(request, name)?.toString() ?? '0')}`)

/** With the place. */
function forText(amounts: readonly string[], position: number | undefined): string {
  const text = amounts.join(', ')
  return position === undefined ? text : `${text}; ${ordinal(position)} in the queue`
}

/** `1st`, `2nd`, `3rd`, `4th`, … `21st`. */
function ordinal(place: number): string {
  const isTeen = place % 100 >= 11 && place % 100 <= 13
  return `${place}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th')}`
}
