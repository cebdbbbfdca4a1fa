/** Names that other programs see (as in Capsule 0.14), beside the condition `Ready` with its reasons. */

/** On a quota: any value asks for a new count. It is removed when the count succeeded. */
export const RECONCILE_ANNOTATION = 'reconcile.projectcapsule.dev/requestedAt'

/** Our own reason of the condition Ready: the ledger was lost, and requests that it allowed may still be stored. */
export const LEDGER_LOST = 'LedgerLost'
/** Our own reason of the condition Ready: the spec counts more than before, and requests that the earlier one allowed may still be stored. */
export const SPEC_CHANGED = 'SpecChanged'

/** Our own condition, which exists only where a quota counts without refusing: its status is False then. */
export const ENFORCED = 'Enforced'
/** Its reason where the operator enforces nothing at all. */
export const ENFORCEMENT_OFF = 'EnforcementOff'
/** Its reason for a quota in a namespace in which nothing is refused. */
export const EXEMPT_NAMESPACE = 'ExemptNamespace'

/**
 * A condition of allot's own. It is set to False when the only problem of a quota is objects that cannot be measured.
 * The quota then refuses only in their namespaces.
 */
export const MEASURED = 'Measured'

/** The only entry of `status.namespaces` of a GlobalCustomQuota without selectors of namespaces. */
export const ALL_NAMESPACES = '*'
/** `status.targets[].scope` of a kind whose objects are in namespaces, and of any other. */
export const NAMESPACE_SCOPE = 'namespace'
export const ROOT_SCOPE = 'root'
