import { conditionOf } from '../../../../api/condition.ts'
import { ENFORCED, LEDGER_LOST, MEASURED, SPEC_CHANGED } from '../../api/quota-names.ts'
import type { TrackedQuota } from '../tracking/tracked-quota.ts'
import { ENFORCEMENT_OFF } from '../unenforced.ts'

/** May requests have been allowed on an earlier ledger of the custom quota? Its status says that it was ready, or was closed since. */
export function hasAllowed({ quota: { status } }: TrackedQuota): boolean {
  const ready = conditionOf(status?.conditions, 'Ready')
  return (
    (ready?.status === 'True' ||
      ready?.reason === LEDGER_LOST ||
      ready?.reason === SPEC_CHANGED ||
      conditionOf(status?.conditions, MEASURED)?.status === 'False') &&
    conditionOf(status?.conditions, ENFORCED)?.reason !== ENFORCEMENT_OFF
  )
}
