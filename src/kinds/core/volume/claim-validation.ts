import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
} from '../../../builtin/core-v1.ts'
import { append, type FieldError, forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { isDNS1123Subdomain } from '../../../machinery/names.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { validateLabelSelector } from '../../../machinery/selector/label.ts'
import type { Quantity } from '../../../quantity/quantity.ts'
import { amountOf } from '../../rule/quantity-field.ts'
import { set, setOrDrop } from '../../rule/change.ts'
import { sourcesDiffer } from './claim-source.ts'
import { semanticallyEqual } from '../../rule/equality.ts'
import { absent, blank, objectOf, specOf, statusOf, textOf, textsOf } from '../../../machinery/read.ts'
import { needed, obeysIfSet } from '../../rule/value.ts'
import { validateAmount } from '../container/resource-requirements.ts'
import { labelSelectorOf } from '../../rule/label-selector.ts'
import { CLASS_ANNOTATION } from './class-annotation.ts'

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
const VOLUME_MODES = ['Block', 'Filesystem']

/** Returns the storage that a claim requests, in bytes; undefined if it requests none. */
const requestOf = (spec: PersistentVolumeClaimSpec): Quantity | undefined =>
  amountOf(objectOf(objectOf(spec.resources).requests).storage)

/** Access modes of claims and volumes. */
export function validateAccessModes(spec: PersistentVolumeSpec, path: string): readonly FieldError[] {
  const modes = textsOf(spec.accessModes)
  const errors: FieldError[] = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported(`${path}.accessModes`, mode, ACCESS_MODES))
  if (modes.includes('ReadWriteOncePod') && new Set(modes).size > 1) {
    errors.push(forbidden(`${path}.accessModes`, 'may not use ReadWriteOncePod with other access modes'))
  }
  return errors
}

export function validateVolumeMode(spec: PersistentVolumeSpec, path: string): readonly FieldError[] {
  const mode = textOf(spec.volumeMode)
  return blank(mode) || VOLUME_MODES.includes(mode) ? [] : [notSupported(`${path}.volumeMode`, mode, VOLUME_MODES)]
}

/** The errors in a claim's spec, in a claim or a template (core `ValidatePersistentVolumeClaimSpec`). */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (textsOf(spec.accessModes).length === 0) {
    errors.push(required(`${path}.accessModes`, 'at least 1 access mode is required'))
  }
  append(errors, validateLabelSelector(labelSelectorOf(spec.selector), `${path}.selector`))
  append(errors, validateAccessModes(spec, path))
  const request = requestOf(spec)
  const at = `${path}.resources[storage]`
  if (request === undefined) errors.push(required(at))
  else if (request.sign() <= 0) errors.push(invalid(at, request.toString(), 'must be greater than zero'))
  else append(errors, validateAmount('storage', request, at))
  const className = textOf(spec.storageClassName)
  if (className !== '')
    for (const text of isDNS1123Subdomain(className)) errors.push(invalid(`${path}.storageClassName`, className, text))
  append(errors, validateVolumeMode(spec, path))
  append(errors, validateSources(spec, path))
  append(errors, obeysIfSet(spec.volumeAttributesClassName, isDNS1123Subdomain, `${path}.volumeAttributesClassName`))
  return errors
}

/** Of what a claim is filled, in the older field and the newer one (core `validateDataSource`). */
function validateSources(spec: PersistentVolumeClaimSpec, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const field of ['dataSource', 'dataSourceRef'] as const) {
    if (absent(spec[field])) continue
    const source = objectOf(spec[field])
    const at = `${path}.${field}`
    const kind = textOf(source.kind)
    append(errors, [...needed(source.name, `${at}.name`), ...needed(kind, `${at}.kind`)])
    if (blank(source.apiGroup) && kind !== 'PersistentVolumeClaim')
      errors.push(invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
    append(errors, obeysIfSet(source.apiGroup, isDNS1123Subdomain, `${at}.apiGroup`))
  }
  // Printed is the place of a field as the server holds it, which shows nothing of itself.
  const elsewhere = !blank(objectOf(spec.dataSourceRef).namespace)
  if (elsewhere && !absent(spec.dataSource))
    errors.push(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'))
  else if (sourcesDiffer(spec)) errors.push(invalid(path, {}, 'must match dataSourceRef'))
  return errors
}

/** The errors in a claim's new status (core `ValidatePersistentVolumeClaimStatusUpdate`). */
export function validateClaimStatus(object: PersistentVolumeClaim): readonly FieldError[] {
  return Object.entries(objectOf(statusOf(object).capacity)).flatMap(([name, text]) => {
    const amount = amountOf(text)
    return amount !== undefined && amount.sign() < 0
      ? [invalid(`status.capacity[${name}]`, Number(amount.value()), 'must be a valid resource quantity')]
      : []
  })
}

/** A claim's spec stands once made: only its size, the volume it binds to and its attributes class may change. */
export function validateClaimUpdate(object: PersistentVolumeClaim, old: PersistentVolumeClaim): readonly FieldError[] {
  const spec = specOf(object)
  const before = specOf(old)
  const errors: FieldError[] = []
  const className = object.metadata.annotations?.[CLASS_ANNOTATION] ?? ''
  if (className !== (old.metadata.annotations?.[CLASS_ANNOTATION] ?? ''))
    errors.push(invalid(`metadata.annotations.${CLASS_ANNOTATION}`, className, 'field is immutable'))
  if (!semanticallyEqual(withChangeable(object, old), before)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    errors.push(forbidden('spec', detail))
  }
  append(errors, validateShrinking(object, old))
  if (!semanticallyEqual(spec.volumeMode, before.volumeMode)) {
    errors.push(invalid('volumeMode', spec.volumeMode ?? null, 'field is immutable'))
  }
  if (!absent(before.volumeAttributesClassName) && blank(spec.volumeAttributesClassName)) {
    const what = absent(spec.volumeAttributesClassName) ? 'nil' : 'an empty string'
    errors.push(forbidden('spec.volumeAttributesClassName', `update from non-nil value to ${what} is forbidden`))
  }
  return errors
}

/** The new spec with what may change put back to what it was. */
function withChangeable(object: PersistentVolumeClaim, old: PersistentVolumeClaim): JsonObject {
  const before = specOf(old)
  const isBound = statusOf(object).phase === 'Bound'
  let munged = specOf(object)
  if (isBound && !absent(munged.volumeAttributesClassName)) {
    munged = setOrDrop(munged, 'volumeAttributesClassName', before.volumeAttributesClassName)
  }
  if (blank(before.volumeName)) munged = setOrDrop(munged, 'volumeName', before.volumeName)
  // A class is given afterwards to claims that asked for none, once there is a default one.
  const unclassed = absent(before.storageClassName) && old.metadata.annotations?.[CLASS_ANNOTATION] === undefined
  if (unclassed) munged = setOrDrop(munged, 'storageClassName', before.storageClassName)
  const resources = objectOf(munged.resources)
  if (!isBound || absent(resources.requests)) return munged
  const requests = setOrDrop(
    objectOf(resources.requests),
    'storage',
    objectOf(objectOf(before.resources).requests).storage,
  )
  return set(munged, 'resources', set(resources, 'requests', requests))
}

/** A size may come down again only while the volume has not yet grown to it. */
function validateShrinking(object: PersistentVolumeClaim, old: PersistentVolumeClaim): readonly FieldError[] {
  const after = requestOf(specOf(object))
  const before = requestOf(specOf(old))
  if (after === undefined || before === undefined || after.cmp(before) >= 0) return []
  const capacity = amountOf(objectOf(statusOf(old).capacity).storage)
  if (capacity === undefined || after.cmp(capacity) > 0) return []
  return [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')]
}
