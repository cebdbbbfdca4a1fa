import type { Pod } from '../../builtin/core-v1.ts'
import type {
  DeviceClass,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
} from '../../builtin/resource-v1.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import { givenObject, givenObjects, objectOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../quantity/resource-list.ts'
import type { Evaluator, Measuring } from '../evaluator.ts'
import { countName, ONE } from './object-count.ts'
import { canBeRequested, countsExtended, IMPLICIT_EXTENDED, podEvaluator, REQUESTS } from './pod.ts'

const RESOURCE = { group: 'resource.k8s.io', resource: 'resourceclaims' }
export const DEVICE_CLASSES = { group: 'resource.k8s.io', resource: 'deviceclasses' }
const EXTENDED_ANNOTATION = 'resource.kubernetes.io/extended-resource-claim'
const DEVICES = '.deviceclass.resource.k8s.io/devices'

/** An allocation holds at most this many devices, so a request for all of them is charged as many. */
const ALL_DEVICES = 32n

/**
 * ResourceClaims: their number, and the devices that they may get, by device class. The devices count once more as the
 * extended resources that stand for them. Pods that ask for devices without a claim are charged under the same names
 * (docs/concepts/charging.md; with DRAExtendedResource, which 1.36 has on).
 */
export const resourceClaimEvaluator: Evaluator = {
  ...RESOURCE,
  handles: ({ operation, subresource }) => (operation === 'CREATE' || operation === 'UPDATE') && subresource === '',
  names: [countName(RESOURCE), `*${DEVICES}`],
  charges: (name) => !countsExtended(name) || canBeRequested(name),
  counts: (name) => name === countName(RESOURCE) || name.endsWith(DEVICES) || countsExtended(name),
  entangled: (claim) => extendedClaimOwner(claim) !== undefined,
  usage: claimUsage,
}

function claimUsage(claim: ResourceClaim, measuring: Measuring): ResourceList {
  const devices = new Map<string, bigint>()
  for (const request of givenObjects(objectOf(specOf(claim).devices).requests)) {
    for (const [deviceClass, count] of devicesOf(request)) {
      devices.set(deviceClass, (devices.get(deviceClass) ?? 0n) + count)
    }
  }
  const counts = [...devices].map(([deviceClass, count]) => [deviceClass + DEVICES, Quantity.of(count)])
  return { [countName(RESOURCE)]: ONE, ...Object.fromEntries(counts), ...extendedUsage(claim, devices, measuring) }
}

/** The extended resource that stands for devices of a class; empty where the class, or the name of it, is missing. */
export function extendedResourceOf(deviceClass: DeviceClass | undefined): string {
  return deviceClass === undefined ? '' : textOf(specOf(deviceClass).extendedResourceName)
}

/** The devices by the extended resources of their classes, less what the pod that a claim was made for is charged itself. */
function extendedUsage(claim: ResourceClaim, devices: ReadonlyMap<string, bigint>, measuring: Measuring): ResourceList {
  const counts = new Map<string, bigint>()
  for (const [deviceClass, count] of devices) {
    const explicit = extendedResourceOf(measuring.lookup?.find(DEVICE_CLASSES, '', deviceClass))
    for (const name of [IMPLICIT_EXTENDED + deviceClass, ...(explicit === '' ? [] : [explicit])]) {
      counts.set(REQUESTS + name, (counts.get(REQUESTS + name) ?? 0n) + count)
    }
  }
  const charged = chargedToPod(claim, measuring)
  const rest = [...counts].map(([name, count]): [string, Quantity] => {
    const amount = Quantity.of(count)
    return [name, amount.sub(quantityOf(charged, name) ?? Quantity.zero)]
  })
  return Object.fromEntries(rest.filter(([, amount]) => amount.sign() > 0))
}

/** Returns the charges of the pod for which this claim was made. There are none if another claim may serve that pod. */
function chargedToPod(claim: ResourceClaim, measuring: Measuring): ResourceList {
  const owner = extendedClaimOwner(claim)
  const { lookup } = measuring
  if (owner === undefined || lookup === undefined) return {}
  const namespace = claim.metadata.namespace ?? ''
  const pod = lookup.find(podEvaluator, namespace, owner.name)
  if (pod === undefined || pod.metadata.uid !== owner.uid) return {}
  const status = givenObject(statusOf<Pod>(pod).extendedResourceClaimStatus)
  const serves =
    status === undefined
      ? isOnlyClaimOf(owner, claim, lookup.list(RESOURCE, namespace))
      : textOf(status.resourceClaimName) === claim.metadata.name
  return serves ? podEvaluator.usage(pod, measuring) : {}
}

/** Of alternatives only one will be allocated: each class is charged the most that any of its alternatives takes. */
function devicesOf(request: DeviceRequest): ReadonlyMap<string, bigint> {
  const exactly = givenObject(request.exactly)
  if (exactly !== undefined) return new Map([[textOf(exactly.deviceClassName), deviceCount(exactly)]])
  const most = new Map<string, bigint>()
  for (const alternative of givenObjects(request.firstAvailable)) {
    const deviceClass = textOf(alternative.deviceClassName)
    const count = deviceCount(alternative)
    const known = most.get(deviceClass)
    if (known === undefined || count > known) most.set(deviceClass, count)
  }
  return most
}

function deviceCount({ allocationMode, count }: ExactDeviceRequest | DeviceSubRequest): bigint {
  switch (allocationMode ?? 'ExactCount') {
    case 'ExactCount':
      return wholeNumber(count ?? 1) ?? 0n
    case 'All':
      return ALL_DEVICES
    default:
      return 0n
  }
}

/**
 * Returns the pod for which the scheduler made a claim, because the pod asks for extended resources that devices serve.
 * Returns undefined for claims that people write.
 */
function extendedClaimOwner({ metadata }: ResourceClaim): OwnerReference | undefined {
  if (metadata.annotations?.[EXTENDED_ANNOTATION] !== 'true') return undefined
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind, controller }) => apiVersion === 'v1' && kind === 'Pod' && controller === true,
  )
}

/** Reports whether no other of these claims is made for the same pod. */
function isOnlyClaimOf(owner: OwnerReference, claim: ResourceClaim, claims: Iterable<KubeObject>): boolean {
  for (const other of claims) {
    if (other.metadata.name !== claim.metadata.name && extendedClaimOwner(other)?.uid === owner.uid) return false
  }
  return true
}
