import type { Pod } from '../../builtin/core-v1.ts'
import { aggregate, isPodLevelName } from '../../kinds/core/container/pod-level-resources.ts'
import { specOf, valueAt } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { containersOf, type Side } from './next-pod.ts'

/** Stands for the pod as a whole among the names of containers, none of which has brackets. */
export const WHOLE_POD = '(pod)'

/** What a pod asks for as a whole, which counts in place of the sum of its containers. Throws QuantityError. */
export function podLevelAmount(pod: Pod, side: Side, resource: string): Quantity | undefined {
  const value = isPodLevelName(resource) ? valueAt(specOf(pod).resources, side, resource) : undefined
  return value === undefined ? undefined : Quantity.fromJson(value)
}

/** Is what the pod as a whole asks for enough for its containers, as validation demands (core/validation `validatePodResources`)? */
export function isEnoughForContainers(pod: Pod, resource: string): boolean {
  const [request, limit] = [podLevelAmount(pod, 'requests', resource), podLevelAmount(pod, 'limits', resource)]
  const sum = aggregate(specOf(pod), 'requests').get(resource)
  const limits = containersOf(pod).map((one) => valueAt(one, 'resources', 'limits', resource))
  const isBelow = (one: Quantity | undefined, than: Quantity | undefined): boolean =>
    one !== undefined && than !== undefined && one.cmp(than) < 0
  return (
    !isBelow(request, sum) &&
    !isBelow(limit, request) &&
    limits.every((value) => value === undefined || !isBelow(limit, Quantity.fromJson(value)))
  )
}
