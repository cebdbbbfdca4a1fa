/** The controllers of quota increases, as logs, metrics and the marks of their writes have them. */
export const DEFINITIONS = 'quota-definitions'
export const NAMESPACE_QUOTAS = 'quota-increases'
export const BASE_QUOTA_STATUSES = 'quota-increase-quotas'
export const IDLE_INCREASES = 'idle-quota-increases'
