/** The group and the version of quota increases of openmcp's quota operator. */
export const OPENMCP_GROUP = 'openmcp.cloud'
export const OPENMCP_VERSION = 'v1alpha1'

const DOMAIN = `quota.${OPENMCP_GROUP}`

/** On a namespace, by its users: the increase that is used in the mode `singular`. */
export const USE_LABEL = `${DOMAIN}/use`
/** On a namespace: the definition whose quota is in force. */
export const BASE_LABEL = `${DOMAIN}/base`
/** On a namespace and each of its increases: the mode of that definition. */
export const MODE_LABEL = `${DOMAIN}/mode`
/** On an increase: what it contributes to the quota. */
export const EFFECT_ANNOTATION = `${DOMAIN}/effect`
/** On a generated quota, and with definitions of a QuotaServiceConfig on its namespace: the controller that keeps it. */
export const INCREASES_MANAGED_BY_LABEL = `${DOMAIN}/managed-by`
/** On a generated quota: its definition. */
export const DEFINITION_LABEL = `${DOMAIN}/quota-definition`
/** The manager of quotas whose definitions come from a file, as in the quota operator up to 0.18. */
export const FILE_PROVIDER = 'quota-controller'
/** On a namespace: with the value `ignore` nothing is done there. */
export const OPERATION_ANNOTATIONS = [`${DOMAIN}/operation`, `${OPENMCP_GROUP}/operation`] as const
export const IGNORE_OPERATION = 'ignore'
/** On an increase or a namespace, of allot's own: why it contributes nothing although it should, or why its base quota is not in force. */
export const PROBLEM_ANNOTATION = 'quota.allot.dev/problem'
/** On a generated quota, of allot's own: it is about to be deleted, so no other quota is deleted in its favour. */
export const LEAVING_ANNOTATION = 'quota.allot.dev/leaving'

export const MODES = ['cumulative', 'maximum', 'singular'] as const
/** How the increases of a namespace are combined. */
export type IncreaseMode = (typeof MODES)[number]
