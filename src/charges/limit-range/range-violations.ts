import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { podLimits, podRequests } from '../evaluators/pod-resources.ts'
import { inOrder, type LimitAmounts, limitViolations } from './limit-violations.ts'

const section = (object: JsonObject, name: string): JsonObject => objectOf(object[name])

const amounts = (list: JsonObject): LimitAmounts =>
  new Map(Object.entries(list).map(([name, value]) => [name, Quantity.fromJson(value)]))

/**
 * The violations of one LimitRange by a pod or a claim of a volume, as upstream's LimitRanger words them. They are made one after the other: each costs
 * as much as the object holds, and callers need a few. `bucket`: `pods` or `persistentvolumeclaims`. Throws QuantityError.
 */
export function* rangeViolations(range: KubeObject, bucket: string, object: KubeObject): Generator<string, void> {
  const spec = section(object, 'spec')
  for (const limit of objectsOf(section(range, 'spec')['limits'])) {
    const bounds = {
      min: inOrder(amounts(section(limit, 'min'))),
      max: inOrder(amounts(section(limit, 'max'))),
      ratio: inOrder(amounts(section(limit, 'maxLimitRequestRatio'))),
    }
    const type = String(limit['type'])
    if (bucket === 'persistentvolumeclaims') {
      if (type !== 'PersistentVolumeClaim') continue
      const requests = amounts(section(section(spec, 'resources'), 'requests'))
      yield* limitViolations({ ...bounds, ratio: new Map() }, type, requests, undefined)
    } else if (type === 'Pod') yield* limitViolations(bounds, type, podRequests(object), podLimits(object))
    else if (type === 'Container')
      for (const list of ['containers', 'initContainers'])
        for (const container of objectsOf(spec[list])) {
          const resources = section(container, 'resources')
          const requests = amounts(section(resources, 'requests'))
          yield* limitViolations(bounds, type, requests, amounts(section(resources, 'limits')))
        }
  }
}
