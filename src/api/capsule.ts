/** The group and the version of resource pools and custom quotas (reference capsule.md section 1). */
export const CAPSULE_GROUP = 'capsule.clastix.io'
export const CAPSULE_VERSION = 'v1beta2'
