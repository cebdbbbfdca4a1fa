import type { ControllerRevision, Deployment, DeploymentStrategy, ReplicaSet } from '../../builtin/apps-v1.ts'
import type { ReplicationController } from '../../builtin/core-v1.ts'
import { successor } from '../../machinery/json-value.ts'
import { append, type FieldError, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { all, at, type Change, fill, set, when, within } from '../rule/change.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { lifecycle, withGeneration } from '../strategy/lifecycle.ts'
import { atMostWhole, countOrPercent, nonNegative, percentOf } from '../rule/number.ts'
import { podSpecDefaults, templateDefaults } from '../core/pod/spec-defaults.ts'
import { absent, countOf, isEmptyMap, objectOf, specOf, textEntries, textOf } from '../../machinery/read.ts'
import { scale, scaleBy } from '../strategy/scale.ts'
import { mapText } from '../rule/label-selector.ts'
import { DEPLOYMENT_COUNTS, REPLICA_SET_COUNTS, validateCounts } from '../rule/status-count.ts'
import type { Context, Strategies, Strategy } from '../strategy/strategy.ts'
import {
  immutable,
  validateRunning,
  validateSelected,
  validateSelector,
  validateTemplate,
} from '../core/pod/template-validation.ts'

const replicas: Change = fill({ replicas: 1 })

const isZero = (value: unknown): boolean => value === 0 || percentOf(value) === 0

function validateDeploymentStrategy(strategy: DeploymentStrategy, path: string): readonly FieldError[] {
  const type = textOf(strategy.type)
  const at = `${path}.rollingUpdate`
  if (type === 'Recreate') {
    const wrong = strategy.rollingUpdate !== undefined && strategy.rollingUpdate !== null
    return wrong ? [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")] : []
  }
  if (type !== 'RollingUpdate') {
    // Printed is the strategy as the server holds it, whose fields have no names in JSON.
    const held = { Type: type, RollingUpdate: strategy.rollingUpdate ?? null }
    return [notSupported(path, held, ['Recreate', 'RollingUpdate'])]
  }
  const rolling = objectOf(strategy.rollingUpdate)
  const errors = [
    ...countOrPercent(rolling.maxUnavailable, `${at}.maxUnavailable`),
    ...countOrPercent(rolling.maxSurge, `${at}.maxSurge`),
  ]
  if (isZero(rolling.maxUnavailable) && isZero(rolling.maxSurge)) {
    errors.push(invalid(`${at}.maxUnavailable`, rolling.maxUnavailable, 'may not be 0 when `maxSurge` is 0'))
  }
  return [...errors, ...atMostWhole(rolling.maxUnavailable, `${at}.maxUnavailable`)]
}

/** Deployments make replica sets, and their templates are checked as those. */
const TEMPLATES = { kind: 'ReplicaSet', unreadable: 'invalid label selector' }

function validateDeployment(object: Deployment): readonly FieldError[] {
  const spec = specOf(object)
  const errors = [
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...validateSelector(spec.selector, 'deployment', 'spec.selector'),
    ...validateSelected(spec, TEMPLATES),
    ...validateDeploymentStrategy(objectOf(spec.strategy), 'spec.strategy'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...nonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
    ...nonNegative(spec.progressDeadlineSeconds, 'spec.progressDeadlineSeconds'),
  ]
  const deadline = spec.progressDeadlineSeconds
  if (typeof deadline === 'number' && deadline <= countOf(spec.minReadySeconds)) {
    errors.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'))
  }
  return errors
}

const rollingUpdate = when(
  (strategy: JsonObject) => strategy.type === 'RollingUpdate',
  within('rollingUpdate', fill({ maxUnavailable: '25%', maxSurge: '25%' })),
)

const deploymentLifecycle = lifecycle({ status: {}, generation: true })

/** Annotations of a deployment count as a change of what is wanted: they end up on its ReplicaSets. */
function nextDeployment(object: Deployment, old: Deployment, context: Context): KubeObject {
  const next = deploymentLifecycle.prepareForUpdate(object, old, context)
  const { annotations, generation } = old.metadata
  return generation === undefined || semanticallyEqual(object.metadata.annotations, annotations)
    ? next
    : withGeneration(next, successor(generation))
}

const deployment: Strategy = {
  ...deploymentLifecycle,
  statusKeeps: 'labels',
  prepareForUpdate: nextDeployment,
  shortNames: ['deploy'],
  categories: ['all'],
  defaults: within(
    'spec',
    all(
      replicas,
      templateDefaults,
      within('strategy', all(fill({ type: 'RollingUpdate' }), rollingUpdate)),
      fill({ revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
    ),
  ),
  validate: validateDeployment,
  validateUpdate: (object: Deployment, old: Deployment) => [
    ...validateDeployment(object),
    ...immutable(specOf(object).selector, specOf(old).selector, 'spec.selector'),
  ],
  validateStatusUpdate: validateCounts(DEPLOYMENT_COUNTS),
  scale,
}

function validateReplicaSet(object: ReplicaSet): readonly FieldError[] {
  const spec = specOf(object)
  return [
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...validateSelector(spec.selector, 'deployment', 'spec.selector'),
    ...validateSelected(spec, TEMPLATES),
  ]
}

const replicaSet: Strategy = {
  ...lifecycle({ status: { replicas: 0 }, generation: true }),
  shortNames: ['rs'],
  categories: ['all'],
  defaults: within('spec', all(replicas, templateDefaults)),
  validate: validateReplicaSet,
  // Upstream checks an update as a whole twice, and reports each error twice.
  validateUpdate: (object: ReplicaSet, old: ReplicaSet) => [
    ...validateReplicaSet(object),
    ...validateReplicaSet(object),
    ...immutable(specOf(object).selector, specOf(old).selector, 'spec.selector'),
  ],
  validateStatusUpdate: validateCounts(REPLICA_SET_COUNTS),
  scale,
}

function validateController(object: ReplicationController): readonly FieldError[] {
  const spec = specOf(object)
  const template = objectOf(spec.template)
  const errors: FieldError[] = [...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds')]
  if (isEmptyMap(spec.selector)) errors.push(required('spec.selector'))
  append(errors, nonNegative(spec.replicas, 'spec.replicas'))
  if (absent(spec.template)) return [...errors, required('spec.template')]
  const labels = objectOf(objectOf(template.metadata).labels)
  const fits = textEntries(spec.selector).every(([key, value]) => labels[key] === value)
  if (!fits) {
    const shown = isEmptyMap(labels) ? null : labels
    errors.push(invalid('spec.template.metadata.labels', shown, '`selector` does not match template `labels`'))
  }
  append(errors, validateTemplate(template, 'spec.template'))
  append(errors, validateRunning(objectOf(template.spec), 'ReplicationController', 'spec.template'))
  return errors
}

/** Selector and labels of a replication controller come from its template where they are not given. */
const fromTemplate: Change = (object) => {
  const labels = objectOf(objectOf(objectOf(objectOf(object.spec).template).metadata).labels)
  if (isEmptyMap(labels)) return object
  const spec = objectOf(object.spec)
  const selecting = isEmptyMap(spec.selector) ? set(object, 'spec', set(spec, 'selector', labels)) : object
  const metadata = objectOf(object.metadata)
  return isEmptyMap(metadata.labels) ? set(selecting, 'metadata', set(metadata, 'labels', labels)) : selecting
}

const replicationController: Strategy = {
  ...lifecycle({ status: { replicas: 0 }, generation: true }),
  shortNames: ['rc'],
  categories: ['all'],
  // Its template alone may be left out altogether.
  defaults: all(fromTemplate, within('spec', all(replicas, at('template', within('spec', podSpecDefaults))))),
  validate: validateController,
  validateUpdate: (object: ReplicationController) => [...validateController(object), ...validateController(object)],
  validateStatusUpdate: validateCounts(REPLICA_SET_COUNTS),
  scale: scaleBy((spec) => mapText(spec.selector)),
}

export const replicaWorkloads: Strategies = {
  'deployments.apps': deployment,
  'replicasets.apps': replicaSet,
  replicationcontrollers: replicationController,
  'controllerrevisions.apps': {
    validate: ({ data, revision }) => [
      ...(absent(data) ? [required('data', 'data is mandatory')] : []),
      ...nonNegative(revision, 'revision'),
    ],
    validateUpdate: (object: ControllerRevision, old: ControllerRevision) => immutable(object.data, old.data, 'data'),
  },
}
