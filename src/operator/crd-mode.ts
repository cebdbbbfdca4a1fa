/** The ways in which the operator treats the definitions of its kinds: `apply` installs and upgrades, `check` looks, `skip` trusts. */
export const DEFINITION_MODES = ['apply', 'check', 'skip'] as const
export type DefinitionMode = (typeof DEFINITION_MODES)[number]
