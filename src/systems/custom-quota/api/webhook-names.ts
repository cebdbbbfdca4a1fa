/** Names of the webhooks of custom quotas, those that validate as in Capsule 0.14. People read them in refusals. */

export const CUSTOM_QUOTA_WEBHOOK = 'namespaced.custom-quotas.validating.projectcapsule.dev'
export const GLOBAL_QUOTA_WEBHOOK = 'cluster.custom-quotas.validating.projectcapsule.dev'
/** Decides on user objects. */
export const CALCULATIONS_NAME = 'calculation.custom-quotas.validating.projectcapsule.dev'
