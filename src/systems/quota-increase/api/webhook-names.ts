/** The webhooks that check increases and definitions, as refusals name them. */
export const INCREASE_WEBHOOK = 'quotaincreases.validating.allot.dev'
export const CONFIG_WEBHOOK = 'quotaserviceconfigs.validating.allot.dev'
