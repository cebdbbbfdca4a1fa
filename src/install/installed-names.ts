/** The name of everything that an installation brings one of. */
export const INSTALLED_NAME = 'allot'
/** Every object that an installation brings has it, and so have the pods. */
export const INSTALLED_LABEL = 'app.kubernetes.io/name'
/** The labels by which the pods are selected; they do not change with a version. */
export const POD_LABELS = { [INSTALLED_LABEL]: INSTALLED_NAME, 'app.kubernetes.io/component': 'operator' } as const
/** The operator has one object of each of these names. No role lets it change others of their kinds, where Kubernetes can tell them apart. */
export const LEASE_NAME = 'allot'
/** The Lease of Capsule's leader, which the operator looks for. */
export const CAPSULE_LEASE_NAME = '42c733ea.clastix.capsule.io'
/** The Secret of the certificate that the webhooks present. */
export const CERTIFICATE_SECRET = 'allot-webhook-certificate'
/** The Secret that holds the keys in the URLs of the webhooks. */
export const WEBHOOK_KEY_SECRET = 'allot-webhook-key'
/** The Secret that holds the key of ledgers' seals. */
export const LEDGER_KEY_SECRET = 'allot-ledger-key'
/** The ConfigMap that records the base quotas that are followed. */
export const DEFINITIONS_RECORD = 'allot-quota-definitions'
/** The webhook configurations of each phase; what a server does not need there stays empty or is not made. */
export const CONFIGURATION_NAMES = ['allot', 'allot-deletions'] as const
/** On the webhook configurations: where the objects of the operator live that wrote them. Only who may write configurations can say it. */
export const SYSTEM_NAMESPACE_ANNOTATION = 'allot.dev/system-namespace'
/** On namespaces that allot has created itself, and on no others. */
export const MADE_ANNOTATION = 'allot.dev/made-by-allot'
/** The label on exempt namespaces by which webhooks leave them out, on API servers that do not label namespaces with their names (before 1.21). */
export const EXEMPT_LABEL = 'allot.dev/exempt'
/** The ResourceQuota by which the operator finds out what a cluster enforces (`--enforce-resourcequota=auto`), in its system namespace. */
export const ENFORCEMENT_PROBE_QUOTA = 'allot-resourcequota-probe'
