import type { ClusterRoleBinding, RoleBinding, Subject as BoundSubject } from '../../../builtin/rbac-v1.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import type { WatchHandle } from '../../../store/revision/watchers.ts'
import type { Caller } from '../../../machinery/caller.ts'
import { objectOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { Role, rulesOf } from './policy-rule.ts'

export const CLUSTER_ROLES = 'clusterroles.rbac.authorization.k8s.io'
export const ROLES = 'roles.rbac.authorization.k8s.io'
export const CLUSTER_ROLE_BINDINGS = 'clusterrolebindings.rbac.authorization.k8s.io'
export const ROLE_BINDINGS = 'rolebindings.rbac.authorization.k8s.io'

/** The role that a binding grants: a Role of the binding's namespace, or a ClusterRole. */
export interface RoleRef {
  readonly kind: string
  readonly name: string
}

/** A role granted to one subject by one binding. */
export interface Grant {
  readonly role: RoleRef
  /** Of the binding; `''` for a ClusterRoleBinding. */
  readonly namespace: string
  readonly binding: string
  readonly subject: Subject
}

export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount'
  /** The user or group; for a ServiceAccount its user name. */
  readonly name: string
  /** As the binding names it. */
  readonly described: string
}

/** The grants of one subject, by role: however often a role is bound, it is read once. */
type Roles = Map<string, Set<Grant>>

const roleKey = ({ kind, name }: RoleRef): string => `${kind}/${name}`

/** The grants within one scope, by subject. */
class Scope {
  readonly #users = new Map<string, Roles>()
  readonly #groups = new Map<string, Roles>()

  add(grant: Grant): void {
    const map = this.#mapOf(grant)
    const roles: Roles = map.get(grant.subject.name) ?? new Map()
    map.set(grant.subject.name, roles)
    const same = roles.get(roleKey(grant.role))
    if (same === undefined) roles.set(roleKey(grant.role), new Set([grant]))
    else same.add(grant)
  }

  remove(grant: Grant): void {
    const map = this.#mapOf(grant)
    const roles = map.get(grant.subject.name)
    const same = roles?.get(roleKey(grant.role))
    same?.delete(grant)
    if (same?.size === 0) roles?.delete(roleKey(grant.role))
    if (roles?.size === 0) map.delete(grant.subject.name)
  }

  get isEmpty(): boolean {
    return this.#users.size === 0 && this.#groups.size === 0
  }

  /** Calls `visit` with what the caller holds, each role of a user or group once, until it gives true. */
  some({ name, groups }: Caller, visit: (grant: Grant) => boolean): boolean {
    if (someOf(this.#users.get(name), visit)) return true
    for (const group of groups) if (someOf(this.#groups.get(group), visit)) return true
    return false
  }

  #mapOf({ subject }: Grant): Map<string, Roles> {
    return subject.kind === 'Group' ? this.#groups : this.#users
  }
}

function someOf(roles: Roles | undefined, visit: (grant: Grant) => boolean): boolean {
  if (roles !== undefined)
    for (const grants of roles.values()) {
      const [first] = grants
      if (first !== undefined && visit(first)) return true
    }
  return false
}

/** The roles and bindings of the store, found by their subjects; follows the store as it changes. */
export class RuleResolver {
  readonly #roles = new Map<string, Role>()
  readonly #clusterRoles = new Map<string, Role>()
  readonly #grants = new Map<string, readonly Grant[]>()
  /** By namespace; those of the whole cluster under `''`. */
  readonly #scopes = new Map<string, Scope>()
  readonly #watches: readonly WatchHandle[]

  constructor(store: StoredObjects) {
    const follow = (
      bucket: string,
      put: (key: string, object: KubeObject) => void,
      drop: (key: string) => void,
    ): WatchHandle => {
      const watch = store.watch({ bucket }, ({ type, record }) =>
        type === 'deleted' ? drop(record.key) : put(record.key, record.object),
      )
      for (const { key, object } of store.latestIn(bucket, undefined)) put(key, object)
      return watch
    }
    const roles = (bucket: string, map: Map<string, Role>): WatchHandle =>
      follow(
        bucket,
        (key, object) => map.set(key, new Role(rulesOf(object))),
        (key) => map.delete(key),
      )
    const bindings = (bucket: string): WatchHandle =>
      follow(
        bucket,
        (key, object) => this.#bind(`${bucket}/${key}`, grantsOf(object)),
        (key) => this.#bind(`${bucket}/${key}`, []),
      )
    this.#watches = [
      roles(ROLES, this.#roles),
      roles(CLUSTER_ROLES, this.#clusterRoles),
      bindings(ROLE_BINDINGS),
      bindings(CLUSTER_ROLE_BINDINGS),
    ]
  }

  /** The role that a binding in `namespace` refers to. */
  role({ kind, name }: RoleRef, namespace: string): Role | undefined {
    if (kind === 'ClusterRole') return this.#clusterRoles.get(name)
    return kind === 'Role' ? this.#roles.get(`${namespace}/${name}`) : undefined
  }

  /** Calls `visit` with every grant that holds for the caller in a namespace (`''`: cluster-wide ones) until it gives true. */
  someGrant(caller: Caller, namespace: string, visit: (grant: Grant) => boolean): boolean {
    if (this.#scopes.get('')?.some(caller, visit) === true) return true
    return namespace !== '' && this.#scopes.get(namespace)?.some(caller, visit) === true
  }

  stop(): void {
    for (const watch of this.#watches) watch.close()
  }

  #bind(binding: string, grants: readonly Grant[]): void {
    for (const grant of this.#grants.get(binding) ?? []) {
      const scope = this.#scopes.get(grant.namespace)
      scope?.remove(grant)
      if (scope?.isEmpty === true) this.#scopes.delete(grant.namespace)
    }
    if (grants.length === 0) this.#grants.delete(binding)
    else this.#grants.set(binding, grants)
    for (const grant of grants) {
      const scope = this.#scopes.get(grant.namespace) ?? new Scope()
      this.#scopes.set(grant.namespace, scope)
      scope.add(grant)
    }
  }
}

function grantsOf(binding: RoleBinding | ClusterRoleBinding): readonly Grant[] {
  const { name = '', namespace = '' } = binding.metadata
  const role = roleRefOf(binding)
  return objectsOf(binding.subjects).map((subject) => ({
    role,
    namespace,
    binding: name,
    subject: subjectOf(subject, namespace),
  }))
}

export function roleRefOf(binding: RoleBinding | ClusterRoleBinding): RoleRef {
  const role = objectOf(binding.roleRef)
  return { kind: textOf(role.kind), name: textOf(role.name) }
}

function subjectOf(subject: BoundSubject, bindingNamespace: string): Subject {
  const name = textOf(subject.name)
  if (subject.kind !== 'ServiceAccount') {
    const kind = subject.kind === 'Group' ? 'Group' : 'User'
    return { kind, name, described: `${kind} ${JSON.stringify(name)}` }
  }
  const namespace = textOf(subject.namespace) || bindingNamespace
  return {
    kind: 'ServiceAccount',
    name: `system:serviceaccount:${namespace}:${name}`,
    described: `ServiceAccount ${JSON.stringify(`${name}/${namespace}`)}`,
  }
}
