/** The webhooks that check pools and claims, as refusals name them (Capsule 0.14). */
export const POOL_WEBHOOK = 'resourcepools.validating.projectcapsule.dev'
export const CLAIM_WEBHOOK = 'resourcepoolclaims.validating.projectcapsule.dev'
