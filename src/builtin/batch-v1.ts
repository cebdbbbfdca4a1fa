// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { ObjectReference, PodTemplateSpec } from './core-v1.ts'
import type { LabelSelector, ObjectMeta } from './meta-v1.ts'

export type CronJob = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<CronJobSpec>
  readonly status?: Unchecked<CronJobStatus>
}

export type CronJobSpec = {
  readonly concurrencyPolicy?: unknown
  readonly failedJobsHistoryLimit?: unknown
  readonly jobTemplate?: Unchecked<JobTemplateSpec>
  readonly schedule?: unknown
  readonly startingDeadlineSeconds?: unknown
  readonly successfulJobsHistoryLimit?: unknown
  readonly suspend?: unknown
  readonly timeZone?: unknown
}

export type CronJobStatus = {
  readonly active?: Unchecked<readonly ObjectReference[]>
  readonly lastScheduleTime?: unknown
  readonly lastSuccessfulTime?: unknown
}

export type Job = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<JobSpec>
  readonly status?: Unchecked<JobStatus>
}

export type JobCondition = {
  readonly lastProbeTime?: unknown
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type JobSpec = {
  readonly activeDeadlineSeconds?: unknown
  readonly backoffLimit?: unknown
  readonly backoffLimitPerIndex?: unknown
  readonly completionMode?: unknown
  readonly completions?: unknown
  readonly managedBy?: unknown
  readonly manualSelector?: unknown
  readonly maxFailedIndexes?: unknown
  readonly parallelism?: unknown
  readonly podFailurePolicy?: Unchecked<PodFailurePolicy>
  readonly podReplacementPolicy?: unknown
  readonly selector?: Unchecked<LabelSelector>
  readonly successPolicy?: Unchecked<SuccessPolicy>
  readonly suspend?: unknown
  readonly template?: Unchecked<PodTemplateSpec>
  readonly ttlSecondsAfterFinished?: unknown
}

export type JobStatus = {
  readonly active?: unknown
  readonly completedIndexes?: unknown
  readonly completionTime?: unknown
  readonly conditions?: Unchecked<readonly JobCondition[]>
  readonly failed?: unknown
  readonly failedIndexes?: unknown
  readonly ready?: unknown
  readonly startTime?: unknown
  readonly succeeded?: unknown
  readonly terminating?: unknown
  readonly uncountedTerminatedPods?: Unchecked<UncountedTerminatedPods>
}

export type JobTemplateSpec = {
  readonly metadata?: Unchecked<ObjectMeta>
  readonly spec?: Unchecked<JobSpec>
}

export type PodFailurePolicy = {
  readonly rules?: Unchecked<readonly PodFailurePolicyRule[]>
}

export type PodFailurePolicyOnExitCodesRequirement = {
  readonly containerName?: unknown
  readonly operator?: unknown
  readonly values?: unknown
}

export type PodFailurePolicyOnPodConditionsPattern = {
  readonly status?: unknown
  readonly type?: unknown
}

export type PodFailurePolicyRule = {
  readonly action?: unknown
  readonly onExitCodes?: Unchecked<PodFailurePolicyOnExitCodesRequirement>
  readonly onPodConditions?: Unchecked<readonly PodFailurePolicyOnPodConditionsPattern[]>
}

export type SuccessPolicy = {
  readonly rules?: Unchecked<readonly SuccessPolicyRule[]>
}

export type SuccessPolicyRule = {
  readonly succeededCount?: unknown
  readonly succeededIndexes?: unknown
}

export type UncountedTerminatedPods = {
  readonly failed?: unknown
  readonly succeeded?: unknown
}
