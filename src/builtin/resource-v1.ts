// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Named, Unchecked } from '../machinery/read.ts'
import type { NodeSelector } from './core-v1.ts'
import type { Condition, ObjectMeta } from './meta-v1.ts'

export type AllocatedDeviceStatus = {
  readonly conditions?: Unchecked<readonly Condition[]>
  readonly data?: unknown
  readonly device?: unknown
  readonly driver?: unknown
  readonly networkData?: Unchecked<NetworkDeviceData>
  readonly pool?: unknown
  readonly shareID?: unknown
}

export type AllocationResult = {
  readonly allocationTimestamp?: unknown
  readonly devices?: Unchecked<DeviceAllocationResult>
  readonly nodeSelector?: Unchecked<NodeSelector>
}

export type CELDeviceSelector = {
  readonly expression?: unknown
}

export type CapacityRequestPolicy = {
  readonly default?: unknown
  readonly validRange?: Unchecked<CapacityRequestPolicyRange>
  readonly validValues?: unknown
}

export type CapacityRequestPolicyRange = {
  readonly max?: unknown
  readonly min?: unknown
  readonly step?: unknown
}

export type CapacityRequirements = {
  readonly requests?: unknown
}

export type Counter = {
  readonly value?: unknown
}

export type CounterSet = {
  readonly counters?: Unchecked<Named<Unchecked<Counter>>>
  readonly name?: unknown
}

export type Device = {
  readonly allNodes?: unknown
  readonly allowMultipleAllocations?: unknown
  readonly attributes?: Unchecked<Named<Unchecked<DeviceAttribute>>>
  readonly bindingConditions?: unknown
  readonly bindingFailureConditions?: unknown
  readonly bindsToNode?: unknown
  readonly capacity?: Unchecked<Named<Unchecked<DeviceCapacity>>>
  readonly consumesCounters?: Unchecked<readonly DeviceCounterConsumption[]>
  readonly name?: unknown
  readonly nodeAllocatableResourceMappings?: Unchecked<Named<Unchecked<NodeAllocatableResourceMapping>>>
  readonly nodeName?: unknown
  readonly nodeSelector?: Unchecked<NodeSelector>
  readonly taints?: Unchecked<readonly DeviceTaint[]>
}

export type DeviceAllocationConfiguration = {
  readonly opaque?: Unchecked<OpaqueDeviceConfiguration>
  readonly requests?: unknown
  readonly source?: unknown
}

export type DeviceAllocationResult = {
  readonly config?: Unchecked<readonly DeviceAllocationConfiguration[]>
  readonly results?: Unchecked<readonly DeviceRequestAllocationResult[]>
}

export type DeviceAttribute = {
  readonly bool?: unknown
  readonly bools?: unknown
  readonly int?: unknown
  readonly ints?: unknown
  readonly string?: unknown
  readonly strings?: unknown
  readonly version?: unknown
  readonly versions?: unknown
}

export type DeviceCapacity = {
  readonly requestPolicy?: Unchecked<CapacityRequestPolicy>
  readonly value?: unknown
}

export type DeviceClaim = {
  readonly config?: Unchecked<readonly DeviceClaimConfiguration[]>
  readonly constraints?: Unchecked<readonly DeviceConstraint[]>
  readonly requests?: Unchecked<readonly DeviceRequest[]>
}

export type DeviceClaimConfiguration = {
  readonly opaque?: Unchecked<OpaqueDeviceConfiguration>
  readonly requests?: unknown
}

export type DeviceClass = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<DeviceClassSpec>
}

export type DeviceClassConfiguration = {
  readonly opaque?: Unchecked<OpaqueDeviceConfiguration>
}

export type DeviceClassSpec = {
  readonly config?: Unchecked<readonly DeviceClassConfiguration[]>
  readonly extendedResourceName?: unknown
  readonly selectors?: Unchecked<readonly DeviceSelector[]>
}

export type DeviceConstraint = {
  readonly distinctAttribute?: unknown
  readonly matchAttribute?: unknown
  readonly requests?: unknown
}

export type DeviceCounterConsumption = {
  readonly counterSet?: unknown
  readonly counters?: Unchecked<Named<Unchecked<Counter>>>
}

export type DeviceRequest = {
  readonly exactly?: Unchecked<ExactDeviceRequest>
  readonly firstAvailable?: Unchecked<readonly DeviceSubRequest[]>
  readonly name?: unknown
}

export type DeviceRequestAllocationResult = {
  readonly adminAccess?: unknown
  readonly bindingConditions?: unknown
  readonly bindingFailureConditions?: unknown
  readonly consumedCapacity?: unknown
  readonly device?: unknown
  readonly driver?: unknown
  readonly pool?: unknown
  readonly request?: unknown
  readonly shareID?: unknown
  readonly tolerations?: Unchecked<readonly DeviceToleration[]>
}

export type DeviceSelector = {
  readonly cel?: Unchecked<CELDeviceSelector>
}

export type DeviceSubRequest = {
  readonly allocationMode?: unknown
  readonly capacity?: Unchecked<CapacityRequirements>
  readonly count?: unknown
  readonly deviceClassName?: unknown
  readonly name?: unknown
  readonly selectors?: Unchecked<readonly DeviceSelector[]>
  readonly tolerations?: Unchecked<readonly DeviceToleration[]>
}

export type DeviceTaint = {
  readonly effect?: unknown
  readonly key?: unknown
  readonly timeAdded?: unknown
  readonly value?: unknown
}

export type DeviceToleration = {
  readonly effect?: unknown
  readonly key?: unknown
  readonly operator?: unknown
  readonly tolerationSeconds?: unknown
  readonly value?: unknown
}

export type ExactDeviceRequest = {
  readonly adminAccess?: unknown
  readonly allocationMode?: unknown
  readonly capacity?: Unchecked<CapacityRequirements>
  readonly count?: unknown
  readonly deviceClassName?: unknown
  readonly selectors?: Unchecked<readonly DeviceSelector[]>
  readonly tolerations?: Unchecked<readonly DeviceToleration[]>
}

export type NetworkDeviceData = {
  readonly hardwareAddress?: unknown
  readonly interfaceName?: unknown
  readonly ips?: unknown
}

export type NodeAllocatableResourceMapping = {
  readonly allocationMultiplier?: unknown
  readonly capacityKey?: unknown
}

export type OpaqueDeviceConfiguration = {
  readonly driver?: unknown
  readonly parameters?: unknown
}

export type ResourceClaim = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ResourceClaimSpec>
  readonly status?: Unchecked<ResourceClaimStatus>
}

export type ResourceClaimConsumerReference = {
  readonly apiGroup?: unknown
  readonly name?: unknown
  readonly resource?: unknown
  readonly uid?: unknown
}

export type ResourceClaimSpec = {
  readonly devices?: Unchecked<DeviceClaim>
}

export type ResourceClaimStatus = {
  readonly allocation?: Unchecked<AllocationResult>
  readonly devices?: Unchecked<readonly AllocatedDeviceStatus[]>
  readonly reservedFor?: Unchecked<readonly ResourceClaimConsumerReference[]>
}

export type ResourceClaimTemplate = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ResourceClaimTemplateSpec>
}

export type ResourceClaimTemplateSpec = {
  readonly metadata?: Unchecked<ObjectMeta>
  readonly spec?: Unchecked<ResourceClaimSpec>
}

export type ResourcePool = {
  readonly generation?: unknown
  readonly name?: unknown
  readonly resourceSliceCount?: unknown
}

export type ResourceSlice = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ResourceSliceSpec>
}

export type ResourceSliceSpec = {
  readonly allNodes?: unknown
  readonly devices?: Unchecked<readonly Device[]>
  readonly driver?: unknown
  readonly nodeName?: unknown
  readonly nodeSelector?: Unchecked<NodeSelector>
  readonly perDeviceNodeSelection?: unknown
  readonly pool?: Unchecked<ResourcePool>
  readonly sharedCounters?: Unchecked<readonly CounterSet[]>
}
