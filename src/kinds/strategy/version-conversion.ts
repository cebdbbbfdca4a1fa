import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { listOf } from '../../machinery/read.ts'

/** Between the form that is stored and the one that a version serves. Nothing is lost on the way there and back. */
export interface Conversion {
  /** The bucket of the resource that is stored. */
  readonly bucket: string
  readonly fromStored: (object: KubeObject) => KubeObject
  /** Throws 413 for a custom resource that is too large with the defaults of its schema. */
  readonly toStored: (object: KubeObject) => KubeObject
  /** As `toStored`, for what is shown or deleted: throws nothing. Without it the two are the same. */
  readonly asStored?: (object: KubeObject) => KubeObject
  /** Is the text of a stored object the served form already? Without it every object is converted. */
  readonly isServed?: (record: { readonly text: string; readonly revision: number }) => boolean
}

/** core/v1 names of an Event's fields and those of events.k8s.io/v1. */
const EVENT_FIELDS: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]

/** Resources that are stored in another version, by `group/version/resource`. */
export const conversions: Readonly<Record<string, Conversion>> = {
  'events.k8s.io/v1/events': {
    bucket: 'events',
    fromStored: (object) => renamed(object, 'events.k8s.io/v1', EVENT_FIELDS),
    toStored: (object) =>
      renamed(
        object,
        'v1',
        EVENT_FIELDS.map(([core, events]) => [events, core]),
      ),
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    bucket: 'horizontalpodautoscalers.autoscaling',
    fromStored: autoscalerToV1,
    toStored: autoscalerToV2,
  },
}

function renamed(object: KubeObject, apiVersion: string, names: readonly (readonly [string, string])[]): KubeObject {
  const map = new Map(names)
  const fields = Object.entries(object).map(([key, value]) => [map.get(key) ?? key, value] as const)
  return { ...Object.fromEntries(fields), apiVersion } as KubeObject
}

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics'
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics'
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions'
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior'

const section = (object: JsonObject, name: string): JsonObject => {
  const value = object[name]
  return isObject(value) ? value : {}
}

const targetOf = (metric: JsonObject): JsonObject => section(section(metric, 'resource'), 'target')

const isCpuUtilization = (metric: unknown): metric is JsonObject =>
  isObject(metric) &&
  metric['type'] === 'Resource' &&
  section(metric, 'resource')['name'] === 'cpu' &&
  targetOf(metric)['averageUtilization'] !== undefined

const present = (entries: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))

/** v1 knows one metric, the CPU's utilization; what else v2 says is carried in annotations, as upstream does. */
function autoscalerToV1(object: KubeObject): KubeObject {
  const { metrics, behavior, ...spec } = section(object, 'spec')
  const { currentMetrics, conditions, ...status } = section(object, 'status')
  const cpu = listOf(metrics).find(isCpuUtilization)
  const others = listOf(metrics).filter((metric) => metric !== cpu)
  const carried = present({
    [METRICS]: others.length > 0 ? others : undefined,
    [BEHAVIOR]: behavior,
    [CURRENT_METRICS]: currentMetrics,
    [CONDITIONS]: conditions,
  })
  const annotations = {
    ...object.metadata.annotations,
    ...Object.fromEntries(Object.entries(carried).map(([name, value]) => [name, JSON.stringify(value)])),
  }
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: Object.keys(annotations).length === 0 ? object.metadata : { ...object.metadata, annotations },
    spec: cpu === undefined ? spec : { ...spec, targetCPUUtilizationPercentage: targetOf(cpu)['averageUtilization'] },
    status,
  }
}

function autoscalerToV2(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = section(object, 'spec')
  const {
    [METRICS]: others,
    [BEHAVIOR]: behavior,
    [CURRENT_METRICS]: currentMetrics,
    [CONDITIONS]: conditions,
    ...annotations
  } = object.metadata.annotations ?? {}
  const cpu =
    target === undefined
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } } }]
  const metrics = [...listOf(parsed(others)), ...cpu]
  const { annotations: _all, ...metadata } = object.metadata
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations },
    spec: { ...spec, ...present({ metrics: metrics.length === 0 ? undefined : metrics, behavior: parsed(behavior) }) },
    status: {
      ...section(object, 'status'),
      ...present({ currentMetrics: parsed(currentMetrics), conditions: parsed(conditions) }),
    },
  }
}

/** An annotation that a person wrote may hold anything. Invalid JSON is left out. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
