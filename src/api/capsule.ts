/** The group and the version of resource pools and custom quotas of Capsule 0.14. */
export const CAPSULE_GROUP = 'capsule.clastix.io'
export const CAPSULE_VERSION = 'v1beta2'
