/** The ways in which the operator treats the CRDs of its kinds: `apply` installs and upgrades them, `check` requires them, `skip` does not look. */
export const CRD_MODES = ['apply', 'check', 'skip'] as const
export type CrdMode = (typeof CRD_MODES)[number]
