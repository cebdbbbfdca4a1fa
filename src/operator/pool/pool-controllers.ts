/** The controllers of resource pools, as logs, metrics and the marks of their writes have them. */
export const POOLS = 'resource-pools'
export const CLAIMS = 'resource-pool-claims'
export const STRAYS = 'stray-resource-pool-claims'
export const QUOTA_STATUSES = 'resource-pool-quotas'
