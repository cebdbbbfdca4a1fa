import { objectOf, objectsOf, textAt, valueAt } from '../../machinery/read.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { parseResourceList, type ResourceList } from '../../quantity/resource-list.ts'

/** Pods of a binding that are alike. */
export interface PodGroup {
  /** At least 0. */
  readonly pods: bigint
  /** The requests of one of them. */
  readonly requests: ResourceList
  /** The name of their PriorityClass; '' for none. */
  readonly priorityClass: string
}

/** The pods of a binding, read from some of its fields. */
export type PodView = readonly PodGroup[]

/**
 * Returns the pods that a ResourceBinding stands for, as its replicas say and as its components say. Fields may contradict each other, so the
 * larger of what they say counts: a field that is left out must not make pods free. A view without groups says nothing of pods.
 * Throws QuantityError where a request cannot be read.
 */
export function podViews(binding: KubeObject): readonly PodView[] {
  const spec = objectOf(binding['spec'])
  const clusters = objectsOf(spec['clusters'])
  return [replicasView(spec, clusters), componentsView(objectsOf(spec['components']), clusters)]
}

/**
 * The replicas in all target clusters, but no fewer than the binding declares, which is what the clusters are to get next. Clusters of which
 * none says how many it gets run the declared replicas each: Karmada changes no number there.
 */
function replicasView(spec: JsonObject, clusters: readonly JsonObject[]): PodView {
  const declared = replicasOf(spec)
  const scheduled = sum(clusters.map(replicasOf))
  const pods = scheduled === 0n ? declared * placesIn(clusters) : larger(declared, scheduled)
  return pods === 0n && spec['replicaRequirements'] === undefined ? [] : [groupOf(spec, pods)]
}

/** The declared replicas of each component in every target cluster, but no fewer than the clusters say of it. */
function componentsView(components: readonly JsonObject[], clusters: readonly JsonObject[]): PodView {
  const scheduled = new Map<string, bigint>()
  for (const component of clusters.flatMap((cluster) => objectsOf(cluster['components']))) {
    const name = textAt(component, 'name')
    scheduled.set(name, (scheduled.get(name) ?? 0n) + replicasOf(component))
  }
  const groups = components.map((component) => {
    const name = textAt(component, 'name')
    const pods = larger(replicasOf(component) * placesIn(clusters), scheduled.get(name) ?? 0n)
    // Of components with the same name the first has what the clusters say.
    scheduled.delete(name)
    return groupOf(component, pods)
  })
  const undeclared = sum([...scheduled.values()])
  return undeclared === 0n ? groups : [...groups, groupOf({}, undeclared)]
}

/** A binding without target clusters is taken as if there were one. */
const placesIn = (clusters: readonly JsonObject[]): bigint => BigInt(Math.max(1, clusters.length))

const larger = (a: bigint, b: bigint): bigint => (a < b ? b : a)

const sum = (counts: readonly bigint[]): bigint => counts.reduce((total, count) => total + count, 0n)

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
