/** The controllers of the system, as logs and metrics name them. */
export const QUOTA_USAGE = 'resourcequota-usage'
export const ENFORCEMENT_PROBE = 'resourcequota-probe'
export const QUOTA_LEDGERS = 'resourcequota-ledgers'
