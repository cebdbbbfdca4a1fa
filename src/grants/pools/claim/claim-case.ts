import type { AllocatedClaim } from '../../../api/resource-pool/resource-pool.ts'
import type { ResourcePoolClaim } from '../../../api/resource-pool-claim/resource-pool-claim.ts'
import type { ResourceList } from '../../../quantity/resource-list.ts'
import type { Shortage } from '../amount/capacity.ts'
import type { ClaimPhase } from './claim-phase.ts'
import type { ClaimOutcome } from '../queue/pool-outcome.ts'

/** A claim on its way through one decision. */
export interface Case {
  readonly claim: ResourcePoolClaim
  readonly namespace: string
  readonly standing: ClaimPhase
  /** The entry that the pool's status has of it. */
  readonly entry: AllocatedClaim | undefined
  /** The amounts that it asks for, or those that it has, where it asks for none. */
  readonly request: ResourceList
  /** The amounts that it was given earlier, where it asks for others. */
  readonly held?: ResourceList
  /** The amounts that it asks for beyond the whole pool: it never fits before the pool grows. */
  readonly oversize?: readonly Shortage[]
  /** May others pass it? */
  readonly standsAside?: boolean
  /** Of a claim that only keeps what it has: its outcome, by whether it is used, once that was worked out. */
  readonly outcomes?: Map<boolean | undefined, ClaimOutcome>
}
