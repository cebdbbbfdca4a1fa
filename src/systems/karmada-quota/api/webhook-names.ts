/** Names of the webhooks of KarmadaQuotas. People read them in refusals. */

/** Decides on ResourceBindings; as in Karmada's pull request 1056. */
export const BINDING_WEBHOOK = 'quota.karmada.io'
export const KARMADA_QUOTA_WEBHOOK = 'karmadaquotas.validating.allot.dev'
