import { conditionOf } from '../../../api/condition.ts'
import { ENFORCED } from '../../../api/custom-quota/quota-names.ts'
import type { TrackedQuota } from '../tracking/tracked-quota.ts'
import { ENFORCEMENT_OFF } from '../unenforced.ts'

/** May requests have been allowed on an earlier ledger of the custom quota? Its status says that it was ready. */
export function hasAllowed({ quota: { status } }: TrackedQuota): boolean {
  return (
    conditionOf(status?.conditions, 'Ready')?.status === 'True' &&
    conditionOf(status?.conditions, ENFORCED)?.reason !== ENFORCEMENT_OFF
  )
}
