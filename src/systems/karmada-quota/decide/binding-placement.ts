import { jsonEqual } from '../../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { numberOf, objectOf, objectsOf, textAt, textsOf } from '../../../machinery/read.ts'
import { conditionIn } from '../../../api/condition.ts'

/** The annotation in which Karmada's scheduler says which placement the target clusters of a binding come from. */
const APPLIED_PLACEMENT = 'policy.karmada.io/applied-placement'

/** The condition `Scheduled`, which Karmada's scheduler sets; undefined where it has not looked at the binding. */
export const scheduledCondition = (binding: KubeObject): JsonObject | undefined => conditionIn(binding, 'Scheduled')

/** Has the scheduler tried to place what the binding declares, and failed? Then its target clusters are what they were before. */
export const isUnplaced = (binding: KubeObject): boolean => {
  const condition = scheduledCondition(binding)
  return condition !== undefined && textAt(condition, 'status') === 'False'
}

/**
 * Returns the number of clusters of which each gets all that a binding declares; undefined where the clusters share it, or where the binding has no
 * placement. As long as the scheduler has not applied the placement, the clusters that it names count too.
 */
export function duplicatedPlaces(binding: KubeObject): number | undefined {
  const spec = objectOf(binding['spec'])
  const { placement } = spec
  if (placement === undefined || placement === null || !isDuplicated(objectOf(placement))) return undefined
  const { length: targets } = objectsOf(spec['clusters'])
  return targets > 0 && isApplied(binding, placement) ? targets : Math.max(targets, namedPlaces(objectOf(placement)))
}

/** A placement without a strategy for replicas duplicates them. */
function isDuplicated({ replicaScheduling }: JsonObject): boolean {
  if (replicaScheduling === undefined || replicaScheduling === null) return true
  return textAt(replicaScheduling, 'replicaSchedulingType') === 'Duplicated'
}

/** A scheduler that does not say what it applied is taken at its word: its clusters are those of the placement. */
function isApplied({ metadata }: KubeObject, placement: unknown): boolean {
  const applied = metadata.annotations?.[APPLIED_PLACEMENT]
  if (applied === undefined) return true
  try {
    return jsonEqual(JSON.parse(applied), placement)
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** The number of clusters that a placement is sure to mean, at least 1: of several groups of clusters the scheduler uses one. */
function namedPlaces(placement: JsonObject): number {
  const groups = objectsOf(placement['clusterAffinities'])
  const counts = (groups.length > 0 ? groups : [objectOf(placement['clusterAffinity'])]).map(namedIn)
  const most = objectsOf(placement['spreadConstraints'])
    .filter((one) => ['', 'cluster'].includes(textAt(one, 'spreadByField')) && textAt(one, 'spreadByLabel') === '')
    .map((one) => numberOf(one['maxGroups']) ?? 0)
    .filter((count) => count > 0)
  return Math.max(1, Math.min(...counts, ...most))
}

/** The clusters that are named and not excluded. Which of them a selector means as well is not known here. */
function namedIn({ clusterNames, exclude, labelSelector, fieldSelector }: JsonObject): number {
  if (labelSelector !== undefined || fieldSelector !== undefined) return 1
  return new Set(textsOf(clusterNames)).difference(new Set(textsOf(exclude))).size
}
