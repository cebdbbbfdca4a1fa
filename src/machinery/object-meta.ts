import { wholeNumber } from './json-value.ts'
import { append, forbidden, invalid, required } from './field-error.ts'
import type { FieldError } from './field-error.ts'
import { validateManagedFields } from './field-manager.ts'
import { validateAnnotations, validateLabels } from './label-map.ts'
import { isQualifiedName, labelName } from './names.ts'
import type { NameRule } from './names.ts'
import type { ObjectMeta, OwnerReference } from './object.ts'

export interface ObjectMetaRules {
  /** Does the kind live in namespaces? If not, `metadata.namespace` is forbidden. */
  readonly namespaced: boolean
  readonly nameRule: NameRule
  /** The field path of the metadata, `metadata` unless said otherwise. */
  readonly path?: string
}

const IMMUTABLE = 'field is immutable'

/**
 * The errors in the metadata of a new object (apimachinery `ValidateObjectMeta`). A name must have been generated
 * from `generateName` and the namespace filled in before.
 */
export function validateObjectMeta(
  meta: ObjectMeta,
  { namespaced, nameRule, path = 'metadata' }: ObjectMetaRules,
): FieldError[] {
  const name = meta.name ?? ''
  const generateName = meta.generateName ?? ''
  const generation = meta.generation ?? 0
  const errors: FieldError[] = []
  if (generateName !== '') {
    append(
      errors,
      nameRule(generateName, true).map((text) => invalid(`${path}.generateName`, generateName, text)),
    )
  }
  if (name === '') errors.push(required(`${path}.name`, 'name or generateName is required'))
  else
    append(
      errors,
      nameRule(name, false).map((text) => invalid(`${path}.name`, name, text)),
    )
  append(errors, validateNamespace(meta.namespace ?? '', namespaced, `${path}.namespace`))
  if ((wholeNumber(generation) ?? 0n) < 0n)
    errors.push(invalid(`${path}.generation`, generation, 'must be greater than or equal to 0'))
  append(errors, [
    ...validateLabels(meta.labels, `${path}.labels`),
    ...validateAnnotations(meta.annotations, `${path}.annotations`),
    ...validateOwnerReferences(meta.ownerReferences, `${path}.ownerReferences`),
    ...validateFinalizers(meta.finalizers, `${path}.finalizers`),
    ...validateManagedFields(meta.managedFields, `${path}.managedFields`),
  ])
  return errors
}

/**
 * The errors in the metadata of an update (apimachinery `ValidateObjectMetaUpdate`). For an update without
 * `resourceVersion` the caller fills in the stored one before, where the kind allows that.
 */
export function validateObjectMetaUpdate(updated: ObjectMeta, old: ObjectMeta, path = 'metadata'): FieldError[] {
  const errors: FieldError[] = []
  if ((old.deletionTimestamp ?? null) !== null) {
    append(errors, validateNoNewFinalizers(updated.finalizers, old.finalizers, `${path}.finalizers`))
  }
  if ((updated.resourceVersion ?? '') === '') {
    errors.push(invalid(`${path}.resourceVersion`, '', 'must be specified for an update'))
  }
  const generation = updated.generation ?? 0
  if (generation < (old.generation ?? 0)) {
    errors.push(invalid(`${path}.generation`, generation, 'must not be decremented'))
  }
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const value = updated[field] ?? ''
    if (value !== (old[field] ?? '')) errors.push(invalid(`${path}.${field}`, value, IMMUTABLE))
  }
  for (const field of ['creationTimestamp', 'deletionTimestamp'] as const) {
    const value = updated[field] ?? null
    if (!isSameTime(value, old[field] ?? null)) errors.push(invalid(`${path}.${field}`, value, IMMUTABLE))
  }
  const grace = updated.deletionGracePeriodSeconds ?? null
  if (grace !== (old.deletionGracePeriodSeconds ?? null)) {
    errors.push(invalid(`${path}.deletionGracePeriodSeconds`, grace, IMMUTABLE))
  }
  append(errors, [
    ...validateLabels(updated.labels, `${path}.labels`),
    ...validateAnnotations(updated.annotations, `${path}.annotations`),
    ...validateOwnerReferences(updated.ownerReferences, `${path}.ownerReferences`),
    ...validateManagedFields(updated.managedFields, `${path}.managedFields`),
  ])
  return errors
}

/** The errors in owner references at `path`; as upstream does it, errors carry no index (`ValidateOwnerReferences`). */
export function validateOwnerReferences(references: readonly OwnerReference[] | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  let controller: string | undefined
  for (const reference of references ?? []) {
    append(errors, validateOwnerReference(reference, path))
    if (reference.controller !== true) continue
    const owner = `${reference.kind}/${reference.name}`
    if (controller === undefined) controller = owner
    else {
      const found = `Found "true" in references for ${controller} and ${owner}`
      errors.push(invalid(path, references, `Only one reference can have Controller set to true. ${found}`))
    }
  }
  return errors
}

function validateOwnerReference(reference: OwnerReference, path: string): FieldError[] {
  const apiVersion = reference.apiVersion ?? ''
  const errors: FieldError[] = []
  if (!/^([^/]*\/)?[^/]+$/.test(apiVersion)) {
    errors.push(invalid(`${path}.apiVersion`, apiVersion, 'version must not be empty'))
  }
  for (const field of ['kind', 'name', 'uid'] as const) {
    if ((reference[field] ?? '') === '') errors.push(invalid(`${path}.${field}`, '', 'must not be empty'))
  }
  // Events come and go by the thousand: what they owned would go with them.
  if (reference.kind === 'Event' && (apiVersion === 'v1' || apiVersion === '/v1')) {
    errors.push(invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner'))
  }
  return errors
}

/** The errors in finalizers at `path` (apimachinery `ValidateFinalizers`): qualified names, not both ways of deletion. */
export function validateFinalizers(finalizers: readonly string[] | undefined, path: string): FieldError[] {
  const list = finalizers ?? []
  const errors = list.flatMap((finalizer) => isQualifiedName(finalizer).map((text) => invalid(path, finalizer, text)))
  if (list.includes('orphan') && list.includes('foregroundDeletion')) {
    errors.push(invalid(path, list, 'finalizer orphan and foregroundDeletion cannot be both set'))
  }
  return errors
}

/**
 * The stricter rule for the kinds of the core group: a finalizer without a domain must be one of the standard ones.
 * Holds on create and update, besides the other rules.
 */
export function validateCoreFinalizers(finalizers: readonly string[] | undefined, path: string): FieldError[] {
  return (finalizers ?? []).flatMap((finalizer, index) =>
    finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)
      ? []
      : [
          invalid(
            `${path}[${index}]`,
            finalizer,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  )
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

function validateNoNewFinalizers(
  updated: readonly string[] | undefined,
  old: readonly string[] | undefined,
  path: string,
): FieldError[] {
  const added = [...new Set(updated).difference(new Set(old))].toSorted()
  if (added.length === 0) return []
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ')
  const found = `found new finalizers []string{${list}}`
  return [forbidden(path, `no new finalizers can be added if the object is being deleted, ${found}`)]
}

function validateNamespace(namespace: string, namespaced: boolean, path: string): FieldError[] {
  if (!namespaced) return namespace === '' ? [] : [forbidden(path, 'not allowed on this type')]
  if (namespace === '') return [required(path)]
  return labelName(namespace, false).map((text) => invalid(path, namespace, text))
}

/** The same instant may be written in two ways. */
function isSameTime(a: string | null, b: string | null): boolean {
  return a === b || (a !== null && b !== null && Date.parse(a) === Date.parse(b))
}
