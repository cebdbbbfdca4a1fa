import type { GroupResource } from '../../machinery/status.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { REFUSED } from '../answer/refusals.ts'

/** A kind whose changes a page is told of. */
export interface WatchedKind extends GroupResource {
  readonly fieldSelector?: string
}

/** What the views of a page show. */
export const WATCHED_KINDS: readonly WatchedKind[] = [
  { group: '', resource: 'resourcequotas' },
  { group: '', resource: 'events', fieldSelector: `reason=${REFUSED}` },
  ...[customQuota, globalCustomQuota, karmadaQuota, quotaIncrease, resourcePool, resourcePoolClaim].map(
    ({ group, resource }) => ({ group, resource }),
  ),
]
