import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '../../builtin/rbac-v1.ts'
import { isForbidden, isNotFound } from '../../machinery/status.ts'
import { objectsOf, textAt, textOf, textsOf } from '../../machinery/read.ts'
import type { KubeClient, ResourceKind } from '../client/kube-client.ts'

/** Something that an account may do to all objects of a resource; any of the verbs is enough. */
export interface ClusterRight {
  readonly group: string
  /** With its subresource, such as `pods/status`. */
  readonly resource: string
  readonly verbs: readonly string[]
}

/** Says whether programs in a namespace may have a right in the whole cluster. */
export type IsPrivileged = (namespace: string) => boolean

const RBAC = 'rbac.authorization.k8s.io'
export const CLUSTER_ROLES: ResourceKind = rbacKind('ClusterRole', 'clusterroles')
export const CLUSTER_ROLE_BINDINGS: ResourceKind = rbacKind('ClusterRoleBinding', 'clusterrolebindings')
const ACCOUNTS_OF = 'system:serviceaccounts'
const ACCOUNT = /^system:serviceaccount:([^:]+):/
/** The groups of every ServiceAccount. */
const EVERYWHERE: ReadonlySet<string> = new Set([ACCOUNTS_OF, 'system:authenticated'])

function rbacKind(kind: string, resource: string): ResourceKind {
  return { group: RBAC, version: 'v1', resource, kind, namespaced: false }
}

/**
 * Finds the namespaces of which a ServiceAccount has a right through a ClusterRoleBinding, which nobody can write who only has namespaces. Every
 * namespace counts where that cannot be known: the API server does not serve RBAC, or does not let its bindings be read.
 */
export async function privilegedNamespaces(
  client: Pick<KubeClient, 'list'>,
  right: ClusterRight,
  signal: AbortSignal,
): Promise<IsPrivileged> {
  try {
    const [roles, bindings] = await Promise.all([
      client.list(CLUSTER_ROLES, { signal }),
      client.list(CLUSTER_ROLE_BINDINGS, { signal }),
    ])
    return grantedNamespaces(roles.items, bindings.items, right)
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return () => true
    throw error
  }
}

/** The same for these roles and bindings. */
export function grantedNamespaces(
  roles: readonly ClusterRole[],
  bindings: readonly ClusterRoleBinding[],
  right: ClusterRight,
): IsPrivileged {
  const granting = new Set(roles.filter((role) => grants(role, right)).map(({ metadata }) => metadata.name))
  const subjects = bindings
    .filter((binding) => granting.has(textAt(binding, 'roleRef', 'name')))
    .flatMap((binding) => objectsOf(binding.subjects))
  if (subjects.some(({ kind, name }) => kind === 'Group' && EVERYWHERE.has(textOf(name)))) return () => true
  const namespaces = new Set(
    subjects.map(({ kind, name, namespace }) => {
      if (kind === 'ServiceAccount') return textOf(namespace)
      if (kind === 'User') return ACCOUNT.exec(textOf(name))?.[1] ?? ''
      return textOf(name).startsWith(`${ACCOUNTS_OF}:`) ? textOf(name).slice(ACCOUNTS_OF.length + 1) : ''
    }),
  )
  return (namespace) => namespace !== '' && namespaces.has(namespace)
}

const grants = (role: ClusterRole, { group, resource, verbs }: ClusterRight): boolean =>
  objectsOf(role.rules).some((rule) => {
    const has = (field: keyof PolicyRule, ...wanted: readonly string[]): boolean =>
      textsOf(rule[field]).some((value) => value === '*' || wanted.includes(value))
    const [, subresource] = resource.split('/')
    const isNamed = textsOf(rule.resourceNames).length > 0
    return (
      !isNamed &&
      has('apiGroups', group) &&
      has('resources', resource, ...(subresource === undefined ? [] : [`*/${subresource}`])) &&
      has('verbs', ...verbs)
    )
  })

/** Those that look after the objects of a kind write their status. */
export const keeperRight = ({ group, resource }: Pick<ResourceKind, 'group' | 'resource'>): ClusterRight => ({
  group,
  resource: `${resource}/status`,
  verbs: ['update', 'patch'],
})
