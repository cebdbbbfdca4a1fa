import type { Pod, PodTemplate } from '../../../builtin/core-v1.ts'
import { type FieldError, invalid } from '../../../machinery/field-error.ts'
import { set, setOrDrop } from '../../rule/change.ts'
import { lifecycle, nextGeneration, statusOnly, withGeneration } from '../../strategy/lifecycle.ts'
import { podDefaults } from './defaults.ts'
import { templateDefaults } from './spec-defaults.ts'
import { validateEphemeralContainersUpdate, validatePodSpecUpdate, validateResize } from './update-validation.ts'
import { validatePodStatus } from './status-validation.ts'
import { validatePodAnnotations, validatePodAnnotationUpdate } from './annotation-validation.ts'
import { validateOnlyPod, validatePodCreate, validatePodSpec } from './validation.ts'
import { qosClass } from './qos-class.ts'
import { objectOf, specOf, statusOf } from '../../../machinery/read.ts'
import type { Strategies, Strategy } from '../../strategy/strategy.ts'
import { validateTemplate } from './template-validation.ts'

const ANNOTATIONS = 'metadata.annotations'

/** The strategy of pods. */
const validatePod = (object: Pod): readonly FieldError[] => [
  ...validatePodAnnotations(object.metadata.annotations, specOf(object), ANNOTATIONS),
  ...validatePodSpec(specOf(object), 'spec', object.metadata.name ?? ''),
  ...validateOnlyPod(specOf(object), 'spec'),
]

export const pod: Strategy = {
  ...lifecycle({ status: {}, generation: true }),
  shortNames: ['po'],
  categories: ['all'],
  defaults: podDefaults,
  prepareForCreate: (object: Pod) =>
    withGeneration(set(object, 'status', { phase: 'Pending', qosClass: qosClass(specOf(object)) }), 1),
  prepareForUpdate: (object: Pod, old: Pod) => nextGeneration(setOrDrop(object, 'status', old.status), old),
  prepareForStatusUpdate: (object: Pod, old: Pod) => {
    const { ownerReferences: _unchanged, ...metadata } = object.metadata
    const owners = old.metadata.ownerReferences
    const kept = { ...object, metadata: owners === undefined ? metadata : { ...metadata, ownerReferences: owners } }
    const status = objectOf(object.status)
    const stored = statusOf(old).qosClass
    return statusOnly(
      set(
        kept,
        'status',
        status.qosClass === undefined && stored !== undefined ? set(status, 'qosClass', stored) : status,
      ),
      old,
    )
  },
  validate: (object: Pod) => [...validatePod(object), ...validatePodCreate(specOf(object), 'spec')],
  validateUpdate: (object: Pod, old: Pod) => [
    ...validatePod(object),
    ...validatePodAnnotationUpdate(object.metadata.annotations ?? {}, old.metadata.annotations ?? {}, ANNOTATIONS),
    ...validatePodSpecUpdate(specOf(object), specOf(old), 'spec'),
  ],
  validateStatusUpdate: validatePodStatus,
  validateSubresource: {
    binding: (object: Pod) => validatePod(object),
    ephemeralcontainers: (object: Pod, old: Pod) => [
      ...validatePod(object),
      ...validateEphemeralContainersUpdate(specOf(object), specOf(old), 'spec.ephemeralContainers'),
    ],
    resize: (object: Pod, old: Pod) => {
      const errors = [...validatePod(object), ...validateResize(specOf(object), specOf(old), 'spec')]
      const quality = qosClass(specOf(object))
      return quality === qosClass(specOf(old))
        ? errors
        : [...errors, invalid('spec', quality, 'Pod QOS Class may not change as a result of resizing')]
    },
  },
}

const podTemplate: Strategy = {
  defaults: templateDefaults,
  validate: (object: PodTemplate) => validateTemplate(objectOf(object.template), 'template'),
}

export const podStrategies: Strategies = { pods: pod, podtemplates: podTemplate }
