import type { AllocatedClaim } from '../../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../../api/claim.ts'
import type { ResourceList } from '../../../../quantity/resource-list.ts'
import type { Shortage } from '../amount/capacity.ts'
import type { ClaimEnd } from '../end/claim.ts'
import type { ClaimPhase } from './phase.ts'
import type { ClaimOutcome } from '../queue/pool-outcome.ts'

/** The state of a claim within one decision about its pool. */
export interface ClaimState {
  readonly claim: ResourcePoolClaim
  readonly namespace: string
  readonly phase: ClaimPhase
  /** The entry of the claim in the status of the pool. */
  readonly entry: AllocatedClaim | undefined
  /** The requested amounts, or the allocated ones of a claim that requests none. */
  readonly request: ResourceList
  /** The allocated amounts of a claim that requests other amounts. */
  readonly held?: ResourceList
  /** The requested amounts that exceed the whole pool: the claim cannot fit before the pool grows. */
  readonly oversize?: readonly Shortage[]
  /** May other claims be served before it? */
  readonly standsAside?: boolean
  /** When the claim ends, if it does. */
  readonly end?: ClaimEnd
  /** The outcomes of a claim that keeps its amounts, by whether it is used, as far as they were decided. */
  readonly outcomes?: Map<boolean | undefined, ClaimOutcome>
}
