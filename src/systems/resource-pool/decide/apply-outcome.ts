import { type Condition, type NewCondition, withCondition, withoutCondition } from '../../../api/condition.ts'
import { RECONCILING, STALLED } from '../../../api/progress.ts'
import { POOL_FINALIZER, RELEASE_ANNOTATION } from '../api/pool-names.ts'
import type { ResourcePool, ResourcePoolStatus } from '../api/resource-pool.ts'
import type { ResourcePoolClaimStatus } from '../api/claim.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { OwnerReference } from '../../../machinery/object.ts'
import type { ClaimOutcome, PoolOutcome } from './queue/pool-outcome.ts'
import { isWritten, markWritten } from './claim/memory.ts'
import { bounded } from './amount/shorten-text.ts'

/**
 * The status to be written to the pool, or undefined where it is so already. Write it with the pool's resourceVersion: it is
 * a ledger. `now`: RFC 3339, in whole seconds.
 */
export function poolStatusChange(
  pool: ResourcePool,
  { status }: PoolOutcome,
  now: string,
): ResourcePoolStatus | undefined {
  const { conditions: wanted, ...rest } = status
  const before = pool.status?.conditions ?? []
  const isWanted = wanted.some(({ type }) => type === STALLED)
  const conditions = withConditions(isWanted ? before : withoutCondition(before, STALLED), wanted, now)
  const next: ResourcePoolStatus = { ...rest, conditions }
  return jsonEqual(pool.status, next) ? undefined : next
}

/** The pool's finalizers as they are to be, or undefined where they are so already. */
export function poolFinalizersChange(
  { metadata: { finalizers = [] } }: ResourcePool,
  { finalizer }: Pick<PoolOutcome, 'finalizer'>,
): readonly string[] | undefined {
  if (finalizers.includes(POOL_FINALIZER) === finalizer) return undefined
  return finalizer ? [...finalizers, POOL_FINALIZER] : finalizers.filter((one) => one !== POOL_FINALIZER)
}

/** The writes of a claim: first its status, then the rest. */
export interface ClaimChange {
  readonly status?: ResourcePoolClaimStatus
  /** `metadata.ownerReferences` as a whole. */
  readonly ownerReferences?: readonly OwnerReference[]
  /** The annotation that is to go. */
  readonly removedAnnotation?: typeof RELEASE_ANNOTATION
  readonly specPool?: string
}

/**
 * Returns the writes of a claim, or undefined where none is needed. `now`: RFC 3339, in whole seconds. Parts that are
 * known to be right are not compared again.
 */
export function claimChange(
  outcome: ClaimOutcome,
  pool: ResourcePool | undefined,
  now: string,
): ClaimChange | undefined {
  if (isWritten(outcome)) return undefined
  const { claim, released, specPool } = outcome
  const status = statusOf(outcome, now)
  const owners = ownersOf(outcome, pool)
  const change: ClaimChange = {
    ...(status === undefined || status === claim.status ? {} : { status }),
    ...(owners === undefined ? {} : { ownerReferences: owners }),
    ...(released && claim.metadata.annotations?.[RELEASE_ANNOTATION] !== undefined
      ? { removedAnnotation: RELEASE_ANNOTATION }
      : {}),
    ...(specPool === undefined ? {} : { specPool }),
  }
  if (Object.keys(change).length > 0) return change
  markWritten(outcome)
  return undefined
}

/** Returns the status that the claim is to have, or the same object if nothing changes. */
function statusOf(
  { claim, pool, conditions: wanted, waiting: wish, boundAt, endsAt }: ClaimOutcome,
  now: string,
): ResourcePoolClaimStatus | undefined {
  const { status, metadata } = claim
  const before: readonly Condition[] = status?.conditions ?? []
  let conditions = before
  for (const type of ['Ready', 'Exhausted', 'Bound', 'Allocated', 'Expired', RECONCILING, STALLED] as const) {
    const condition = wanted[type]
    if (condition === null) conditions = withoutCondition(conditions, type)
    else if (condition !== undefined) conditions = withCondition(conditions, boundedCondition(condition), now)
  }
  const waiting = wish === null ? null : { ...wish, message: bounded(wish.message), for: bounded(wish.for) }
  const isSame =
    status !== undefined &&
    conditions === before &&
    status.observedGeneration === metadata.generation &&
    status.pool?.uid === pool?.uid &&
    status.pool?.name === pool?.name &&
    jsonEqual(status.waiting ?? null, waiting) &&
    status.boundAt === boundAt &&
    status.endsAt === endsAt &&
    status.condition === undefined
  if (isSame) return status
  const { generation } = metadata
  return {
    ...(typeof generation === 'number' ? { observedGeneration: generation } : {}),
    ...(pool === null ? {} : { pool }),
    ...(waiting === null ? {} : { waiting }),
    ...(boundAt === undefined ? {} : { boundAt }),
    ...(endsAt === undefined ? {} : { endsAt }),
    conditions,
  }
}

/**
 * Returns the new owner references of a claim; undefined if they stay as they are. Those to other pools are removed
 * when it gets a pool. The one to its pool is removed when the claim leaves it.
 */
function ownersOf(
  { claim, owner, pool: of }: ClaimOutcome,
  pool: ResourcePool | undefined,
): OwnerReference[] | undefined {
  const owners = claim.metadata.ownerReferences ?? []
  if (owner === 'kept') return undefined
  if (owner === 'removed' || of === null) {
    const left = owners.filter((one) => !isLoosePoolReference(one) || (pool !== undefined && !isTo(one, pool)))
    return left.length === owners.length ? undefined : left
  }
  const has = owners.some(({ uid }) => uid === of.uid)
  const others = owners.filter((one) => !isLoosePoolReference(one) || one.uid === of.uid)
  if (has && others.length === owners.length) return undefined
  if (has || pool === undefined) return others
  return [...others, { apiVersion: pool.apiVersion, kind: pool.kind, name: of.name, uid: of.uid }]
}

const isTo = ({ uid, name }: OwnerReference, { metadata }: ResourcePool): boolean =>
  uid === metadata.uid || name === metadata.name

const isLoosePoolReference = ({ apiVersion, kind, controller }: OwnerReference): boolean =>
  kind === 'ResourcePool' && apiVersion.startsWith('capsule.clastix.io/') && controller !== true

function withConditions(
  conditions: readonly Condition[],
  wanted: readonly NewCondition[],
  now: string,
): readonly Condition[] {
  return wanted.reduce((list, condition) => withCondition(list, boundedCondition(condition), now), conditions)
}

const boundedCondition = (condition: NewCondition): NewCondition => ({
  ...condition,
  message: bounded(condition.message),
})
