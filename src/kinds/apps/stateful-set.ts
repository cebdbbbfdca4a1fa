import type { StatefulSet, StatefulSetSpec } from '../../builtin/apps-v1.ts'
import { type FieldError, forbidden, invalid, required } from '../../machinery/field-error.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { all, at, type Change, each, fill, when, within } from '../rule/change.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { nonNegative } from '../rule/number.ts'
import { templateDefaults } from '../core/pod/spec-defaults.ts'
import { blank, objectOf, objectsOf, specOf, textOf } from '../../machinery/read.ts'
import { scale } from '../strategy/scale.ts'
import { claimDefaults } from '../storage/storage.ts'
import { STATEFUL_SET_COUNTS, validateCounts } from '../rule/status-count.ts'
import type { Strategies, Strategy } from '../strategy/strategy.ts'
import { validateSelected, validateSelector } from '../core/pod/template-validation.ts'

function validateStatefulSet(object: StatefulSet): readonly FieldError[] {
  const spec = specOf(object)
  const policy = textOf(spec.podManagementPolicy)
  const strategy = objectOf(spec.updateStrategy)
  const type = textOf(strategy.type)
  const errors: FieldError[] = []
  if (policy === '') errors.push(required('spec.podManagementPolicy'))
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    errors.push(invalid('spec.podManagementPolicy', policy, `must be 'OrderedReady' or 'Parallel'`))
  }
  if (type === '') errors.push(required('spec.updateStrategy'))
  else if (type === 'OnDelete') {
    if (strategy.rollingUpdate !== undefined && strategy.rollingUpdate !== null) {
      errors.push(
        invalid(
          'spec.updateStrategy.rollingUpdate',
          strategy.rollingUpdate,
          `only allowed for updateStrategy 'RollingUpdate'`,
        ),
      )
    }
  } else if (type !== 'RollingUpdate') {
    const held = { Type: type, RollingUpdate: strategy.rollingUpdate ?? null }
    errors.push(invalid('spec.updateStrategy', held, `must be 'RollingUpdate' or 'OnDelete'`))
  }
  return [
    ...errors,
    ...nonNegative(objectOf(strategy.rollingUpdate).partition, 'spec.updateStrategy.rollingUpdate.partition'),
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...validateSelector(spec.selector, 'statefulset', 'spec.selector'),
    ...validateSelected(withClaimVolumes(spec), { kind: 'StatefulSet', unreadable: '' }),
  ]
}

/**
 * The spec with the volumes that its pods will have: the controller makes one of each claim template, which takes the place
 * of a volume of the same name (apps `volumesToAddForTemplates`).
 */
function withClaimVolumes(spec: StatefulSetSpec): JsonObject {
  const names = new Set(objectsOf(spec.volumeClaimTemplates).map(({ metadata }) => textOf(objectOf(metadata).name)))
  if (names.size === 0) return spec
  const claims = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  const template = objectOf(spec.template)
  const pod = objectOf(template.spec)
  const others = objectsOf(pod.volumes).filter(({ name }) => !names.has(textOf(name)))
  return { ...spec, template: { ...template, spec: { ...pod, volumes: [...claims, ...others] } } }
}

const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]
const IMMUTABLE_TEXT = `updates to statefulset spec for fields other than ${MUTABLE.slice(0, -1)
  .map((field) => `'${field}'`)
  .join(', ')} and 'minReadySeconds' are forbidden`

const claimTemplate: Change = (claim) => claimDefaults(fill({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' })(claim))

const partition: Change = fill({ partition: 0 })

/** A strategy with a type may omit the partition. Only a missing strategy gets all defaults. */
const updateStrategy: Change = (strategy) =>
  blank(strategy.type)
    ? all(fill({ type: 'RollingUpdate' }), within('rollingUpdate', partition))(strategy)
    : when(({ type }) => type === 'RollingUpdate', at('rollingUpdate', partition))(strategy)

const statefulSet: Strategy = {
  ...lifecycle({ status: { replicas: 0, availableReplicas: 0 }, generation: true }),
  shortNames: ['sts'],
  categories: ['all'],
  defaults: within(
    'spec',
    all(
      fill({ replicas: 1, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10 }),
      templateDefaults,
      each('volumeClaimTemplates', claimTemplate),
      within('updateStrategy', updateStrategy),
      within('persistentVolumeClaimRetentionPolicy', fill({ whenDeleted: 'Retain', whenScaled: 'Retain' })),
    ),
  ),
  validate: validateStatefulSet,
  validateUpdate: (object: StatefulSet, old: StatefulSet) => {
    const spec: JsonObject = specOf(object)
    const before: JsonObject = specOf(old)
    const changed = [...new Set([...Object.keys(spec), ...Object.keys(before)])].some(
      (key) => !MUTABLE.includes(key) && !semanticallyEqual(spec[key], before[key]),
    )
    return [...validateStatefulSet(object), ...(changed ? [forbidden('spec', IMMUTABLE_TEXT)] : [])]
  },
  validateStatusUpdate: validateCounts(STATEFUL_SET_COUNTS),
  scale,
}

export const statefulSetStrategies: Strategies = { 'statefulsets.apps': statefulSet }
