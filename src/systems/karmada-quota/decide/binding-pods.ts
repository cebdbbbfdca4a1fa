import { objectOf, objectsOf, textAt, valueAt } from '../../../machinery/read.ts'
import { wholeNumber } from '../../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { parseResourceList, type ResourceList } from '../../../quantity/resource-list.ts'
import { duplicatedPlaces, isUnplaced } from './binding-placement.ts'

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

/** Are the pods meant that a binding is charged for, or only those that its target clusters run? */
export type PodsOf = 'charged' | 'running'

/**
 * Returns the pods that a ResourceBinding stands for, as its replicas say and as its components say. Fields may contradict each other, so the
 * larger of what they say counts: a field that is left out must not make pods free. A view without groups says nothing of pods. A binding
 * that the scheduler could not place is charged for what runs. Throws QuantityError where a request cannot be read.
 */
export function podViews(binding: KubeObject, of: PodsOf = 'charged'): readonly PodView[] {
  const spec = objectOf(binding['spec'])
  const clusters = objectsOf(spec['clusters'])
  const places = of === 'running' || isUnplaced(binding) ? 'running' : duplicatedPlaces(binding)
  return [replicasView(spec, clusters, places), componentsView(objectsOf(spec['components']), clusters, places)]
}

/** How many clusters are to run all that a binding declares; undefined where they share it. `running`: those that do so already. */
type Places = number | 'running' | undefined

/**
 * The replicas in all target clusters, but no fewer than the clusters are to get next by what the binding declares. Clusters of which
 * none says how many it gets run the declared replicas each: Karmada changes no number there.
 */
function replicasView(spec: JsonObject, clusters: readonly JsonObject[], places: Places): PodView {
  const declared = replicasOf(spec)
  const scheduled = sum(clusters.map(replicasOf))
  const isForEach = typeof places === 'number' || scheduled === 0n
  const next = isForEach ? declared * placesIn(clusters, places) : places === 'running' ? 0n : declared
  const pods = larger(next, scheduled)
  return pods === 0n && spec['replicaRequirements'] === undefined ? [] : [groupOf(spec, pods)]
}

/** The declared replicas of each component in every target cluster, but no fewer than the clusters say of it. */
function componentsView(components: readonly JsonObject[], clusters: readonly JsonObject[], places: Places): PodView {
  const scheduled = new Map<string, bigint>()
  for (const component of clusters.flatMap((cluster) => objectsOf(cluster['components']))) {
    const name = textAt(component, 'name')
    scheduled.set(name, (scheduled.get(name) ?? 0n) + replicasOf(component))
  }
  const groups = components.map((component) => {
    const name = textAt(component, 'name')
    const pods = larger(replicasOf(component) * placesIn(clusters, places), scheduled.get(name) ?? 0n)
    // Of components with the same name the first has what the clusters say.
    scheduled.delete(name)
    return groupOf(component, pods)
  })
  const undeclared = sum([...scheduled.values()])
  return undeclared === 0n ? groups : [...groups, groupOf({}, undeclared)]
}

/** A binding without target clusters is charged as if there were one. */
function placesIn({ length }: readonly JsonObject[], places: Places): bigint {
  if (typeof places === 'number') return BigInt(places)
  return BigInt(places === 'running' ? length : Math.max(1, length))
}

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
