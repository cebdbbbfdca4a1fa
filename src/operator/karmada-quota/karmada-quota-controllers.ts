/** The controller of KarmadaQuotas, as logs, metrics and the marks of its writes have it. */
export const KARMADA_QUOTAS = 'karmada-quotas'
