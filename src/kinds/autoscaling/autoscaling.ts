import type { HorizontalPodAutoscalerSpec as SpecV1 } from '../../builtin/autoscaling-v1.ts'
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
} from '../../builtin/autoscaling-v2.ts'
import { append, type FieldError, invalid } from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { validateBehavior } from './autoscaler-behavior-validation.ts'
import {
  describesUnversioned,
  validateMetrics,
  validateScaleTarget,
  type VersionRule,
} from './autoscaler-metric-validation.ts'
import { at, type Change, fill, fillAbsent, set, within } from '../rule/change.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { absent, countOf, listOf, numberOf, objectOf, specOf } from '../../machinery/read.ts'
import type { Strategies } from '../strategy/strategy.ts'

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics'
const CPU_AT_80: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}
const UP: readonly JsonObject[] = [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
]
const DOWN: readonly JsonObject[] = [{ type: 'Percent', value: 100, periodSeconds: 15 }]

const rules =
  (policies: readonly JsonObject[], defaults: JsonObject): Change =>
  (value) => {
    const filled = fill(defaults)(value)
    return absent(filled.policies) ? set(filled, 'policies', policies) : filled
  }

/** A partial `behavior` is completed with defaults (autoscaling/v2 `GenerateHPAScaleUpRules` …). */
const behavior: Change = at('behavior', (value) =>
  within(
    'scaleDown',
    rules(DOWN, { selectPolicy: 'Max' }),
  )(within('scaleUp', rules(UP, { selectPolicy: 'Max', stabilizationWindowSeconds: 0 }))(value)),
)

const v2: Change = (spec) => {
  const filled = fill({ minReplicas: 1 })(spec)
  return behavior(listOf(filled.metrics).length === 0 ? set(filled, 'metrics', [CPU_AT_80]) : filled)
}

/** In the first version an annotation holds other metrics; without any the target is the processors' use. */
const v1 = (object: HorizontalPodAutoscaler): Change =>
  fillAbsent({
    minReplicas: 1,
    ...(object.metadata.annotations?.[METRICS] === undefined ? { targetCPUUtilizationPercentage: 80 } : {}),
  })

function defaults(object: HorizontalPodAutoscaler): KubeObject {
  return within('spec', object.apiVersion === 'autoscaling/v1' ? v1(object) : v2)(object)
}

/**
 * The version that the target of an autoscaler may name. A target stored without one may stay, and only replication
 * controllers are of the core group.
 */
function targetRule(target: CrossVersionObjectReference, old: HorizontalPodAutoscaler | undefined): VersionRule {
  const before = objectOf(old === undefined ? undefined : specOf(old).scaleTargetRef)
  const isKept = old !== undefined && before.apiVersion === target.apiVersion && before.kind === target.kind
  if (isKept) return 'any'
  return target.kind === 'ReplicationController' ? 'ofAnyGroup' : 'ofNamedGroup'
}

function validate(object: HorizontalPodAutoscaler, old?: HorizontalPodAutoscaler): readonly FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  const min = numberOf(spec.minReplicas)
  const max = countOf(spec.maxReplicas)
  if (min !== undefined && min < 1) errors.push(invalid('spec.minReplicas', min, 'must be greater than or equal to 1'))
  if (max < 1) errors.push(invalid('spec.maxReplicas', max, 'must be greater than 0'))
  if (min !== undefined && max < min) {
    errors.push(invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'))
  }
  const target = objectOf(spec.scaleTargetRef)
  append(errors, validateScaleTarget(target, 'spec.scaleTargetRef', targetRule(target, old)))
  const described = old !== undefined && describesUnversioned(specOf(old).metrics) ? 'any' : 'ofAnyGroup'
  append(errors, validateMetrics(metricsOf(spec), min, 'spec.metrics', described))
  append(errors, validateBehavior(spec.behavior, 'spec.behavior'))
  return errors
}

/** The first version has a field of its own for the one metric that it knows. */
function metricsOf(spec: HorizontalPodAutoscalerSpec & SpecV1): unknown {
  const averageUtilization = numberOf(spec.targetCPUUtilizationPercentage)
  if (averageUtilization === undefined) return spec.metrics
  return [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }]
}

export const autoscalingStrategies: Strategies = {
  'horizontalpodautoscalers.autoscaling': {
    ...lifecycle({ status: { desiredReplicas: 0, currentMetrics: null } }),
    shortNames: ['hpa'],
    categories: ['all'],
    defaults,
    prepareForCreate: (object) =>
      set(
        object,
        'status',
        object.apiVersion === 'autoscaling/v1'
          ? { currentReplicas: 0, desiredReplicas: 0 }
          : { desiredReplicas: 0, currentMetrics: null },
      ),
    validate: (object) => validate(object),
    validateUpdate: validate,
    validateStatusUpdate: () => [],
  },
}
