// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Embedded, Unchecked } from '../machinery/read.ts'
import type { PersistentVolumeClaim, PodTemplateSpec } from './core-v1.ts'
import type { LabelSelector } from './meta-v1.ts'

export type ControllerRevision = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly data?: unknown
  readonly revision?: unknown
}

export type DaemonSet = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<DaemonSetSpec>
  readonly status?: Unchecked<DaemonSetStatus>
}

export type DaemonSetCondition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type DaemonSetSpec = {
  readonly minReadySeconds?: unknown
  readonly revisionHistoryLimit?: unknown
  readonly selector?: Unchecked<LabelSelector>
  readonly template?: Unchecked<PodTemplateSpec>
  readonly updateStrategy?: Unchecked<DaemonSetUpdateStrategy>
}

export type DaemonSetStatus = {
  readonly collisionCount?: unknown
  readonly conditions?: Unchecked<readonly DaemonSetCondition[]>
  readonly currentNumberScheduled?: unknown
  readonly desiredNumberScheduled?: unknown
  readonly numberAvailable?: unknown
  readonly numberMisscheduled?: unknown
  readonly numberReady?: unknown
  readonly numberUnavailable?: unknown
  readonly observedGeneration?: unknown
  readonly updatedNumberScheduled?: unknown
}

export type DaemonSetUpdateStrategy = {
  readonly rollingUpdate?: Unchecked<RollingUpdateDaemonSet>
  readonly type?: unknown
}

export type Deployment = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<DeploymentSpec>
  readonly status?: Unchecked<DeploymentStatus>
}

export type DeploymentCondition = {
  readonly lastTransitionTime?: unknown
  readonly lastUpdateTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type DeploymentSpec = {
  readonly minReadySeconds?: unknown
  readonly paused?: unknown
  readonly progressDeadlineSeconds?: unknown
  readonly replicas?: unknown
  readonly revisionHistoryLimit?: unknown
  readonly selector?: Unchecked<LabelSelector>
  readonly strategy?: Unchecked<DeploymentStrategy>
  readonly template?: Unchecked<PodTemplateSpec>
}

export type DeploymentStatus = {
  readonly availableReplicas?: unknown
  readonly collisionCount?: unknown
  readonly conditions?: Unchecked<readonly DeploymentCondition[]>
  readonly observedGeneration?: unknown
  readonly readyReplicas?: unknown
  readonly replicas?: unknown
  readonly terminatingReplicas?: unknown
  readonly unavailableReplicas?: unknown
  readonly updatedReplicas?: unknown
}

export type DeploymentStrategy = {
  readonly rollingUpdate?: Unchecked<RollingUpdateDeployment>
  readonly type?: unknown
}

export type ReplicaSet = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ReplicaSetSpec>
  readonly status?: Unchecked<ReplicaSetStatus>
}

export type ReplicaSetCondition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type ReplicaSetSpec = {
  readonly minReadySeconds?: unknown
  readonly replicas?: unknown
  readonly selector?: Unchecked<LabelSelector>
  readonly template?: Unchecked<PodTemplateSpec>
}

export type ReplicaSetStatus = {
  readonly availableReplicas?: unknown
  readonly conditions?: Unchecked<readonly ReplicaSetCondition[]>
  readonly fullyLabeledReplicas?: unknown
  readonly observedGeneration?: unknown
  readonly readyReplicas?: unknown
  readonly replicas?: unknown
  readonly terminatingReplicas?: unknown
}

export type RollingUpdateDaemonSet = {
  readonly maxSurge?: unknown
  readonly maxUnavailable?: unknown
}

export type RollingUpdateDeployment = {
  readonly maxSurge?: unknown
  readonly maxUnavailable?: unknown
}

export type RollingUpdateStatefulSetStrategy = {
  readonly maxUnavailable?: unknown
  readonly partition?: unknown
}

export type StatefulSet = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<StatefulSetSpec>
  readonly status?: Unchecked<StatefulSetStatus>
}

export type StatefulSetCondition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type StatefulSetOrdinals = {
  readonly start?: unknown
}

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  readonly whenDeleted?: unknown
  readonly whenScaled?: unknown
}

export type StatefulSetSpec = {
  readonly minReadySeconds?: unknown
  readonly ordinals?: Unchecked<StatefulSetOrdinals>
  readonly persistentVolumeClaimRetentionPolicy?: Unchecked<StatefulSetPersistentVolumeClaimRetentionPolicy>
  readonly podManagementPolicy?: unknown
  readonly replicas?: unknown
  readonly revisionHistoryLimit?: unknown
  readonly selector?: Unchecked<LabelSelector>
  readonly serviceName?: unknown
  readonly template?: Unchecked<PodTemplateSpec>
  readonly updateStrategy?: Unchecked<StatefulSetUpdateStrategy>
  readonly volumeClaimTemplates?: Unchecked<readonly Embedded<PersistentVolumeClaim>[]>
}

export type StatefulSetStatus = {
  readonly availableReplicas?: unknown
  readonly collisionCount?: unknown
  readonly conditions?: Unchecked<readonly StatefulSetCondition[]>
  readonly currentReplicas?: unknown
  readonly currentRevision?: unknown
  readonly observedGeneration?: unknown
  readonly readyReplicas?: unknown
  readonly replicas?: unknown
  readonly updateRevision?: unknown
  readonly updatedReplicas?: unknown
}

export type StatefulSetUpdateStrategy = {
  readonly rollingUpdate?: Unchecked<RollingUpdateStatefulSetStrategy>
  readonly type?: unknown
}
