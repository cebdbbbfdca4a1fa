import { conditionOf } from '../../../api/condition.ts'
import type { GlobalCustomQuotaStatus } from '../api/global-custom-quota.ts'
import { LEDGER_LOST, MEASURED, SPEC_CHANGED } from '../api/quota-names.ts'

/** The fields that the status of a custom quota of either kind has. */
type Status = Pick<GlobalCustomQuotaStatus, 'conditions'> | undefined

/**
 * Has a leader found the quota ready? A quota that lost its ledger, or counts more than before, is closed by its ledger. Objects that
 * cannot be measured close only their namespaces.
 */
export function isFoundReady(status: Status): boolean {
  const ready = conditionOf(status?.conditions, 'Ready')
  return (
    ready?.status === 'True' ||
    ready?.reason === LEDGER_LOST ||
    ready?.reason === SPEC_CHANGED ||
    conditionOf(status?.conditions, MEASURED)?.status === 'False'
  )
}

/** Is the quota closed in the namespace, because objects there cannot be measured? Undefined where it measures all. */
export function isClosedIn(namespace: string, status: Status): boolean | undefined {
  const measured = conditionOf(status?.conditions, MEASURED)
  return measured?.status === 'False' ? measured.message.includes(shownNamespace(namespace)) : undefined
}

/** A namespace as the message of the condition `Measured` names it. */
export const shownNamespace = (namespace: string): string =>
  namespace === '' ? 'outside namespaces' : JSON.stringify(namespace)
