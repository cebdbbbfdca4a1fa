import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
} from '../../builtin/apiextensions-v1.ts'
import { append, type FieldError, invalid, required, tooMany } from '../../machinery/field-error.ts'
import { isDNS1035Label, isDNS1123Subdomain } from '../../machinery/names.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { validateApproval } from './crd-approval.ts'
import { validateConversion } from './crd-conversion-validation.ts'
import {
  validateColumns,
  validateDeprecation,
  validateSchema,
  validateSelectable,
  validateSubresources,
} from './crd-version-validation.ts'
import { internalForm, shownVersions } from './crd-internal-form.ts'
import { absent, blank, listOf, objectOf, objectsOf, specOf, statusOf, textOf, textsOf } from '../../machinery/read.ts'
import { oneOf } from '../rule/value.ts'

const SCOPES = ['Cluster', 'Namespaced']
const NAMES = ['plural', 'singular', 'kind', 'listKind'] as const

/** The errors in a new CRD besides its metadata, its schemas included. */
export function validateCrd(object: CustomResourceDefinition): readonly FieldError[] {
  const spec = specOf(object)
  const wanted = `${textOf(objectOf(spec.names).plural)}.${textOf(spec.group)}`
  const { generateName, name } = object.metadata
  const misnamed = (field: string, text = ''): readonly FieldError[] =>
    text === '' || text === wanted
      ? []
      : [invalid(`metadata.${field}`, text, 'must be spec.names.plural+"."+spec.group')]
  return [
    ...misnamed('generateName', generateName),
    ...misnamed('name', name),
    ...validateSpec(spec),
    ...validateRest(object),
  ]
}

/** The errors in a CRD that replaces `old`. */
export function validateCrdUpdate(
  object: CustomResourceDefinition,
  old: CustomResourceDefinition,
): readonly FieldError[] {
  const [after, before] = [specOf(object), specOf(old)]
  const [names, namesBefore] = [objectOf(after.names), objectOf(before.names)]
  const errors: FieldError[] = [...validateSpec(after)]
  const keep = (path: string, value: unknown, stored: unknown): void => {
    if (value !== stored) errors.push(invalid(path, value, 'field is immutable'))
  }
  // The objects of an established CRD are stored by these fields.
  if (isEstablished(old)) {
    keep('spec.scope', after.scope, before.scope)
    keep('spec.names.kind', names.kind, namesBefore.kind)
  }
  keep('spec.group', after.group, before.group)
  keep('spec.names.plural', names.plural, namesBefore.plural)
  return [...errors, ...validateRest(object, old)]
}

/** The errors in a status that is written: only its names are looked at. */
export const validateCrdStatus = (object: CustomResourceDefinition): readonly FieldError[] =>
  validateNames(objectOf(statusOf(object).acceptedNames), 'status.acceptedNames')

export const isEstablished = (crd: CustomResourceDefinition): boolean =>
  objectsOf(statusOf(crd).conditions).some(({ type, status }) => type === 'Established' && status === 'True')

function validateRest(object: CustomResourceDefinition, old?: CustomResourceDefinition): readonly FieldError[] {
  const spec = specOf(object)
  const preserving =
    spec.preserveUnknownFields === true && (old === undefined || specOf(old).preserveUnknownFields !== true)
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [
    ...validateCrdStatus(object),
    ...validateStoredVersions(statusOf(object).storedVersions, objectsOf(spec.versions)),
    ...validateApproval(object, old),
    ...(preserving ? [invalid('spec.preserveUnknownFields', true, detail)] : []),
  ]
}

/**
 * Of versions, short names and categories upstream bounds none; every version repeats the names in discovery and can read
 * what every other one has stored.
 */
const MOST_ENTRIES = 256

function validateCounts(spec: CustomResourceDefinitionSpec): readonly FieldError[] {
  const names = objectOf(spec.names)
  const lists: Readonly<Record<string, unknown>> = {
    'spec.names.shortNames': names.shortNames,
    'spec.names.categories': names.categories,
    'spec.versions': spec.versions,
  }
  return Object.entries(lists).flatMap(([path, list]) => {
    const count = listOf(list).length
    return count > MOST_ENTRIES ? [tooMany(path, count, MOST_ENTRIES)] : []
  })
}

function validateSpec(spec: CustomResourceDefinitionSpec): readonly FieldError[] {
  const counts = validateCounts(spec)
  if (counts.length > 0) return counts
  const errors: FieldError[] = [
    ...validateGroup(textOf(spec.group)),
    ...oneOf(spec.scope, SCOPES, 'spec.scope'),
    ...validateVersions(spec.versions),
  ]
  const names = objectOf(spec.names)
  for (const key of NAMES) if (blank(names[key])) errors.push(required(`spec.names.${key}`))
  append(errors, validateNames(names, 'spec.names'))
  append(errors, validateShared(spec.versions))
  append(errors, validateConversion(spec.conversion, 'spec.conversion'))
  return errors
}

function validateGroup(group: string): readonly FieldError[] {
  if (group === '') return [required('spec.group')]
  const wrong = isDNS1123Subdomain(group)
  if (wrong.length > 0) return [invalid('spec.group', group, wrong.join(','))]
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')]
}

function validateVersions(list: unknown): readonly FieldError[] {
  const { shared, versions } = internalForm(list)
  const errors: FieldError[] = []
  if (absent(objectOf(shared.schema).openAPIV3Schema))
    versions.forEach((version, index) => {
      const path = `spec.versions[${index}].schema.openAPIV3Schema`
      if (absent(objectOf(version.schema).openAPIV3Schema)) errors.push(required(path, 'schemas are required'))
    })
  versions.forEach((version, index) => append(errors, validateVersion(version, shared, `spec.versions[${index}]`)))
  const names = versions.map(({ name }) => textOf(name))
  if (new Set(names).size < names.length)
    errors.push(invalid('spec.versions', shownVersions(list), 'must contain unique version names'))
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    const detail = 'must have exactly one version marked as storage version'
    errors.push(invalid('spec.versions', shownVersions(list), detail))
  }
  // The first version also stands for all of them in the older form, and is complained of once more.
  const [first = ''] = names
  return [...errors, ...(first === '' ? [] : validateLabel(first, 'spec.version'))]
}

function validateVersion(version: JsonObject, shared: JsonObject, path: string): readonly FieldError[] {
  const subresources = shared.subresources ?? version.subresources
  return [
    ...validateLabel(textOf(version.name), `${path}.name`),
    ...validateDeprecation(version, path),
    ...validateSchema(version.schema, hasStatus(subresources), `${path}.schema`),
    ...validateSubresources(version.subresources, `${path}.subresources`),
    ...validateColumns(version.additionalPrinterColumns, `${path}.additionalPrinterColumns`),
    ...validateSelectable(version.selectableFields, version.schema ?? shared.schema, `${path}.selectableFields`),
  ]
}

/** Returns the errors of the members that all versions share. */
function validateShared(list: unknown): readonly FieldError[] {
  const { shared, versions } = internalForm(list)
  const anyStatus = [shared, ...versions].some(({ subresources }) => hasStatus(subresources))
  return [
    ...validateSchema(shared.schema, anyStatus, 'spec.validation'),
    ...validateSubresources(shared.subresources, 'spec.subresources'),
    ...validateColumns(shared.additionalPrinterColumns, 'spec.additionalPrinterColumns'),
    ...validateSelectable(shared.selectableFields, shared.schema ?? versions[0]?.schema, 'spec.selectableFields'),
  ]
}

const hasStatus = (subresources: unknown): boolean => !absent(objectOf(subresources).status)

function validateNames(names: CustomResourceDefinitionNames, path: string): readonly FieldError[] {
  const { kind, listKind } = names
  const lists = (key: 'shortNames' | 'categories'): readonly FieldError[] =>
    textsOf(names[key]).flatMap((text, index) => validateLabel(text, `${path}.${key}[${index}]`))
  return [
    ...validateNamed(textOf(names.plural), `${path}.plural`),
    ...validateNamed(textOf(names.singular), `${path}.singular`),
    ...validateKind(textOf(kind), `${path}.kind`),
    ...validateKind(textOf(listKind), `${path}.listKind`),
    ...lists('shortNames'),
    ...(!blank(kind) && kind === listKind
      ? [invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...lists('categories'),
  ]
}

const validateNamed = (text: string, path: string): readonly FieldError[] =>
  text === '' ? [] : validateLabel(text, path)

function validateLabel(text: string, path: string): readonly FieldError[] {
  const wrong = isDNS1035Label(text)
  return wrong.length === 0 ? [] : [invalid(path, text, wrong.join(','))]
}

function validateKind(kind: string, path: string): readonly FieldError[] {
  const wrong = isDNS1035Label(kind.toLowerCase())
  if (kind === '' || wrong.length === 0) return []
  return [invalid(path, kind, `may have mixed case, but should otherwise match: ${wrong.join(',')}`)]
}

/** Versions that objects may still be stored in must stay, and the one that they are stored in now must be among them. */
function validateStoredVersions(list: unknown, versions: readonly JsonObject[]): readonly FieldError[] {
  const path = 'status.storedVersions'
  const stored = textsOf(list)
  if (stored.length === 0) return [invalid(path, list ?? null, 'must have at least one stored version')]
  const known = new Set(stored)
  const lacking = versions.filter(({ name, storage }) => storage === true && !known.has(textOf(name)))
  const defined = new Set(versions.map(({ name }) => name))
  const gone = stored.filter((one) => !defined.has(one))
  // Of a version that stands twice the first place is named.
  const places = new Map([...stored.entries()].toReversed().map(([index, one]) => [one, index]))
  return [
    ...lacking.map(({ name }) => invalid(path, stored, `must have the storage version ${textOf(name)}`)),
    ...gone.map((one) => invalid(`${path}[${places.get(one) ?? 0}]`, one, missing(one))),
  ]
}

const missing = (version: string): string =>
  `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`
