// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'

export type APIGroup = {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly name?: unknown
  readonly preferredVersion?: Unchecked<GroupVersionForDiscovery>
  readonly serverAddressByClientCIDRs?: Unchecked<readonly ServerAddressByClientCIDR[]>
  readonly versions?: Unchecked<readonly GroupVersionForDiscovery[]>
}

export type APIGroupList = {
  readonly apiVersion?: unknown
  readonly groups?: Unchecked<readonly APIGroup[]>
  readonly kind?: unknown
}

export type APIResource = {
  readonly categories?: unknown
  readonly group?: unknown
  readonly kind?: unknown
  readonly name?: unknown
  readonly namespaced?: unknown
  readonly shortNames?: unknown
  readonly singularName?: unknown
  readonly storageVersionHash?: unknown
  readonly verbs?: unknown
  readonly version?: unknown
}

export type APIResourceList = {
  readonly apiVersion?: unknown
  readonly groupVersion?: unknown
  readonly kind?: unknown
  readonly resources?: Unchecked<readonly APIResource[]>
}

export type APIVersions = {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly serverAddressByClientCIDRs?: Unchecked<readonly ServerAddressByClientCIDR[]>
  readonly versions?: unknown
}

export type Condition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly observedGeneration?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type DeleteOptions = {
  readonly apiVersion?: unknown
  readonly dryRun?: unknown
  readonly gracePeriodSeconds?: unknown
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: unknown
  readonly kind?: unknown
  readonly orphanDependents?: unknown
  readonly preconditions?: Unchecked<Preconditions>
  readonly propagationPolicy?: unknown
}

export type FieldSelectorRequirement = {
  readonly key?: unknown
  readonly operator?: unknown
  readonly values?: unknown
}

export type GroupResource = {
  readonly group?: unknown
  readonly resource?: unknown
}

export type GroupVersionForDiscovery = {
  readonly groupVersion?: unknown
  readonly version?: unknown
}

export type LabelSelector = {
  readonly matchExpressions?: Unchecked<readonly LabelSelectorRequirement[]>
  readonly matchLabels?: unknown
}

export type LabelSelectorRequirement = {
  readonly key?: unknown
  readonly operator?: unknown
  readonly values?: unknown
}

export type ListMeta = {
  readonly continue?: unknown
  readonly remainingItemCount?: unknown
  readonly resourceVersion?: unknown
  readonly selfLink?: unknown
  readonly shardInfo?: Unchecked<ShardInfo>
}

export type ManagedFieldsEntry = {
  readonly apiVersion?: unknown
  readonly fieldsType?: unknown
  readonly fieldsV1?: unknown
  readonly manager?: unknown
  readonly operation?: unknown
  readonly subresource?: unknown
  readonly time?: unknown
}

export type ObjectMeta = {
  readonly annotations?: unknown
  readonly creationTimestamp?: unknown
  readonly deletionGracePeriodSeconds?: unknown
  readonly deletionTimestamp?: unknown
  readonly finalizers?: unknown
  readonly generateName?: unknown
  readonly generation?: unknown
  readonly labels?: unknown
  readonly managedFields?: Unchecked<readonly ManagedFieldsEntry[]>
  readonly name?: unknown
  readonly namespace?: unknown
  readonly ownerReferences?: Unchecked<readonly OwnerReference[]>
  readonly resourceVersion?: unknown
  readonly selfLink?: unknown
  readonly uid?: unknown
}

export type OwnerReference = {
  readonly apiVersion?: unknown
  readonly blockOwnerDeletion?: unknown
  readonly controller?: unknown
  readonly kind?: unknown
  readonly name?: unknown
  readonly uid?: unknown
}

export type Preconditions = {
  readonly resourceVersion?: unknown
  readonly uid?: unknown
}

export type ServerAddressByClientCIDR = {
  readonly clientCIDR?: unknown
  readonly serverAddress?: unknown
}

export type ShardInfo = {
  readonly selector?: unknown
}

export type Status = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly code?: unknown
  readonly details?: Unchecked<StatusDetails>
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
}

export type StatusCause = {
  readonly field?: unknown
  readonly message?: unknown
  readonly reason?: unknown
}

export type StatusDetails = {
  readonly causes?: Unchecked<readonly StatusCause[]>
  readonly group?: unknown
  readonly kind?: unknown
  readonly name?: unknown
  readonly retryAfterSeconds?: unknown
  readonly uid?: unknown
}

export type WatchEvent = {
  readonly object?: unknown
  readonly type?: unknown
}
