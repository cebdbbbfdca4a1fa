import { type ResourcePool, resourcePool } from '../../api/resource-pool/resource-pool.ts'
import type { ResourcePoolClaim } from '../../api/resource-pool-claim/resource-pool-claim.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../quantity/resource-list.ts'
import { amountsOf } from '../../api/definition/parsed-amounts.ts'
import { shortagesOf } from './amount/capacity.ts'
import { byAge } from './claim/claim-order.ts'
import { withoutPool } from './claim-outcome.ts'
import { totalsOf } from './ledger/pool-ledger.ts'
import type { ClaimOutcome } from './queue/pool-outcome.ts'
import { type NamespaceFacts, servesNamespace } from './select-namespaces.ts'
import { ResourceSum } from './amount/resource-sum.ts'

/**
 * The pool for a claim that names none (docs/concepts/resource-pools.md): one that serves the namespace, as its selectors and the
 * namespace's labels are now, and has all the resources that are claimed. One that has room for them now is preferred; among
 * equals the oldest, then by name.
 */
export function choosePool(
  { spec }: Pick<ResourcePoolClaim, 'spec'>,
  namespace: NamespaceFacts,
  pools: readonly ResourcePool[],
): ResourcePool | undefined {
  const request = readOrNone(() => amountsOf(spec.claim))
  if (request === undefined) return undefined
  let second: ResourcePool | undefined
  for (const pool of pools.toSorted(byAge)) {
    const hard = readOrNone(() => amountsOf(pool.spec.quota.hard))
    if (hard === undefined || !hasAll(hard, request) || !servesNamespace(pool, namespace)) continue
    if (isBlocked(pool, namespace)) continue
    const { available } = totalsOf(hard, pool.status ?? {})
    if (shortagesOf(request, new ResourceSum(available)).length === 0) return pool
    second ??= pool
  }
  return second
}

/**
 * The pool that decides about a claim: the one that it belongs to, while that exists; else the one that it names; else the
 * one that is chosen for it. Undefined: `strayOutcome` says what becomes of it.
 */
export function homeOf(
  claim: ResourcePoolClaim,
  namespace: NamespaceFacts | undefined,
  pools: readonly ResourcePool[],
): ResourcePool | undefined {
  const { pool: of } = claim.status ?? {}
  if (of !== undefined) {
    const current = pools.find(({ metadata }) => metadata.uid === of.uid || metadata.name === of.name)
    if (current !== undefined) return current
  }
  if (claim.spec.pool !== '') return pools.find(({ metadata }) => metadata.name === claim.spec.pool)
  return namespace === undefined ? undefined : choosePool(claim, namespace, pools)
}

/**
 * Returns the outcome of a claim that no pool decides about: its status names no pool, and a condition gives the reason. A reference to a pool
 * that is gone stays: pools remove the references of claims that are to outlive them, and the garbage collector deletes
 * the others, which are still there for a moment.
 */
export function strayOutcome(claim: ResourcePoolClaim, pools: readonly ResourcePool[]): ClaimOutcome {
  const reason = claim.spec.pool === '' ? 'no-pool-named' : 'pool-not-found'
  const outcome = withoutPool(undefined, claim, { verdict: 'refused', reason })
  const owners = (claim.metadata.ownerReferences ?? []).filter(({ kind }) => kind === resourcePool.kind)
  const goesAlong = owners.some(({ uid }) => !pools.some(({ metadata }) => metadata.uid === uid))
  return goesAlong ? { ...outcome, owner: 'kept' } : outcome
}

/** Is something in the way of the pool's quota there? Another pool may have none. */
const isBlocked = ({ status }: ResourcePool, namespace: NamespaceFacts): boolean =>
  status?.blockedNamespaces?.some(({ name }) => name === namespace.name) === true

const hasAll = (hard: ResourceList, request: ResourceList): boolean =>
  Object.keys(request).every((name) => quantityOf(hard, name) !== undefined)

/** A pool or a claim with an invalid amount is not a candidate. */
function readOrNone(read: () => ResourceList): ResourceList | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}
