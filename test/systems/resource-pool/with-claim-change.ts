import type { ResourcePoolClaim } from '../../../src/systems/resource-pool/api/claim.ts'
import type { ClaimChange } from '../../../src/systems/resource-pool/decide/apply-outcome.ts'
import type { ObjectMeta } from '../../../src/machinery/object.ts'

/** The claim with a change written, as an API server would keep it but for versions and generations. */
export function withClaimChange(claim: ResourcePoolClaim, change: ClaimChange): ResourcePoolClaim {
  const { status = claim.status, ownerReferences, removedAnnotation, specPool = claim.spec.pool } = change
  const { annotations, ...others } = claim.metadata
  const kept = Object.entries(annotations ?? {}).filter(([name]) => name !== removedAnnotation)
  const metadata: ObjectMeta = {
    ...others,
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
    ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
  }
  return { ...claim, metadata, spec: { ...claim.spec, pool: specPool }, ...(status === undefined ? {} : { status }) }
}
