import type { HorizontalPodAutoscaler, MetricTarget, MetricValueStatus } from '../../builtin/autoscaling-v2.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { HorizontalPodAutoscaler as AutoscalerV1 } from '../../builtin/autoscaling-v1.ts'
import type { Scale } from '../../builtin/autoscaling-v1.ts'
import type { RuntimeClass } from '../../builtin/node-v1.ts'
import type { PodDisruptionBudget } from '../../builtin/policy-v1.ts'
import type { PriorityClass } from '../../builtin/scheduling-v1.ts'
import { absent, countOf, numberOf, objectOf, objectsOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { column, type Column, integer } from './column.ts'
import { ageColumn, nameColumn, NONE, numberOr, UNSET } from './shared-columns.ts'

export const disruptionBudgetColumns: readonly Column[] = [
  nameColumn,
  column('Min Available', 'How many pods must stay.', (object: PodDisruptionBudget) =>
    numberOr(specOf(object).minAvailable, 'N/A'),
  ),
  column('Max Unavailable', 'How many pods may go.', (object: PodDisruptionBudget) =>
    numberOr(specOf(object).maxUnavailable, 'N/A'),
  ),
  integer('Allowed Disruptions', 'How many pods may go now.', (object: PodDisruptionBudget) =>
    countOf(statusOf(object).disruptionsAllowed),
  ),
  ageColumn,
]

/** Of the Scale of a built-in kind. */
export const scaleColumns: readonly Column[] = [
  nameColumn,
  integer('Desired', 'How many pods are wanted.', (object: Scale) => countOf(specOf(object).replicas)),
  integer('Available', 'How many pods there are.', (object: Scale) => countOf(statusOf(object).replicas)),
  ageColumn,
]

const percent = (value: unknown, none: string): string => (typeof value === 'number' ? `${value}%` : none)

/** Returns the measured value and the target of a metric: `10%/80%`, `250m/1 (avg)`, `<unknown>/5`. */
function metricText(metric: JsonObject, current: JsonObject | undefined): string {
  const kind = textOf(metric.type)
  const field = kind.charAt(0).toLowerCase() + kind.slice(1)
  const source = objectOf(metric[field])
  const now: MetricValueStatus = objectOf(objectOf(current?.[field]).current)
  const target: MetricTarget = objectOf(source.target)
  const ofContainers = kind === 'Resource' || kind === 'ContainerResource'
  const label = ofContainers ? `${textOf(source.name)}: ` : ''
  if (ofContainers && absent(target.averageValue)) {
    return `${label}${percent(now.averageUtilization, '<unknown>')}/${percent(target.averageUtilization, '<auto>')}`
  }
  if (!absent(target.averageValue)) {
    const suffix = kind === 'Pods' || ofContainers ? '' : ' (avg)'
    return `${label}${textOf(now.averageValue) || '<unknown>'}/${textOf(target.averageValue)}${suffix}`
  }
  return `${label}${textOf(now.value) || '<unknown>'}/${textOf(target.value)}`
}

function targets(object: HorizontalPodAutoscaler & Partial<AutoscalerV1>): string {
  const spec = specOf(object)
  if (object.apiVersion === 'autoscaling/v1') {
    const target = numberOf(spec.targetCPUUtilizationPercentage)
    const used = percent(statusOf(object).currentCPUUtilizationPercentage, '<unknown>')
    return target === undefined ? NONE : `cpu: ${used}/${target}%`
  }
  const metrics = objectsOf(spec.metrics)
  if (metrics.length === 0) return NONE
  const current = objectsOf(statusOf(object).currentMetrics)
  const texts = metrics.map((metric, index) => metricText(metric, current[index]))
  return texts.length > 2 ? `${texts.slice(0, 2).join(', ')} + ${texts.length - 2} more...` : texts.join(', ')
}

export const autoscalerColumns: readonly Column[] = [
  nameColumn,
  column('Reference', 'The object that it scales.', (object: HorizontalPodAutoscaler) => {
    const target = objectOf(specOf(object).scaleTargetRef)
    return `${textOf(target.kind)}/${textOf(target.name)}`
  }),
  column('Targets', 'The current and the desired value of each metric.', targets),
  column('MinPods', 'The fewest pods.', (object: HorizontalPodAutoscaler) => {
    const min = numberOf(specOf(object).minReplicas)
    return min === undefined ? UNSET : String(min)
  }),
  column('MaxPods', 'The most pods.', (object: HorizontalPodAutoscaler) => countOf(specOf(object).maxReplicas)),
  column('Replicas', 'How many pods there are.', (object: HorizontalPodAutoscaler) =>
    countOf(statusOf(object).currentReplicas),
  ),
  ageColumn,
]

export const priorityClassColumns: readonly Column[] = [
  nameColumn,
  integer('Value', 'The priority that pods get.', (object: PriorityClass) => countOf(object.value)),
  column(
    'Global-Default',
    'Whether pods without a class get it.',
    (object: PriorityClass) => object.globalDefault === true,
    {
      type: 'boolean',
    },
  ),
  ageColumn,
  column(
    'PreemptionPolicy',
    'Whether its pods may displace others.',
    (object: PriorityClass) => textOf(object.preemptionPolicy) || 'PreemptLowerPriority',
  ),
]

export const runtimeClassColumns: readonly Column[] = [
  nameColumn,
  column('Handler', 'The configuration that runs its pods.', (object: RuntimeClass) => textOf(object.handler)),
  ageColumn,
]
