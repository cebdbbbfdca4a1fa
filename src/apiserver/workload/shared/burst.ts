/**
 * No more pods than these are made or deleted in one go (upstream `BurstReplicas`): a workload may want two thousand million
 * of them, and what is done for it at a time must not depend on that. The objects that are made or deleted bring the owner back for more.
 */
export const BURST = 500
