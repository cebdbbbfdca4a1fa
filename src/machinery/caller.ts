/** The user that sends a request. */
export interface Caller {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Members may do everything, whatever the rules say. */
export const MASTERS = 'system:masters'
export const AUTHENTICATED = 'system:authenticated'
export const UNAUTHENTICATED = 'system:unauthenticated'

export const ANONYMOUS: Caller = { name: 'system:anonymous', groups: [UNAUTHENTICATED] }

/** The control plane itself, where it furnishes the cluster. */
export const CONTROL_PLANE: Caller = { name: 'system:apiserver', groups: [MASTERS, AUTHENTICATED] }

/** The control plane's own controllers. */
export const systemCaller = (controller: string): Caller => serviceAccountCaller('kube-system', controller)

/** A ServiceAccount as a user. */
export const serviceAccountCaller = (namespace: string, name: string): Caller => ({
  name: `${ACCOUNT_PREFIX}${namespace}:${name}`,
  groups: [...serviceAccountGroups(namespace), AUTHENTICATED],
})

const ACCOUNT_PREFIX = 'system:serviceaccount:'

export const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
]

/** Returns the ServiceAccount that a user name stands for; undefined for the name of any other user. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(ACCOUNT_PREFIX)) return undefined
  const [namespace = '', name = '', ...rest] = user.slice(ACCOUNT_PREFIX.length).split(':')
  return namespace === '' || name === '' || rest.length > 0 ? undefined : { namespace, name }
}
