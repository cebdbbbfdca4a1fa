import { append, areEnough, type FieldError, invalid, required } from '../../machinery/field-error.ts'
import type { ObjectMeta } from '../../machinery/object.ts'
import { isDNS1123Label, isDNS1123Subdomain, isQualifiedName } from '../../machinery/names.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { INTEGER_NAMES, isNativeName, isStandardName, isStandardQuotaName } from './resource-names.ts'
import type { QuantityTexts, ResourceQuota, ResourceQuotaSpec } from './resource-quota.ts'
import { validateScopes, validateScopeSelector } from './validate-scopes.ts'

/**
 * The errors in a ResourceQuota that is to be created (upstream `ValidateResourceQuota`). Errors
 * come in the order name, namespace, amounts (names sorted; upstream's order is random), scopes, selector. Labels,
 * annotations and the rest of the metadata are validated by the server of the kind.
 */
export function validateResourceQuota(quota: ResourceQuota): FieldError[] {
  return [...validateNames(quota.metadata), ...validateResourceQuotaSpec(quota.spec)]
}

/** The errors in a spec, under the path `spec`. */
export function validateResourceQuotaSpec(spec: ResourceQuotaSpec | undefined): FieldError[] {
  const names = Object.keys(spec?.hard ?? {}).toSorted()
  return [
    ...validateAmounts(spec?.hard ?? {}, 'spec.hard'),
    ...validateScopes(spec?.scopes ?? [], names, 'spec.scopes'),
    ...validateScopeSelector(spec, names, 'spec.scopeSelector'),
  ]
}

/** The errors in replacing one quota by another: the scopes are fixed as a set, all else may change. */
export function validateResourceQuotaUpdate(quota: ResourceQuota, old: ResourceQuota): FieldError[] {
  const scopes = quota.spec?.scopes ?? []
  const same = new Set(scopes).symmetricDifference(new Set(old.spec?.scopes ?? [])).size === 0
  return [
    ...validateResourceQuotaSpec(quota.spec),
    ...(same ? [] : [invalid('spec.scopes', scopes, 'field is immutable')]),
  ]
}

/** The errors in a new status; unlike the spec it is never written without saying which version it is based on. */
export function validateResourceQuotaStatusUpdate(quota: ResourceQuota): FieldError[] {
  const version = quota.metadata.resourceVersion ?? ''
  return [
    ...(version === '' ? [required('resourceVersion')] : []),
    ...validateAmounts(quota.status?.hard ?? {}, 'status.hard'),
    ...validateAmounts(quota.status?.used ?? {}, 'status.used'),
  ]
}

function validateNames({ name = '', generateName = '', namespace = '' }: ObjectMeta): FieldError[] {
  return [
    ...(name === '' && generateName === '' ? [required('metadata.name', 'name or generateName is required')] : []),
    ...(name === '' ? [] : isDNS1123Subdomain(name).map((detail) => invalid('metadata.name', name, detail))),
    ...(namespace === '' ? [required('metadata.namespace')] : []),
    ...(namespace === ''
      ? []
      : isDNS1123Label(namespace).map((detail) => invalid('metadata.namespace', namespace, detail))),
  ]
}

/** The errors in the amounts of a spec or a status, which stand under `path`. */
export function validateAmounts(amounts: QuantityTexts, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of Object.keys(amounts).toSorted()) {
    if (areEnough(errors)) break
    const field = `${path}[${name}]`
    append(errors, validateName(name, field))
    append(errors, validateAmount(name, amounts[name], field))
  }
  return errors
}

function validateName(name: string, field: string): FieldError[] {
  const malformed = isQualifiedName(name)
  const errors = malformed.map((detail) => invalid(field, name, detail))
  if (name.includes('/')) return errors
  if (malformed.length === 0 && !isStandardName(name)) {
    errors.push(invalid(field, name, 'must be a standard resource type or fully qualified'))
  }
  if (!isStandardQuotaName(name)) errors.push(invalid(field, name, 'must be a standard resource for quota'))
  return errors
}

function validateAmount(name: string, text: string | undefined, field: string): FieldError[] {
  const amount = parsed(text)
  if (amount instanceof QuantityError) return [invalid(field, text, amount.message)]
  const shown = amount.canonical()
  const errors: FieldError[] = []
  if (amount.sign() < 0) errors.push(invalid(field, shown, 'must be greater than or equal to 0'))
  if (mustBeWhole(name) && amount.milliValue() % 1000n !== 0n) errors.push(invalid(field, shown, 'must be an integer'))
  return errors
}

/** Amounts are decoded before they are validated; a validation without decoding reports the decoder's message as an error. */
function parsed(text: unknown): Quantity | QuantityError {
  try {
    return Quantity.fromJson(text)
  } catch (error) {
    if (error instanceof QuantityError) return error
    throw error
  }
}

/** Counts are whole, and so are extended resources, which here is every foreign name but `requests.…` ones. */
export function mustBeWhole(name: string): boolean {
  if (INTEGER_NAMES.has(name)) return true
  return !isNativeName(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0
}
