import { type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { CONFLICTING_SCOPES, EXISTS_ONLY_SCOPES, isStandardQuotaName, SCOPE_NAMES } from './resource-names.ts'
import type { ResourceQuotaSpec, ScopeRequirement } from './resource-quota.ts'

const UNSUPPORTED = 'unsupported scope'
const NOT_FOR_RESOURCE = 'unsupported scope applied to resource'
const CONFLICTING = 'conflicting scopes'
const EXISTS_ONLY =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
const NEEDS_VALUES = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
const TAKES_NO_VALUES = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"

/** The errors in `spec.scopes`, given the names in `spec.hard` (sorted). The bad value is always the whole list. */
export function validateScopes(scopes: readonly string[], names: readonly string[], path: string): FieldError[] {
  const errors = scopes.flatMap((scope) => [
    ...(SCOPE_NAMES.has(scope) ? [] : [invalid(path, scopes, UNSUPPORTED)]),
    ...notAllowed(scope, names).map(() => invalid(path, scopes, NOT_FOR_RESOURCE)),
  ])
  return [...errors, ...conflicts(scopes).map(() => invalid(path, scopes, CONFLICTING))]
}

/** The errors in `spec.scopeSelector`. Paths carry no list index, as upstream's do not. */
export function validateScopeSelector(
  spec: ResourceQuotaSpec | undefined,
  names: readonly string[],
  path: string,
): FieldError[] {
  const selector = spec?.scopeSelector
  if (selector === undefined || selector === null) return []
  const requirements = selector.matchExpressions ?? []
  const field = `${path}.matchExpressions`
  const errors = requirements.flatMap((requirement) => [
    ...(SCOPE_NAMES.has(requirement.scopeName)
      ? []
      : [invalid(`${field}.scopeName`, requirement.scopeName ?? '', UNSUPPORTED)]),
    ...notAllowed(requirement.scopeName, names).map(() => invalid(field, asGoStruct(requirements), NOT_FOR_RESOURCE)),
    ...validateOperator(requirement, field),
  ])
  const conflicting = conflicts(requirements.map((requirement) => requirement.scopeName))
  return [...errors, ...conflicting.map(() => invalid(field, spec?.scopes, CONFLICTING))]
}

function validateOperator({ scopeName, operator = '', values = [] }: ScopeRequirement, field: string): FieldError[] {
  const errors: FieldError[] = []
  if (EXISTS_ONLY_SCOPES.has(scopeName) && operator !== 'Exists') {
    errors.push(invalid(`${field}.operator`, operator, EXISTS_ONLY))
  }
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.push(required(`${field}.values`, NEEDS_VALUES))
      return errors
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) errors.push(invalid(`${field}.values`, values, TAKES_NO_VALUES))
      return errors
    default:
      return [...errors, invalid(`${field}.operator`, operator, 'not a valid selector operator')]
  }
}

/** The standard names that a scope cannot limit; an unknown scope restricts nothing. */
function notAllowed(scope: string, names: readonly string[]): readonly string[] {
  const allowed = SCOPE_NAMES.get(scope)
  return allowed === undefined ? [] : names.filter((name) => isStandardQuotaName(name) && !allowed.has(name))
}

function conflicts(scopes: readonly string[]): readonly unknown[] {
  return CONFLICTING_SCOPES.filter((pair) => pair.every((scope) => scopes.includes(scope)))
}

/** Upstream prints its internal struct here, with Go's field names. */
function asGoStruct(requirements: readonly ScopeRequirement[]): unknown {
  return {
    MatchExpressions: requirements.map(({ scopeName, operator = '', values }) => ({
      ScopeName: scopeName,
      Operator: operator,
      Values: values ?? null,
    })),
  }
}
