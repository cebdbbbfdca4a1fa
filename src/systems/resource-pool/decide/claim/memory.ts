import type { AllocatedClaim, ResourcePool } from '../../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../../api/claim.ts'
import type { ResourceQuotaStatus } from '../../../../kinds/resource-quota/resource-quota.ts'
import type { ClaimState } from './state.ts'
import type { ClaimOutcome } from '../queue/pool-outcome.ts'

// The decisions about claims that only keep their amounts: nearly all of them, whatever changes. A decision rests on the very
// objects that it was made about. These never change, and the decision is forgotten with them.

interface Known {
  readonly pool: string
  readonly one: ClaimState
}

interface KnownUse {
  readonly holding: readonly ClaimState[]
  readonly basis: readonly unknown[]
  readonly used: ReadonlySet<ClaimState> | undefined
}

const holdings = new WeakMap<ResourcePoolClaim, Known>()
const uses = new WeakMap<ResourceQuotaStatus, KnownUse>()
const written = new WeakSet<ClaimOutcome>()

/** The state of a claim that kept this entry of this pool (`poolIdentity`) before. */
export function knownHolding(pool: string, claim: ResourcePoolClaim, entry: AllocatedClaim): ClaimState | undefined {
  const known = holdings.get(claim)
  return known !== undefined && known.one.entry === entry && known.pool === pool ? known.one : undefined
}

/** Remembers a state that rests on nothing but the pool's identity, the claim and its entry. */
export function rememberHolding(pool: string, one: ClaimState): void {
  if (one.outcomes !== undefined) holdings.set(one.claim, { pool, one })
}

/** Returns the used claims, derived again only when they change or the objects that the answer rests on. */
export function knownUse(
  status: ResourceQuotaStatus,
  holding: readonly ClaimState[],
  basis: readonly unknown[],
  decide: () => ReadonlySet<ClaimState> | undefined,
): ReadonlySet<ClaimState> | undefined {
  const known = uses.get(status)
  if (known !== undefined && isSameList(known.holding, holding) && isSameList(known.basis, basis)) return known.used
  const used = decide()
  uses.set(status, { holding, basis, used })
  return used
}

/** Was the claim observed in the state that the outcome wants? */
export const isWritten = (outcome: ClaimOutcome): boolean => written.has(outcome)

export const markWritten = (outcome: ClaimOutcome): void => void written.add(outcome)

/** The part of a pool on which the outcome of a claim that keeps its amounts rests. */
export const poolIdentity = ({ metadata }: ResourcePool): string => `${metadata.uid ?? ''} ${metadata.name ?? ''}`

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, at) => item === b[at])
