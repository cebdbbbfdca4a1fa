import type { AllocatedClaim, ResourcePool } from '../../../api/resource-pool/resource-pool.ts'
import type { ResourcePoolClaim } from '../../../api/resource-pool-claim/resource-pool-claim.ts'
import type { ResourceQuotaStatus } from '../../../api/resource-quota/resource-quota.ts'
import type { Case } from './claim-case.ts'
import type { ClaimOutcome } from '../queue/pool-outcome.ts'

// The decisions about claims that only keep what they have, which are nearly all of them whenever anything happens. An
// answer rests on the very objects that are asked about, which never change, and is forgotten with them.

interface Known {
  readonly pool: string
  readonly one: Case
}

interface KnownUse {
  readonly holding: readonly Case[]
  readonly basis: readonly unknown[]
  readonly used: ReadonlySet<Case> | undefined
}

const holdings = new WeakMap<ResourcePoolClaim, Known>()
const uses = new WeakMap<ResourceQuotaStatus, KnownUse>()
const written = new WeakSet<ClaimOutcome>()

/** The case of a claim that kept this entry of this pool (`poolIdentity`) before. */
export function knownHolding(pool: string, claim: ResourcePoolClaim, entry: AllocatedClaim): Case | undefined {
  const known = holdings.get(claim)
  return known !== undefined && known.one.entry === entry && known.pool === pool ? known.one : undefined
}

/** Remembers a case that rests on nothing but the pool's identity, the claim and its entry. */
export function rememberHolding(pool: string, one: Case): void {
  if (one.outcomes !== undefined) holdings.set(one.claim, { pool, one })
}

/** Returns the used claims, derived again only when they change or the objects that the answer rests on. */
export function knownUse(
  status: ResourceQuotaStatus,
  holding: readonly Case[],
  basis: readonly unknown[],
  decide: () => ReadonlySet<Case> | undefined,
): ReadonlySet<Case> | undefined {
  const known = uses.get(status)
  if (known !== undefined && isSameList(known.holding, holding) && isSameList(known.basis, basis)) return known.used
  const used = decide()
  uses.set(status, { holding, basis, used })
  return used
}

/** Was it seen that the claim is as the outcome wants it? */
export const isWritten = (outcome: ClaimOutcome): boolean => written.has(outcome)

export const markWritten = (outcome: ClaimOutcome): void => void written.add(outcome)

/** All of a pool that the outcome of a claim that keeps its room rests on. */
export const poolIdentity = ({ metadata }: ResourcePool): string => `${metadata.uid ?? ''} ${metadata.name ?? ''}`

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, at) => item === b[at])
