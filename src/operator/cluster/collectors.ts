/** All controllers of a cluster that does not give each an account of its own. */
export const CONTROLLER_MANAGER = 'system:kube-controller-manager'

/** Users that empty namespaces that are deleted. */
export const NAMESPACE_EMPTIERS = [
  CONTROLLER_MANAGER,
  'system:serviceaccount:kube-system:namespace-controller',
] as const

/** Those, and the user that deletes objects without owners and changes owners for that. */
export const CLUSTER_COLLECTORS = [
  ...NAMESPACE_EMPTIERS,
  'system:serviceaccount:kube-system:generic-garbage-collector',
] as const

/** Returns the CEL expression of a webhook's condition that holds for requests of all users but these. */
export const isByNone = (users: readonly string[]): string =>
  `!(request.userInfo.username in [${users.map((name) => `'${name}'`).join(', ')}])`
