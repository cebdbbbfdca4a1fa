/** The group of KarmadaQuotas: the one of Karmada's pull request 1056, which no kind of Karmada itself uses. */
export const KARMADA_QUOTA_GROUP = 'quota.karmada.io'
export const KARMADA_QUOTA_VERSION = 'v1alpha1'

/** The reason of a refusal, and the one that Karmada's scheduler then sets on the binding. */
export const QUOTA_EXCEEDED = 'QuotaExceeded'

/** Group, version and resource of Karmada's bindings, in the version that Karmada stores. */
export const RESOURCE_BINDINGS = {
  group: 'work.karmada.io',
  version: 'v1alpha2',
  kind: 'ResourceBinding',
  resource: 'resourcebindings',
} as const
