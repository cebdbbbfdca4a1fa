import type { Namespace } from '../../builtin/core-v1.ts'
import { type FieldError, invalid } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isQualifiedName } from '../../machinery/names.ts'
import { set, setOrDrop } from '../rule/change.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { specOf, statusOf, textOf, textsOf } from '../../machinery/read.ts'
import type { Strategies, Strategy } from '../strategy/strategy.ts'
import { OWN_FINALIZERS } from '../../machinery/own-finalizers.ts'

const NAME_LABEL = 'kubernetes.io/metadata.name'
const FINALIZER = OWN_FINALIZERS.namespace

/** Every namespace carries its own name as a label, whatever the request says (core/v1 `SetDefaults_Namespace`). */
function withNameLabel(object: Namespace): KubeObject {
  const { name, labels } = object.metadata
  if (name === undefined || name === '' || labels?.[NAME_LABEL] === name) return object
  return { ...object, metadata: { ...object.metadata, labels: { ...labels, [NAME_LABEL]: name } } }
}

function validateFinalizers(object: Namespace): readonly FieldError[] {
  return textsOf(specOf(object).finalizers).flatMap((name) => {
    const wrong = isQualifiedName(name)
    if (wrong.length > 0) return wrong.map((text) => invalid('spec.finalizers', name, text))
    if (name === FINALIZER || name.includes('/')) return []
    return [invalid('spec.finalizers', name, 'name is neither a standard finalizer name nor is it fully qualified')]
  })
}

const namespace: Strategy = {
  ...lifecycle({ status: {} }),
  shortNames: ['ns'],
  nameRule: 'label',
  defaults: (object: Namespace) => {
    const labelled = withNameLabel(object)
    const status = statusOf<Namespace>(labelled)
    return textOf(status.phase) === '' ? set(labelled, 'status', { ...status, phase: 'Active' }) : labelled
  },
  prepareForCreate: (object: Namespace) => {
    const labelled = withNameLabel(object)
    const finalizers = textsOf(specOf(object).finalizers)
    const spec = finalizers.includes(FINALIZER)
      ? specOf(object)
      : { ...specOf(object), finalizers: [...finalizers, FINALIZER] }
    return { ...labelled, spec, status: { phase: 'Active' } }
  },
  prepareForUpdate: (object: Namespace, old: Namespace) => {
    const spec = setOrDrop(specOf(object), 'finalizers', specOf(old).finalizers)
    return setOrDrop({ ...object, spec }, 'status', old.status)
  },
  validate: validateFinalizers,
  validateStatusUpdate: (object: Namespace) => {
    const phase = textOf(statusOf(object).phase)
    const deleted = object.metadata.deletionTimestamp !== undefined
    if (deleted && phase !== 'Terminating') {
      return [invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")]
    }
    return !deleted && phase !== 'Active'
      ? [invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty")]
      : []
  },
  validateSubresource: { finalize: validateFinalizers },
}

export const namespaceStrategies: Strategies = { namespaces: namespace }
