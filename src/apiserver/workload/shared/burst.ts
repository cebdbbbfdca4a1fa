/**
 * The most pods that are made or deleted in one go (upstream `BurstReplicas`). A workload may want two thousand million
 * of them, and the work of one turn must not depend on that. The changed objects bring the owner back for more.
 */
export const BURST = 500
