import type { PersistentVolume, PersistentVolumeSpec } from '../../builtin/core-v1.ts'
import { append, type FieldError, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { isDNS1123Subdomain } from '../../machinery/names.ts'
import { validateNodeSelector } from '../core/affinity-validation.ts'
import { amountOf } from '../rule/quantity-field.ts'
import { validateAccessModes, validateVolumeMode } from '../core/volume/claim-validation.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { absent, isEmptyMap, listOf, objectOf, specOf, textOf } from '../../machinery/read.ts'
import { immutable } from '../core/pod/template-validation.ts'
import { obeys, obeysIfSet, oneOf } from '../rule/value.ts'
import { SOURCE_ORDER, validateSource } from '../core/volume/sources.ts'

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain']

/** The errors in a volume of its own (core `ValidatePersistentVolumeSpec`). */
export function validateVolume(object: PersistentVolume): readonly FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  if (listOf(spec.accessModes).length === 0) errors.push(required('spec.accessModes'))
  append(errors, validateAccessModes(spec, 'spec'))
  append(errors, validateCapacity(spec.capacity))
  append(errors, oneOf(spec.persistentVolumeReclaimPolicy, RECLAIM_POLICIES, 'spec.persistentVolumeReclaimPolicy'))
  append(errors, validateNodeAffinity(spec.nodeAffinity))
  append(errors, validateSource('persistent', spec, 'spec', { volume: object.metadata.name ?? '', pod: '' }))
  if (!absent(spec.local) && absent(spec.nodeAffinity))
    errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'))
  const path = textOf(objectOf(spec.hostPath).path)
  if (path !== '' && isRoot(path) && spec.persistentVolumeReclaimPolicy === 'Recycle')
    errors.push(forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'"))
  append(errors, obeysIfSet(spec.storageClassName, isDNS1123Subdomain, 'spec.storageClassName'))
  append(errors, validateVolumeMode(spec, 'spec'))
  append(errors, validateAttributesClass(spec))
  return errors
}

function validateCapacity(value: unknown): readonly FieldError[] {
  const capacity = objectOf(value)
  const path = 'spec.capacity'
  const errors: FieldError[] = isEmptyMap(capacity) ? [required(path)] : []
  if (!('storage' in capacity) || Object.keys(capacity).length > 1)
    errors.push(notSupported(path, isEmptyMap(capacity) ? null : capacity, ['storage']))
  for (const [name, text] of Object.entries(capacity)) {
    const amount = amountOf(text)
    const at = `${path}[${name}]`
    if (amount === undefined || amount.sign() > 0) continue
    if (amount.sign() < 0) errors.push(invalid(at, Number(amount.value()), 'must be a valid resource quantity'))
    errors.push(invalid(at, amount.toString(), 'must be greater than zero'))
  }
  return errors
}

function validateNodeAffinity(affinity: unknown): readonly FieldError[] {
  if (absent(affinity)) return []
  const { required: wanted } = objectOf(affinity)
  const path = 'spec.nodeAffinity.required'
  return absent(wanted)
    ? [required(path, 'must specify required node constraints')]
    : validateNodeSelector(objectOf(wanted), path)
}

function validateAttributesClass(spec: PersistentVolumeSpec): readonly FieldError[] {
  const name = spec.volumeAttributesClassName
  const path = 'spec.volumeAttributesClassName'
  if (absent(name)) return []
  return [
    ...(name === ''
      ? [required(path, 'an empty string is disallowed')]
      : obeys(textOf(name), isDNS1123Subdomain, path)),
    ...(absent(spec.csi) ? [required('spec.csi', 'has to be specified when using volumeAttributesClassName')] : []),
  ]
}

/** Validates that an update keeps the immutable fields of a volume (core `ValidatePersistentVolumeUpdate`). */
export function validateVolumeUpdate(object: PersistentVolume, old: PersistentVolume): readonly FieldError[] {
  const spec = specOf(object)
  const before = specOf(old)
  const errors = [...validateVolume(object)]
  if (SOURCE_ORDER.persistent.some((field) => !semanticallyEqual(changeable(spec, before, field), before[field]))) {
    const detail = 'spec.persistentvolumesource is immutable after creation'
    errors.push(forbidden('spec.persistentvolumesource', detail))
  }
  append(errors, immutable(spec.volumeMode, before.volumeMode, 'volumeMode'))
  if (!absent(before.nodeAffinity) && !semanticallyEqual(spec.nodeAffinity, before.nodeAffinity)) {
    const detail = 'field is immutable, except for updating from beta label to GA'
    errors.push(invalid('nodeAffinity', spec.nodeAffinity ?? null, detail))
  }
  if (!absent(before.volumeAttributesClassName) && absent(spec.volumeAttributesClassName))
    errors.push(forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'))
  return errors
}

/** A source as it is compared: the secret for expanding may be given later. */
function changeable(
  spec: PersistentVolumeSpec,
  before: PersistentVolumeSpec,
  field: keyof PersistentVolumeSpec,
): unknown {
  if (field !== 'csi') return spec[field]
  const source = spec[field]
  if (absent(source) || !absent(objectOf(before.csi).controllerExpandSecretRef)) return source
  const { controllerExpandSecretRef: _given, ...others } = objectOf(source)
  return others
}

/** Does a path lead to the root of a file system, whatever steps it takes? */
function isRoot(path: string): boolean {
  let depth = 0
  for (const step of path.split('/'))
    if (step === '..') depth = Math.max(0, depth - 1)
    else if (step !== '' && step !== '.') depth += 1
  return depth === 0
}
