import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../builtin/admissionregistration-v1.ts'
import { type FieldError, forbidden } from '../../../machinery/field-error.ts'
import type { WriteReview } from '../../storing/review.ts'
import type { Caller } from '../../../machinery/caller.ts'
import { semanticallyEqual } from '../../../kinds/rule/equality.ts'
import { absent, objectOf, specOf, textOf } from '../../../machinery/read.ts'
import type { GuardedWorld } from './guarded-world.ts'

const ALL = '*'
/** Where the policies of bindings are, by the bindings' resource. */
const POLICIES: Readonly<Record<string, string>> = {
  validatingadmissionpolicybindings: 'validatingadmissionpolicies.admissionregistration.k8s.io',
  mutatingadmissionpolicybindings: 'mutatingadmissionpolicies.admissionregistration.k8s.io',
}

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy
type PolicyBinding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding

/**
 * A policy reads its parameters with the server's own rights, so its author must be able to read all objects of their kind
 * (admissionregistration `authorizeCreate` and `authorizeUpdate` of policies).
 */
export function guardParameterKind(
  world: GuardedWorld,
  { caller, object, oldObject }: WriteReview,
): readonly FieldError[] {
  const { paramKind } = specOf<Policy>(object)
  if (absent(paramKind)) return []
  if (oldObject !== undefined && semanticallyEqual(specOf<Policy>(oldObject).paramKind, paramKind)) return []
  const kind = objectOf(paramKind)
  const { group, resource } = parametersOf(world, kind)
  const action = { type: 'resource', verb: 'get', group, resource, subresource: '', namespace: ALL, name: ALL } as const
  if (world.authorizer.decide(caller, action).allowed) return []
  const { kind: name, apiVersion } = kind
  const which = `(kind=${textOf(name)}, apiVersion=${textOf(apiVersion)})`
  return [
    forbidden(
      'spec.paramKind',
      `user ${shown(caller)} must have "get" permission on all objects of the referenced paramKind ${which}`,
    ),
  ]
}

/**
 * A client that binds a policy to parameters must be able to read them: the named object, or a list of the selected ones
 * (`authorizeCreate` and `authorizeUpdate` of bindings). Without it the fields that the policy reads are not known: then everything counts.
 */
export function guardParameterReference(world: GuardedWorld, review: WriteReview): readonly FieldError[] {
  const { caller, object, oldObject, resource } = review
  const { paramRef, policyName } = specOf<PolicyBinding>(object)
  if (absent(paramRef)) return []
  const before = oldObject === undefined ? {} : specOf<PolicyBinding>(oldObject)
  if (oldObject !== undefined && before.policyName === policyName && semanticallyEqual(before.paramRef, paramRef))
    return []
  const policy = world.store.latest(POLICIES[resource.served.resource] ?? '', textOf(policyName))?.object
  const parameters = parametersOf(world, policy === undefined ? {} : objectOf(specOf<Policy>(policy).paramKind))
  const { name, namespace } = objectOf(paramRef)
  const verb = textOf(name) === '' ? 'list' : 'get'
  const action = {
    type: 'resource',
    verb,
    group: parameters.group,
    resource: parameters.resource,
    subresource: '',
    namespace: textOf(namespace),
    name: textOf(name),
  } as const
  if (world.authorizer.decide(caller, action).allowed) return []
  const who = `user ${shown(caller)} does not have "${verb}" permission`
  const unknown =
    policy === undefined
      ? `unable to get policy ${textOf(policyName)}`
      : parameters.problem === undefined
        ? undefined
        : `unable to ${parameters.problem} paramKind ${parameters.shown}`
  return [
    forbidden(
      'spec.paramRef',
      unknown === undefined
        ? `${who} on the object referenced by paramRef`
        : `${unknown} to determine minimum required permissions and ${who} for all groups, versions and resources`,
    ),
  ]
}

interface Parameters {
  readonly group: string
  readonly resource: string
  /** The step that failed in finding them. */
  readonly problem?: 'parse' | 'resolve'
  readonly shown: string
}

/** The resource of a kind of parameters; stars stand for what is not known. */
function parametersOf({ registry }: GuardedWorld, paramKind: ParamKind): Parameters {
  const [apiVersion, kind] = [textOf(paramKind['apiVersion']), textOf(paramKind['kind'])]
  const printed = `&{${apiVersion} ${kind}}`
  const parts = apiVersion.split('/')
  if (kind === '') return { group: ALL, resource: ALL, shown: printed }
  if (parts.length > 2) return { group: ALL, resource: ALL, problem: 'parse', shown: printed }
  const [group = '', version = ''] = parts.length === 1 ? ['', ...parts] : parts
  const found = registry
    .all()
    .find(({ served }) => served.group === group && served.version === version && served.kind === kind)
  return found === undefined
    ? { group, resource: ALL, problem: 'resolve', shown: printed }
    : { group, resource: found.served.resource, shown: printed }
}

/** A user as Go prints one: `&{name uid [groups] map[extra]}`. */
function shown({ name, uid = '', groups, extra = {} }: Caller): string {
  const more = Object.entries(extra)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${more.join(' ')}]}`
}
