// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'

export type CrossVersionObjectReference = {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly name?: unknown
}

export type HorizontalPodAutoscaler = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<HorizontalPodAutoscalerSpec>
  readonly status?: Unchecked<HorizontalPodAutoscalerStatus>
}

export type HorizontalPodAutoscalerSpec = {
  readonly maxReplicas?: unknown
  readonly minReplicas?: unknown
  readonly scaleTargetRef?: Unchecked<CrossVersionObjectReference>
  readonly targetCPUUtilizationPercentage?: unknown
}

export type HorizontalPodAutoscalerStatus = {
  readonly currentCPUUtilizationPercentage?: unknown
  readonly currentReplicas?: unknown
  readonly desiredReplicas?: unknown
  readonly lastScaleTime?: unknown
  readonly observedGeneration?: unknown
}

export type Scale = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ScaleSpec>
  readonly status?: Unchecked<ScaleStatus>
}

export type ScaleSpec = {
  readonly replicas?: unknown
}

export type ScaleStatus = {
  readonly replicas?: unknown
  readonly selector?: unknown
}
