/** The controller of custom quotas, as logs, metrics and the marks of its writes have it. */
export const CUSTOM_QUOTAS = 'custom-quotas'
