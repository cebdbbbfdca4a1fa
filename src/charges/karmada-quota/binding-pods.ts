import { objectOf, objectsOf, textAt, valueAt } from '../../machinery/read.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { equals, parseResourceList, type ResourceList } from '../../quantity/resource-list.ts'

/** Pods of a binding that are alike. */
export interface PodGroup {
  /** At least 0. */
  readonly pods: bigint
  /** The requests of one of them. */
  readonly requests: ResourceList
  /** The name of their PriorityClass; '' for none. */
  readonly priorityClass: string
}

/**
 * Returns the pods that a ResourceBinding stands for: of a binding with components one group for each, in every target cluster; of any
 * other one group with the replicas of its target clusters together. A binding without target clusters is taken by what it declares, as
 * if there were one. A binding that says nothing of pods has none. Throws QuantityError where a request cannot be read.
 */
export function podGroups(binding: KubeObject): readonly PodGroup[] {
  const spec = objectOf(binding['spec'])
  const clusters = objectsOf(spec['clusters'])
  const components = objectsOf(spec['components'])
  if (components.length > 0) {
    const places = BigInt(Math.max(1, clusters.length))
    return components.map((component) => groupOf(component, replicasOf(component) * places))
  }
  const pods =
    clusters.length === 0 ? replicasOf(spec) : clusters.reduce((sum, cluster) => sum + replicasOf(cluster), 0n)
  return pods === 0n && spec['replicaRequirements'] === undefined ? [] : [groupOf(spec, pods)]
}

/** Do two bindings stand for the same pods? Then a change from one to the other changes no usage. */
export function areSamePods(a: readonly PodGroup[], b: readonly PodGroup[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => {
      const other = b[index]
      return (
        other !== undefined &&
        one.pods === other.pods &&
        one.priorityClass === other.priorityClass &&
        equals(one.requests, other.requests)
      )
    })
  )
}

function groupOf(of: JsonObject, pods: bigint): PodGroup {
  return {
    pods,
    requests: parseResourceList(objectOf(valueAt(of, 'replicaRequirements', 'resourceRequest'))),
    priorityClass: textAt(of, 'replicaRequirements', 'priorityClassName'),
  }
}

function replicasOf({ replicas }: JsonObject): bigint {
  const count = wholeNumber(replicas) ?? 0n
  return count < 0n ? 0n : count
}
