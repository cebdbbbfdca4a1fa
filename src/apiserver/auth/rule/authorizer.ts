import type { StoredObjects } from '../../storing/stored-objects.ts'
import { type Caller, MASTERS } from '../../../machinery/caller.ts'
import { type Action, forbiddenAction } from '../request/action.ts'
import { type PolicyRule, type Role, targetOf } from './policy-rule.ts'
import { type Grant, RuleResolver, type RoleRef } from './resolver.ts'

/** The decision on an action; `reason` names the binding that allowed it, or the problem of a binding. */
export interface AccessDecision {
  readonly allowed: boolean
  readonly reason: string
}

/** The rules of a caller in a namespace, and the problems in finding them. */
export interface CallerRules {
  readonly rules: readonly PolicyRule[]
  readonly errors: readonly string[]
}

/** Paths that any user may get, such as load balancers and supervisors (upstream's `always-allow-paths`), with their parts. */
const OPEN_PATH = /^\/(healthz|livez|readyz)(\/|$)/

/** More are neither listed nor compared: roles of a megabyte each could be bound to one user by the hundred. */
const MOST_VALUES = 1_000_000

const UNCONDITIONAL: AccessDecision = { allowed: true, reason: '' }
const REFUSED: AccessDecision = { allowed: false, reason: '' }

/** Authorizes users: administrators may do everything, others what the roles that are bound to them allow. */
export class Authorizer {
  readonly #book: RuleResolver

  constructor(store: StoredObjects) {
    this.#book = new RuleResolver(store)
  }

  decide(caller: Caller, action: Action): AccessDecision {
    if (caller.groups.includes(MASTERS)) return UNCONDITIONAL
    if (action.type === 'path' && OPEN_PATH.test(action.path)) return UNCONDITIONAL
    const target = targetOf(action)
    let granted: Grant | undefined
    let missing: string[] | undefined
    const allowed = this.#book.someGrant(caller, action.type === 'resource' ? action.namespace : '', (grant) => {
      const role = this.#book.role(grant.role, grant.namespace)
      if (role === undefined) (missing ??= []).push(notFound(grant.role))
      else if (role.allows(action, target)) granted = grant
      return granted !== undefined
    })
    if (allowed && granted !== undefined) return allowedBy(granted)
    return missing === undefined ? REFUSED : { allowed: false, reason: `RBAC: ${aggregate(missing)}` }
  }

  /** Throws 403 unless the caller may do it. */
  demand(caller: Caller, action: Action): void {
    if (caller.groups.includes(MASTERS)) return
    const { allowed, reason } = this.decide(caller, action)
    if (!allowed) throw forbiddenAction(caller, action, reason)
  }

  /**
   * All rules that hold for the caller in a namespace, those of each role once; `''` asks for the cluster-wide ones. Once they
   * have `mostValues` values, no more are collected, and an error says so.
   */
  rulesFor(caller: Caller, namespace: string, mostValues = MOST_VALUES): CallerRules {
    const rules: PolicyRule[] = []
    const errors = new Set<string>()
    const seen = new Set<Role>()
    let values = 0
    this.#book.someGrant(caller, namespace, (grant) => {
      const role = this.#book.role(grant.role, grant.namespace)
      if (role === undefined) errors.add(notFound(grant.role))
      else if (!seen.has(role)) {
        seen.add(role)
        for (const rule of role.rules) rules.push(rule)
        values += role.values
      }
      if (values <= mostValues) return false
      errors.add(`the rules hold more than ${mostValues} values: there may be more than these`)
      return true
    })
    return { rules, errors: [...errors] }
  }

  /** The rules of the role that a binding in `namespace` would grant; undefined when there is no such role. */
  rulesOfRole(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#book.role(role, namespace)?.rules
  }

  stop(): void {
    this.#book.stop()
  }
}

/** The sentence is made only when somebody reads it. */
function allowedBy({ binding, namespace, role, subject }: Grant): AccessDecision {
  return {
    allowed: true,
    get reason() {
      const by =
        namespace === ''
          ? `ClusterRoleBinding ${JSON.stringify(binding)}`
          : `RoleBinding ${JSON.stringify(`${binding}/${namespace}`)}`
      return `RBAC: allowed by ${by} of ${role.kind} ${JSON.stringify(role.name)} to ${subject.described}`
    },
  }
}

const notFound = ({ kind, name }: RoleRef): string =>
  `${kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`

/** Several errors as one text, as upstream joins them. */
export function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}
