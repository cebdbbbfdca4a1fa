/** The controllers of KarmadaQuotas, as logs, metrics and the marks of their writes have them. */
export const KARMADA_QUOTAS = 'karmada-quotas'
export const IDLE_KARMADA_QUOTAS = 'idle-karmada-quotas'
