/** The controllers of resource pools, as logs, metrics and the marks of their writes have them. */
export const POOLS = 'resource-pools'
export const CLAIMS = 'resource-pool-claims'
export const STRAYS = 'stray-resource-pool-claims'
export const QUOTA_STATUSES = 'resource-pool-quotas'
export const IDLE_POOLS = 'idle-resource-pools'
export const IDLE_CLAIMS = 'idle-resource-pool-claims'
