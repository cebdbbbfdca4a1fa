import type { LimitRange, PersistentVolumeClaim, Pod } from '../../builtin/core-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, specOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { podLimits, podRequests } from '../evaluators/pod-resources.ts'
import { inOrder, type LimitAmounts, limitViolations } from './limit-violations.ts'

const amounts = (list: unknown): LimitAmounts =>
  new Map(Object.entries(objectOf(list)).map(([name, value]) => [name, Quantity.fromJson(value)]))

/**
 * The violations of one LimitRange by a pod or a claim of a volume, as upstream's LimitRanger words them. They are made one after the other: each costs
 * as much as the object holds, and callers need a few. `bucket`: `pods` or `persistentvolumeclaims`. Throws QuantityError.
 */
export function* rangeViolations(range: LimitRange, bucket: string, object: KubeObject): Generator<string, void> {
  for (const limit of objectsOf(specOf(range).limits)) {
    const bounds = {
      min: inOrder(amounts(limit.min)),
      max: inOrder(amounts(limit.max)),
      ratio: inOrder(amounts(limit.maxLimitRequestRatio)),
    }
    const type = String(limit.type)
    if (bucket === 'persistentvolumeclaims') {
      if (type !== 'PersistentVolumeClaim') continue
      const requests = amounts(objectOf(specOf<PersistentVolumeClaim>(object).resources).requests)
      yield* limitViolations({ ...bounds, ratio: new Map() }, type, requests, undefined)
    } else if (type === 'Pod') yield* limitViolations(bounds, type, podRequests(object), podLimits(object))
    else if (type === 'Container') {
      const { containers, initContainers } = specOf<Pod>(object)
      for (const list of [containers, initContainers])
        for (const container of objectsOf(list)) {
          const { requests, limits } = objectOf(container.resources)
          yield* limitViolations(bounds, type, amounts(requests), amounts(limits))
        }
    }
  }
}
