import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { forbidden, type GroupResource, notFound } from '../../machinery/status.ts'
import type { AdmissionPlugin } from './chain.ts'
import type { WriteReview } from '../storing/review.ts'
import { type Caller, MASTERS } from '../../machinery/caller.ts'
import type { Authorizer } from '../auth/rule/authorizer.ts'
import { type PolicyRule, rulesOf } from '../auth/rule/policy-rule.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, roleRefOf, ROLES } from '../auth/rule/resolver.ts'
import { EVERYTHING, TooManyRules, uncovered } from '../auth/rule/cover.ts'
import { describeRules, quotedList } from '../auth/rule/description.ts'

/** So many bindings to roles that are missing are named in a refusal. */
const MOST_ERRORS = 20
const TOO_MANY =
  'its rules, or those that its author holds, are too many to be compared: grant fewer at once, or have somebody with the verb escalate or bind grant them'
const GROUP = 'rbac.authorization.k8s.io'

/**
 * Nobody grants what they do not hold (upstream's policy-based storage of RBAC): not by writing a role, unless the verb
 * `escalate` on it is theirs, nor by binding one, unless `bind` is. Last in the chain, so that it sees what will be stored.
 */
export function escalationGuard(authorizer: Authorizer): AdmissionPlugin {
  const checks: Readonly<Record<string, (review: WriteReview) => void>> = {
    [ROLES]: (review) => guardRole(authorizer, review),
    [CLUSTER_ROLES]: (review) => guardRole(authorizer, review),
    [ROLE_BINDINGS]: (review) => guardBinding(authorizer, review),
    [CLUSTER_ROLE_BINDINGS]: (review) => guardBinding(authorizer, review),
  }
  return {
    name: 'RoleEscalation',
    mutate: (review) => {
      const check = Object.hasOwn(checks, review.resource.bucket) ? checks[review.resource.bucket] : undefined
      if (check !== undefined && !review.caller.groups.includes(MASTERS) && !isForCollector(review)) check(review)
      return review.object
    },
  }
}

function guardRole(
  authorizer: Authorizer,
  { caller, resource, namespace, name, operation, object }: WriteReview,
): void {
  const action = {
    type: 'resource' as const,
    verb: 'escalate',
    ...resource.id,
    subresource: '',
    namespace,
    name: operation === 'CREATE' ? '' : name,
  }
  if (authorizer.decide(caller, action).allowed) return
  demandHeld(authorizer, caller, namespace, rulesOf(object), resource.id, object)
  const aggregates = object['aggregationRule'] !== undefined && object['aggregationRule'] !== null
  if (aggregates && missingOf(authorizer.rulesFor(caller, '').rules, EVERYTHING, resource.id, object).length > 0)
    throw forbidden(resource.id, nameOf(object), 'must have cluster-admin privileges to use the aggregationRule')
}

function guardBinding(authorizer: Authorizer, { caller, resource, namespace, object }: WriteReview): void {
  const role = roleRefOf(object)
  const of: GroupResource = { group: GROUP, resource: role.kind === 'Role' ? 'roles' : 'clusterroles' }
  const bind = { type: 'resource' as const, verb: 'bind', ...of, subresource: '', namespace, name: role.name }
  if (authorizer.decide(caller, bind).allowed) return
  const rules = authorizer.rulesOfRole(role, namespace)
  if (rules === undefined) throw notFound(of, role.name)
  demandHeld(authorizer, caller, namespace, rules, resource.id, object)
}

/** Throws 403, with what is missing, unless the caller holds every one of the rules in the namespace. */
function demandHeld(
  authorizer: Authorizer,
  caller: Caller,
  namespace: string,
  rules: readonly PolicyRule[],
  of: GroupResource,
  object: KubeObject,
): void {
  const held = authorizer.rulesFor(caller, namespace)
  const missing = missingOf(held.rules, rules, of, object)
  if (missing.length === 0) return
  const who = `user ${JSON.stringify(caller.name)} (groups=${quotedList(caller.groups)})`
  const errors = held.errors.slice(0, MOST_ERRORS)
  const unresolved = errors.length === 0 ? '' : `; resolution errors: [${errors.join(' ')}]`
  throw forbidden(
    of,
    nameOf(object),
    `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}${unresolved}`,
  )
}

/** `uncovered`; throws 403 where that cannot be found out in bounded time, as nobody may be given what was not checked. */
function missingOf(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  of: GroupResource,
  object: KubeObject,
): readonly PolicyRule[] {
  try {
    return uncovered(held, wanted)
  } catch (error) {
    if (!(error instanceof TooManyRules)) throw error
    throw forbidden(of, nameOf(object), TOO_MANY)
  }
}

/** Does an update change nothing but finalizers and owners? That grants nothing, and lets a role be deleted by anyone who may. */
function isForCollector({ object, oldObject }: WriteReview): boolean {
  return oldObject !== undefined && jsonEqual(withoutTies(object), withoutTies(oldObject))
}

function withoutTies(object: KubeObject): KubeObject {
  const { finalizers: _finalizers, ownerReferences: _owners, managedFields: _managed, ...metadata } = object.metadata
  return { ...object, metadata }
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''
