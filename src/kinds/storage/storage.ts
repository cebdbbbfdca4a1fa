import type { StorageClass, VolumeAttributesClass } from '../../builtin/storage-v1.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../builtin/core-v1.ts'
import { duplicate, type FieldError, forbidden, invalid, required, tooLong } from '../../machinery/field-error.ts'
import { isQualifiedName, utf8Length } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { all, at, type Change, fill, set, within } from '../rule/change.ts'
import { validateClaimSpec, validateClaimStatus, validateClaimUpdate } from '../core/volume/claim-validation.ts'
import {
  validateAttachment,
  validateAttachmentUpdate,
  validateCSINode,
  validateStorageCapacity,
} from './driver-validation.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { rounded } from '../rule/rounded-amounts.ts'
import { isEmptyMap, listOf, objectOf, objectsOf, specOf, textOf, textsOf } from '../../machinery/read.ts'
import { withBothSources } from '../core/volume/claim-source.ts'
import { repetitions } from '../rule/repetition.ts'
import { OWN_FINALIZERS } from '../../machinery/own-finalizers.ts'
import { validateVolume, validateVolumeUpdate } from './persistent-volume-validation.ts'
import { obeys, oneOf, oneOfIfSet } from '../rule/value.ts'
import type { Strategies, Strategy } from '../strategy/strategy.ts'
import { claimSpecDefaults, persistentVolumeSourceDefaults } from '../core/volume/defaults.ts'

const RECLAIM_POLICIES = ['Delete', 'Retain']
const MOST_PARAMETERS = 512
const LARGEST_PARAMETERS = 256 * 1024
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer']

const pending: Change = (object) => {
  const status = objectOf(object.status)
  return textOf(status.phase) === '' ? set(object, 'status', { ...status, phase: 'Pending' }) : object
}

/** The defaults of a claim, also of a StatefulSet's claim templates (core/v1 `SetDefaults_PersistentVolumeClaim`). */
export const claimDefaults: Change = all(within('spec', claimSpecDefaults), pending)

/** While it is in use an object may not vanish: upstream's StorageObjectInUseProtection admission. */
function withFinalizer(object: PersistentVolumeClaim, finalizer: string): KubeObject {
  const finalizers = object.metadata.finalizers ?? []
  return finalizers.includes(finalizer)
    ? object
    : { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } }
}

const claimLifecycle = lifecycle({ status: { phase: 'Pending' } })

const persistentVolumeClaim: Strategy = {
  ...claimLifecycle,
  shortNames: ['pvc'],
  defaults: claimDefaults,
  prepareForCreate: (object: PersistentVolumeClaim, context) =>
    withFinalizer(
      set(claimLifecycle.prepareForCreate(object, context), 'spec', withBothSources(specOf(object), {})),
      OWN_FINALIZERS.claim,
    ),
  prepareForUpdate: (object: PersistentVolumeClaim, old: PersistentVolumeClaim, context) =>
    set(claimLifecycle.prepareForUpdate(object, old, context), 'spec', withBothSources(specOf(object), specOf(old))),
  validate: (object: PersistentVolumeClaim) => validateClaimSpec(specOf(object), 'spec'),
  validateUpdate: (object: PersistentVolumeClaim, old: PersistentVolumeClaim) => [
    ...validateClaimSpec(specOf(object), 'spec'),
    ...validateClaimUpdate(object, old),
  ],
  validateStatusUpdate: validateClaimStatus,
}

const volumeLifecycle = lifecycle({ status: { phase: 'Pending' } })

const persistentVolume: Strategy = {
  ...volumeLifecycle,
  shortNames: ['pv'],
  defaults: all(
    within(
      'spec',
      all(
        fill({ persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
        persistentVolumeSourceDefaults,
        at('capacity', rounded),
      ),
    ),
    pending,
  ),
  prepareForCreate: (object: PersistentVolume, context) =>
    withFinalizer(
      set(object, 'status', { phase: 'Pending', lastPhaseTransitionTime: context.now }),
      OWN_FINALIZERS.volume,
    ),
  validate: validateVolume,
  validateUpdate: validateVolumeUpdate,
  validateStatusUpdate: () => [],
}

function validateStorageClass(object: StorageClass): readonly FieldError[] {
  const provisioner = textOf(object.provisioner)
  return [
    ...(provisioner === ''
      ? [required('provisioner')]
      : obeys(provisioner.toLowerCase(), isQualifiedName, 'provisioner')),
    ...validateParameters(object.parameters),
    ...oneOfIfSet(object.reclaimPolicy, RECLAIM_POLICIES, 'reclaimPolicy'),
    ...oneOf(object.volumeBindingMode, BINDING_MODES, 'volumeBindingMode'),
    ...validateTopologies(object.allowedTopologies),
  ]
}

function validateParameters(value: unknown): readonly FieldError[] {
  const parameters = objectOf(value)
  const names = Object.keys(parameters)
  if (names.length > MOST_PARAMETERS) return [tooLong('parameters', MOST_PARAMETERS)]
  const errors: FieldError[] = []
  let size = 0
  for (const name of names) {
    if (name === '') errors.push(invalid('parameters', name, 'field can not be empty.'))
    size += utf8Length(name) + utf8Length(textOf(parameters[name]))
  }
  if (size > LARGEST_PARAMETERS) errors.push(tooLong('parameters', LARGEST_PARAMETERS))
  return errors
}

/** Where volumes may be made: keys and values once each (storage `validateAllowedTopologies`). */
function validateTopologies(topologies: unknown): readonly FieldError[] {
  return objectsOf(topologies).flatMap((term, index) => {
    const keys = new Set<string>()
    return objectsOf(term.matchLabelExpressions).flatMap((one, place) => {
      const path = `allowedTopologies[${index}].matchLabelExpressions[${place}]`
      const key = textOf(one.key)
      const values = textsOf(one.values)
      const again = keys.has(key)
      keys.add(key)
      return [
        ...(values.length === 0 ? [required(`${path}.values`)] : []),
        ...repetitions(values).map((at) => duplicate(`${path}.values[${at}]`, values[at])),
        ...obeys(key, isQualifiedName, `${path}.key`),
        ...(again ? [duplicate(`${path}.key`, key)] : []),
      ]
    })
  })
}

const storageClass: Strategy = {
  shortNames: ['sc'],
  defaults: fill({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  validate: validateStorageClass,
  validateUpdate: (object: StorageClass, old: StorageClass) => {
    const errors = [...validateStorageClass(object)]
    for (const key of ['parameters', 'provisioner', 'reclaimPolicy'] as const) {
      const bothEmpty = key === 'parameters' && isEmptyMap(object[key]) && isEmptyMap(old[key])
      if (!bothEmpty && !semanticallyEqual(object[key], old[key]))
        errors.push(forbidden(key, `updates to ${key} are forbidden.`))
    }
    if (object.volumeBindingMode !== old.volumeBindingMode) {
      errors.push(invalid('volumeBindingMode', object.volumeBindingMode, 'field is immutable'))
    }
    return errors
  },
}

const volumeAttributesClass: Strategy = {
  shortNames: ['vac'],
  prepareForCreate: (object: VolumeAttributesClass) => withFinalizer(object, OWN_FINALIZERS.attributesClass),
  validate: (object: VolumeAttributesClass) => [
    ...(textOf(object.driverName) === '' ? [required('driverName')] : []),
    ...(isEmptyMap(object.parameters) ? [required('parameters', 'must contain at least one key/value pair')] : []),
  ],
  validateUpdate: (object: VolumeAttributesClass, old: VolumeAttributesClass) => [
    ...(object.driverName === old.driverName ? [] : [forbidden('driverName', 'updates to driverName are forbidden.')]),
    ...(semanticallyEqual(object.parameters, old.parameters)
      ? []
      : [forbidden('parameters', 'updates to parameters are forbidden.')]),
  ],
}

const csiDriver: Strategy = {
  allowUnconditionalUpdate: false,
  ...lifecycle({ generation: true }),
  defaults: at(
    'spec',
    all(
      fill({
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        requiresRepublish: false,
        seLinuxMount: false,
      }),
      (spec) =>
        listOf(spec.volumeLifecycleModes).length === 0 ? set(spec, 'volumeLifecycleModes', ['Persistent']) : spec,
    ),
  ),
}

export const storageStrategies: Strategies = {
  persistentvolumeclaims: persistentVolumeClaim,
  persistentvolumes: persistentVolume,
  'storageclasses.storage.k8s.io': storageClass,
  'volumeattributesclasses.storage.k8s.io': volumeAttributesClass,
  'csidrivers.storage.k8s.io': csiDriver,
  'csinodes.storage.k8s.io': { allowUnconditionalUpdate: false, validate: validateCSINode },
  'csistoragecapacities.storage.k8s.io': { allowUnconditionalUpdate: false, validate: validateStorageCapacity },
  'volumeattachments.storage.k8s.io': {
    ...lifecycle({ status: { attached: false } }),
    statusKeeps: 'metadata',
    validate: validateAttachment,
    validateUpdate: validateAttachmentUpdate,
    validateStatusUpdate: () => [],
    allowUnconditionalUpdate: false,
  },
}
