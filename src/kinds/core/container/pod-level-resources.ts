import type { Container, PodSpec } from '../../../builtin/core-v1.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import type { Quantity } from '../../../quantity/quantity.ts'
import { amountOf } from '../../rule/quantity-field.ts'
import { set } from '../../rule/change.ts'
import { absent, isEmptyMap, objectOf, objectsOf } from '../../../machinery/read.ts'

type Amounts = ReadonlyMap<string, Quantity>

/** The resources that a pod as a whole may ask for. */
export const isPodLevelName = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')

/** Has the spec of a pod resources of its own, besides its containers' (component-helpers `IsPodLevelResourcesSet`)? */
export function hasPodLevelResources({ resources }: PodSpec): boolean {
  if (absent(resources)) return false
  const { requests, limits } = objectOf(resources)
  return [requests, limits].some((side) => Object.keys(objectOf(side)).some(isPodLevelName))
}

const mayOvercommit = (name: string): boolean => !name.startsWith('hugepages-')

/**
 * Returns the request of all containers: the sum of the running ones, or the request of an init container with the sidecars
 * started before it, whichever is more (component-helpers `AggregateContainerRequests`).
 */
export function aggregate(spec: PodSpec, side: 'requests' | 'limits'): Amounts {
  const sum = new Map<string, Quantity>()
  for (const container of objectsOf(spec.containers)) addTo(sum, amountsOf(container, side))
  const sidecars = new Map<string, Quantity>()
  const peak = new Map<string, Quantity>()
  for (const container of objectsOf(spec.initContainers)) {
    const own = amountsOf(container, side)
    if (container.restartPolicy === 'Always') {
      addTo(sum, own)
      addTo(sidecars, own)
      raiseTo(peak, sidecars)
    } else {
      const beside = new Map(own)
      addTo(beside, sidecars)
      raiseTo(peak, beside)
    }
  }
  raiseTo(sum, peak)
  return sum
}

function amountsOf(container: Container, side: 'requests' | 'limits'): Amounts {
  const amounts = new Map<string, Quantity>()
  for (const [name, value] of Object.entries(objectOf(objectOf(container.resources)[side]))) {
    const amount = amountOf(value)
    if (amount !== undefined) amounts.set(name, amount)
  }
  return amounts
}

function addTo(total: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) total.set(name, total.get(name)?.add(amount) ?? amount)
}

function raiseTo(total: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const before = total.get(name)
    if (before === undefined || before.cmp(amount) < 0) total.set(name, amount)
  }
}

/**
 * Completes a pod-level `resources` that says something already (core/v1 `defaultHugePagePodLimits`, `defaultPodRequests`,
 * `defaultPodLimits`): requests from the containers' sums, else from the pod's limits; limits from the containers' sums
 * where every container has one.
 */
export function podLevelDefaults<T extends JsonObject>(spec: T): T {
  if (absent(spec.resources)) return spec
  const resources = objectOf(spec.resources)
  if (isEmptyMap(resources.limits) && isEmptyMap(resources.requests)) return spec
  const hadLimits = Object.keys(objectOf(resources.limits)).some(isPodLevelName)
  const limits: Record<string, unknown> = { ...objectOf(resources.limits) }
  const requests: Record<string, unknown> = { ...objectOf(resources.requests) }
  const fromContainers = aggregate(spec, 'limits')
  for (const [name, amount] of fromContainers) {
    if (isPodLevelName(name) && !mayOvercommit(name) && !(name in requests) && !(name in limits))
      limits[name] = amount.toString()
  }
  if (Object.keys(limits).length > 0) {
    for (const [name, amount] of aggregate(spec, 'requests')) {
      if (isPodLevelName(name) && mayOvercommit(name) && !(name in requests)) requests[name] = amount.toString()
    }
    for (const [name, value] of Object.entries(limits))
      if (isPodLevelName(name) && !(name in requests)) requests[name] = value
  }
  if (!hadLimits && Object.keys(requests).some(isPodLevelName)) {
    for (const [name, amount] of fromContainers) {
      const wanted = isPodLevelName(name) && mayOvercommit(name) && !(name in limits)
      if (wanted && everyContainerLimits(spec, name)) limits[name] = amount.toString()
    }
  }
  let completed: JsonObject = resources
  if (Object.keys(limits).length > 0) completed = set(completed, 'limits', limits)
  if (Object.keys(requests).length > 0) completed = set(completed, 'requests', requests)
  return set(spec, 'resources', completed)
}

function everyContainerLimits(spec: JsonObject, name: string): boolean {
  const containers = [...objectsOf(spec.containers), ...objectsOf(spec.initContainers)]
  return containers.every((container) => name in objectOf(objectOf(container.resources).limits))
}
