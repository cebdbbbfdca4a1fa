// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { PersistentVolumeSpec, TopologySelectorTerm } from './core-v1.ts'
import type { LabelSelector } from './meta-v1.ts'

export type CSIDriver = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<CSIDriverSpec>
}

export type CSIDriverSpec = {
  readonly attachRequired?: unknown
  readonly fsGroupPolicy?: unknown
  readonly nodeAllocatableUpdatePeriodSeconds?: unknown
  readonly podInfoOnMount?: unknown
  readonly preventPodSchedulingIfMissing?: unknown
  readonly requiresRepublish?: unknown
  readonly seLinuxMount?: unknown
  readonly serviceAccountTokenInSecrets?: unknown
  readonly storageCapacity?: unknown
  readonly tokenRequests?: Unchecked<readonly TokenRequest[]>
  readonly volumeLifecycleModes?: unknown
}

export type CSINode = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<CSINodeSpec>
}

export type CSINodeDriver = {
  readonly allocatable?: Unchecked<VolumeNodeResources>
  readonly name?: unknown
  readonly nodeID?: unknown
  readonly topologyKeys?: unknown
}

export type CSINodeSpec = {
  readonly drivers?: Unchecked<readonly CSINodeDriver[]>
}

export type CSIStorageCapacity = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly capacity?: unknown
  readonly maximumVolumeSize?: unknown
  readonly nodeTopology?: Unchecked<LabelSelector>
  readonly storageClassName?: unknown
}

export type StorageClass = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly allowVolumeExpansion?: unknown
  readonly allowedTopologies?: Unchecked<readonly TopologySelectorTerm[]>
  readonly mountOptions?: unknown
  readonly parameters?: unknown
  readonly provisioner?: unknown
  readonly reclaimPolicy?: unknown
  readonly volumeBindingMode?: unknown
}

export type TokenRequest = {
  readonly audience?: unknown
  readonly expirationSeconds?: unknown
}

export type VolumeAttachment = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<VolumeAttachmentSpec>
  readonly status?: Unchecked<VolumeAttachmentStatus>
}

export type VolumeAttachmentSource = {
  readonly inlineVolumeSpec?: Unchecked<PersistentVolumeSpec>
  readonly persistentVolumeName?: unknown
}

export type VolumeAttachmentSpec = {
  readonly attacher?: unknown
  readonly nodeName?: unknown
  readonly source?: Unchecked<VolumeAttachmentSource>
}

export type VolumeAttachmentStatus = {
  readonly attachError?: Unchecked<VolumeError>
  readonly attached?: unknown
  readonly attachmentMetadata?: unknown
  readonly detachError?: Unchecked<VolumeError>
}

export type VolumeAttributesClass = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly driverName?: unknown
  readonly parameters?: unknown
}

export type VolumeError = {
  readonly errorCode?: unknown
  readonly message?: unknown
  readonly time?: unknown
}

export type VolumeNodeResources = {
  readonly count?: unknown
}
