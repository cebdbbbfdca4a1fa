// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { LabelSelector } from './meta-v1.ts'

export type ContainerResourceMetricSource = {
  readonly container?: unknown
  readonly name?: unknown
  readonly target?: Unchecked<MetricTarget>
}

export type ContainerResourceMetricStatus = {
  readonly container?: unknown
  readonly current?: Unchecked<MetricValueStatus>
  readonly name?: unknown
}

export type CrossVersionObjectReference = {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly name?: unknown
}

export type ExternalMetricSource = {
  readonly metric?: Unchecked<MetricIdentifier>
  readonly target?: Unchecked<MetricTarget>
}

export type ExternalMetricStatus = {
  readonly current?: Unchecked<MetricValueStatus>
  readonly metric?: Unchecked<MetricIdentifier>
}

export type HPAScalingPolicy = {
  readonly periodSeconds?: unknown
  readonly type?: unknown
  readonly value?: unknown
}

export type HPAScalingRules = {
  readonly policies?: Unchecked<readonly HPAScalingPolicy[]>
  readonly selectPolicy?: unknown
  readonly stabilizationWindowSeconds?: unknown
  readonly tolerance?: unknown
}

export type HorizontalPodAutoscaler = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<HorizontalPodAutoscalerSpec>
  readonly status?: Unchecked<HorizontalPodAutoscalerStatus>
}

export type HorizontalPodAutoscalerBehavior = {
  readonly scaleDown?: Unchecked<HPAScalingRules>
  readonly scaleUp?: Unchecked<HPAScalingRules>
}

export type HorizontalPodAutoscalerCondition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type HorizontalPodAutoscalerSpec = {
  readonly behavior?: Unchecked<HorizontalPodAutoscalerBehavior>
  readonly maxReplicas?: unknown
  readonly metrics?: Unchecked<readonly MetricSpec[]>
  readonly minReplicas?: unknown
  readonly scaleTargetRef?: Unchecked<CrossVersionObjectReference>
}

export type HorizontalPodAutoscalerStatus = {
  readonly conditions?: Unchecked<readonly HorizontalPodAutoscalerCondition[]>
  readonly currentMetrics?: Unchecked<readonly MetricStatus[]>
  readonly currentReplicas?: unknown
  readonly desiredReplicas?: unknown
  readonly lastScaleTime?: unknown
  readonly observedGeneration?: unknown
}

export type MetricIdentifier = {
  readonly name?: unknown
  readonly selector?: Unchecked<LabelSelector>
}

export type MetricSpec = {
  readonly containerResource?: Unchecked<ContainerResourceMetricSource>
  readonly external?: Unchecked<ExternalMetricSource>
  readonly object?: Unchecked<ObjectMetricSource>
  readonly pods?: Unchecked<PodsMetricSource>
  readonly resource?: Unchecked<ResourceMetricSource>
  readonly type?: unknown
}

export type MetricStatus = {
  readonly containerResource?: Unchecked<ContainerResourceMetricStatus>
  readonly external?: Unchecked<ExternalMetricStatus>
  readonly object?: Unchecked<ObjectMetricStatus>
  readonly pods?: Unchecked<PodsMetricStatus>
  readonly resource?: Unchecked<ResourceMetricStatus>
  readonly type?: unknown
}

export type MetricTarget = {
  readonly averageUtilization?: unknown
  readonly averageValue?: unknown
  readonly type?: unknown
  readonly value?: unknown
}

export type MetricValueStatus = {
  readonly averageUtilization?: unknown
  readonly averageValue?: unknown
  readonly value?: unknown
}

export type ObjectMetricSource = {
  readonly describedObject?: Unchecked<CrossVersionObjectReference>
  readonly metric?: Unchecked<MetricIdentifier>
  readonly target?: Unchecked<MetricTarget>
}

export type ObjectMetricStatus = {
  readonly current?: Unchecked<MetricValueStatus>
  readonly describedObject?: Unchecked<CrossVersionObjectReference>
  readonly metric?: Unchecked<MetricIdentifier>
}

export type PodsMetricSource = {
  readonly metric?: Unchecked<MetricIdentifier>
  readonly target?: Unchecked<MetricTarget>
}

export type PodsMetricStatus = {
  readonly current?: Unchecked<MetricValueStatus>
  readonly metric?: Unchecked<MetricIdentifier>
}

export type ResourceMetricSource = {
  readonly name?: unknown
  readonly target?: Unchecked<MetricTarget>
}

export type ResourceMetricStatus = {
  readonly current?: Unchecked<MetricValueStatus>
  readonly name?: unknown
}
