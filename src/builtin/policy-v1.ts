// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { Condition, DeleteOptions, LabelSelector } from './meta-v1.ts'

export type Eviction = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly deleteOptions?: Unchecked<DeleteOptions>
}

export type PodDisruptionBudget = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<PodDisruptionBudgetSpec>
  readonly status?: Unchecked<PodDisruptionBudgetStatus>
}

export type PodDisruptionBudgetSpec = {
  readonly maxUnavailable?: unknown
  readonly minAvailable?: unknown
  readonly selector?: Unchecked<LabelSelector>
  readonly unhealthyPodEvictionPolicy?: unknown
}

export type PodDisruptionBudgetStatus = {
  readonly conditions?: Unchecked<readonly Condition[]>
  readonly currentHealthy?: unknown
  readonly desiredHealthy?: unknown
  readonly disruptedPods?: unknown
  readonly disruptionsAllowed?: unknown
  readonly expectedPods?: unknown
  readonly observedGeneration?: unknown
}
