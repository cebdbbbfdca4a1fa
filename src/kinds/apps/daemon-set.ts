import type { DaemonSet, DaemonSetUpdateStrategy } from '../../builtin/apps-v1.ts'
import { type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { all, type Change, fill, set, when, within } from '../rule/change.ts'
import { validateLabelSelector } from '../../machinery/selector/label.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { atMostWhole, countOrPercent, nonNegative, percentOf } from '../rule/number.ts'
import { templateDefaults } from '../core/pod/spec-defaults.ts'
import { objectOf, specOf, textOf } from '../../machinery/read.ts'
import { isEmptySelector, labelSelectorOf, templateMatches } from '../rule/label-selector.ts'
import { DAEMON_SET_COUNTS, validateCounts } from '../rule/status-count.ts'
import type { Strategies, Strategy } from '../strategy/strategy.ts'
import { immutable, validateRunning, validateTemplate } from '../core/pod/template-validation.ts'

/** Counts changes of the template; upstream keeps its old field alive in this annotation. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

const withTemplateGeneration = (object: DaemonSet, generation: number): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) },
  },
})

const base = lifecycle({
  status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  generation: true,
})

/** A value that is neither a number nor a percentage counts as zero. */
const isZero = (value: unknown): boolean => (typeof value === 'number' ? value === 0 : (percentOf(value) ?? 0) === 0)

function validateStrategy(strategy: DaemonSetUpdateStrategy): readonly FieldError[] {
  const type = textOf(strategy.type)
  const path = 'spec.updateStrategy'
  if (type === 'OnDelete') return []
  if (type !== 'RollingUpdate') {
    // Printed is the strategy as the server holds it, whose fields have no names in JSON.
    const held = { Type: type, RollingUpdate: strategy.rollingUpdate ?? null }
    return [notSupported(path, held, ['OnDelete', 'RollingUpdate'])]
  }
  const { maxUnavailable, maxSurge } = objectOf(strategy.rollingUpdate)
  const [unavailable, surge] = [`${path}.rollingUpdate.maxUnavailable`, `${path}.rollingUpdate.maxSurge`]
  const errors = [
    ...countOrPercent(maxUnavailable, unavailable),
    ...countOrPercent(maxSurge, surge),
    ...atMostWhole(maxUnavailable, unavailable),
    ...atMostWhole(maxSurge, surge),
  ]
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.push(required(unavailable, 'cannot be 0 when maxSurge is 0'))
  } else if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    errors.push(invalid(surge, maxSurge, 'may not be set when maxUnavailable is non-zero'))
  }
  return errors
}

function validate(object: DaemonSet): readonly FieldError[] {
  const spec = specOf(object)
  const template = objectOf(spec.template)
  const errors: FieldError[] = [
    ...validateLabelSelector(labelSelectorOf(spec.selector), 'spec.selector'),
    ...templateMatches(spec.selector, objectOf(template.metadata).labels, 'spec.template'),
  ]
  if (isEmptySelector(spec.selector))
    errors.push(invalid('spec.selector', spec.selector, 'empty selector is invalid for daemonset'))
  return [
    ...errors,
    ...validateTemplate(template, 'spec.template'),
    ...validateRunning(objectOf(template.spec), 'DaemonSet', 'spec.template'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...validateStrategy(objectOf(spec.updateStrategy)),
    ...nonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
  ]
}

/** The old field is 0 until the object is stored, and so it stands among what the request writes. */
const withStart: Change = (object) => {
  const metadata = objectOf(object.metadata)
  const annotations = objectOf(metadata.annotations)
  if (TEMPLATE_GENERATION in annotations) return object
  return set(object, 'metadata', { ...metadata, annotations: { ...annotations, [TEMPLATE_GENERATION]: '0' } })
}

const daemonSet: Strategy = {
  ...base,
  shortNames: ['ds'],
  categories: ['all'],
  defaults: all(
    withStart,
    within(
      'spec',
      all(
        templateDefaults,
        within(
          'updateStrategy',
          all(
            fill({ type: 'RollingUpdate' }),
            when(
              (strategy) => strategy.type === 'RollingUpdate',
              within('rollingUpdate', fill({ maxUnavailable: 1, maxSurge: 0 })),
            ),
          ),
        ),
        fill({ revisionHistoryLimit: 10 }),
      ),
    ),
  ),
  prepareForCreate: (object: DaemonSet, context) => withTemplateGeneration(base.prepareForCreate(object, context), 1),
  prepareForUpdate: (object: DaemonSet, old: DaemonSet, context) => {
    const stored = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1)
    const changed = !semanticallyEqual(specOf(object).template, specOf(old).template)
    return withTemplateGeneration(base.prepareForUpdate(object, old, context), stored + (changed ? 1 : 0))
  },
  validate,
  // Upstream checks an update as a whole twice, and reports each error twice.
  validateUpdate: (object: DaemonSet, old: DaemonSet) => [
    ...validate(object),
    ...validate(object),
    ...immutable(specOf(object).selector, specOf(old).selector, 'spec.selector'),
  ],
  validateStatusUpdate: validateCounts(DAEMON_SET_COUNTS),
}

export const daemonSetStrategies: Strategies = { 'daemonsets.apps': daemonSet }
