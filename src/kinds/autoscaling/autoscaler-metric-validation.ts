import type { CrossVersionObjectReference } from '../../builtin/autoscaling-v2.ts'
import { append, type FieldError, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { isDNS1123Label, pathSegmentName } from '../../machinery/names.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { amountOf } from '../rule/quantity-field.ts'
import { absent, numberOf, objectOf, objectsOf, textOf } from '../../machinery/read.ts'
import { validateContainerResourceName } from '../rule/resource-name.ts'
import { obeys } from '../rule/value.ts'

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue']

type Rule = (source: JsonObject, path: string, described: VersionRule) => readonly FieldError[]

const segment = (name: string): readonly string[] => pathSegmentName(name, false)

/** A name that may stand in a path, and must be given. */
const named = (value: unknown, path: string, detail = ''): readonly FieldError[] =>
  textOf(value) === '' ? [required(path, detail)] : obeys(textOf(value), segment, path)

/** Which versions a reference may name: any at all, one of the core group too, or only one of a named group. */
export type VersionRule = 'any' | 'ofAnyGroup' | 'ofNamedGroup'

/** Another object, by version, kind and name (autoscaling `ValidateCrossVersionObjectReference`). */
export const validateScaleTarget = (
  target: CrossVersionObjectReference,
  path: string,
  rule: VersionRule,
): readonly FieldError[] => {
  const problem = rule === 'any' ? undefined : versionProblem(target, rule)
  return [
    ...(['kind', 'name'] as const).flatMap((field) => named(target[field], `${path}.${field}`)),
    ...(problem === undefined ? [] : [invalid(`${path}.apiVersion`, textOf(target.apiVersion), problem)]),
  ]
}

/** Returns the errors of a reference whose version cannot name its kind. */
function versionProblem({ apiVersion }: CrossVersionObjectReference, rule: VersionRule): string | undefined {
  const text = textOf(apiVersion)
  if (text.split('/').length > 2) return `unexpected GroupVersion string: ${text}`
  return rule === 'ofNamedGroup' && !/^[^/]+\//.test(text) ? 'apiVersion must specify API group' : undefined
}

/** Does an object that a metric describes bear a version that none can have? Then an update may leave it. */
export const describesUnversioned = (metrics: unknown): boolean =>
  objectsOf(metrics).some(
    ({ type, object }) =>
      type === 'Object' && versionProblem(objectOf(objectOf(object).describedObject), 'ofAnyGroup') !== undefined,
  )

function validateTarget(target: JsonObject, path: string): readonly FieldError[] {
  const type = textOf(target.type)
  const errors: FieldError[] = []
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric target type'))
  if (!TARGET_TYPES.includes(type))
    errors.push(invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'))
  for (const field of ['value', 'averageValue']) {
    const amount = amountOf(target[field])
    if (amount !== undefined && amount.sign() !== 1)
      errors.push(invalid(`${path}.${field}`, amount.toString(), 'must be positive'))
  }
  const use = numberOf(target.averageUtilization)
  if (use !== undefined && use < 1) errors.push(invalid(`${path}.averageUtilization`, use, 'must be greater than 0'))
  return errors
}

const has = (source: JsonObject, field: string): boolean => !absent(objectOf(source.target)[field])

const metricAndTarget = (source: JsonObject, path: string): readonly FieldError[] => [
  ...named(objectOf(source.metric).name, `${path}.metric.name`, 'must specify a metric name'),
  ...validateTarget(objectOf(source.target), `${path}.target`),
]

/** A resource metric has a target utilization, as a share of the request, or a target amount. */
const shareOrAmount = (source: JsonObject, path: string): readonly FieldError[] => {
  const errors = [...validateTarget(objectOf(source.target), `${path}.target`)]
  const [share, amount] = [has(source, 'averageUtilization'), has(source, 'averageValue')]
  if (!share && !amount) {
    const detail = 'must set either a target raw value or a target utilization'
    errors.push(required(`${path}.target.averageUtilization`, detail))
  }
  if (share && amount) {
    const detail = 'may not set both a target raw value and a target utilization'
    errors.push(forbidden(`${path}.target.averageValue`, detail))
  }
  return errors
}

const resourceName = 'must specify a resource name'

/** Where a metric may come from, in the order in which upstream looks. */
const SOURCES: readonly { readonly type: string; readonly field: string; readonly rule: Rule }[] = [
  {
    type: 'Object',
    field: 'object',
    rule: (source, path, described) => [
      ...validateScaleTarget(objectOf(source.describedObject), `${path}.describedObject`, described),
      ...metricAndTarget(source, path),
      ...(has(source, 'value') || has(source, 'averageValue')
        ? []
        : [required(`${path}.target.averageValue`, 'must set either a target value or averageValue')]),
    ],
  },
  {
    type: 'External',
    field: 'external',
    rule: (source, path) => {
      const [value, average] = [has(source, 'value'), has(source, 'averageValue')]
      const errors = [...metricAndTarget(source, path)]
      if (!value && !average) {
        const detail = 'must set either a target value for metric or a per-pod target'
        errors.push(required(`${path}.target.averageValue`, detail))
      }
      if (value && average) {
        const detail = 'may not set both a target value for metric and a per-pod target'
        errors.push(forbidden(`${path}.target.value`, detail))
      }
      return errors
    },
  },
  {
    type: 'Pods',
    field: 'pods',
    rule: (source, path) => [
      ...metricAndTarget(source, path),
      ...(has(source, 'averageValue')
        ? []
        : [required(`${path}.target.averageValue`, 'must specify a positive target averageValue')]),
    ],
  },
  {
    type: 'Resource',
    field: 'resource',
    rule: (source, path) => [
      ...(textOf(source.name) === '' ? [required(`${path}.name`, resourceName)] : []),
      ...shareOrAmount(source, path),
    ],
  },
  {
    type: 'ContainerResource',
    field: 'containerResource',
    rule: (source, path) => [
      ...(textOf(source.name) === ''
        ? [required(`${path}.name`, resourceName)]
        : validateContainerResourceName(textOf(source.name), `${path}.name`)),
      ...(textOf(source.container) === ''
        ? [required(`${path}.container`, 'must specify a container')]
        : obeys(textOf(source.container), isDNS1123Label, `${path}.container`)),
      ...shareOrAmount(source, path),
    ],
  },
]
const TYPES = SOURCES.map(({ type }) => type)

function validateMetric(metric: JsonObject, path: string, described: VersionRule): readonly FieldError[] {
  const type = textOf(metric.type)
  const errors: FieldError[] = []
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric source type'))
  if (!TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, TYPES))
  const given = SOURCES.filter(({ field }) => !absent(metric[field]))
  // Only the first of them is looked at; the others should not be there.
  for (const { field, rule } of given.slice(0, 1))
    append(errors, rule(objectOf(metric[field]), `${path}.${field}`, described))
  const wanted = SOURCES.find((source) => source.type === type)?.field
  if (wanted !== undefined && absent(metric[wanted]))
    errors.push(required(`${path}.${wanted}`, 'must populate information for the given metric source'))
  if (given.length > 1)
    for (const { field } of given)
      if (field !== wanted) errors.push(forbidden(`${path}.${field}`, 'must populate the given metric source only'))
  return errors
}

/** The errors in an autoscaler's metrics; only what is outside the pods can bring them back from none. */
export function validateMetrics(
  value: unknown,
  least: number | undefined,
  path: string,
  described: VersionRule,
): readonly FieldError[] {
  const metrics = objectsOf(value)
  const errors = metrics.flatMap((metric, index) => validateMetric(metric, `${path}[${index}]`, described))
  const outside = metrics.some(({ type }) => type === 'Object' || type === 'External')
  if (least !== 0 || outside) return errors
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas'
  return [...errors, forbidden(path, detail)]
}
