/** Names that other programs see (as in Capsule 0.14). */

/** On a ResourceQuota: the pool that it belongs to, as `poolLabelValue` writes it. */
export const POOL_LABEL = 'projectcapsule.dev/pool'
/** On a ResourceQuota: its manager; always {@link MANAGED_BY_CONTROLLER}. */
export const MANAGED_BY_LABEL = 'projectcapsule.dev/managed-by'
export const MANAGED_BY_CONTROLLER = 'controller'
/** On a claim: `true`, in whatever case, asks that the claim gives its room back. */
export const RELEASE_ANNOTATION = 'projectcapsule.dev/release'
/** On a pool that has namespaces or claims. */
export const POOL_FINALIZER = 'controller.projectcapsule.dev/finalize'

/** Our own condition of a claim, and the reason of the event on one that got what it waited for. */
export const ALLOCATED = 'Allocated'
/** Our own condition of a claim that ends: True from its end on. */
export const EXPIRED = 'Expired'
export const READY = 'Ready'
export const EXHAUSTED = 'Exhausted'
export const BOUND = 'Bound'

/** Reasons of conditions; events have the same, and {@link DISASSOCIATED} besides. */
export const SUCCEEDED = 'Succeeded'
export const FAILED = 'Failed'
export const POOL_EXHAUSTED = 'PoolExhausted'
export const NO_EXHAUSTIONS = 'NoExhaustions'
export const IN_USE = 'InUse'
export const UNUSED = 'Unused'

/** Reasons of {@link EXPIRED}; events have the same, except for the first. */
export const LASTS = 'Lasts'
export const ENDS_SOON = 'EndsSoon'
export const FROZEN = 'Frozen'
export const ENDED = 'Ended'

/** The reason of the event on a claim that lost its pool. */
export const DISASSOCIATED = 'Disassociated'
