import { conditionOf } from '../../../../api/condition.ts'
import { ENFORCED, ENFORCEMENT_OFF } from '../../api/quota-names.ts'
import { isFoundReady } from '../../decide/found-ready.ts'
import type { TrackedQuota } from '../tracking/tracked-quota.ts'

/** May requests have been allowed on an earlier ledger of the custom quota? Its status says that it was ready, or was closed since. */
export function hasAllowed({ quota: { status } }: TrackedQuota): boolean {
  return isFoundReady(status) && conditionOf(status?.conditions, ENFORCED)?.reason !== ENFORCEMENT_OFF
}
