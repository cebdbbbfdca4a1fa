import type { Pod } from '../../../builtin/core-v1.ts'
import type { StatefulSet } from '../../../builtin/apps-v1.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { countOf, objectOf, specOf, statusOf } from '../../../machinery/read.ts'
import { BURST } from '../shared/burst.ts'
import { isAvailable, isDeleting, isFinished, isReady, phaseOf } from '../shared/pod-facts.ts'
import { POD_REVISION } from '../shared/revision-history.ts'

/** The names of the revisions that a rolling update leads from and to. */
export interface RevisionNames {
  readonly current: string
  readonly update: string
}

export interface StatefulPlan {
  /** The ordinals of the pods to make now, lowest first; no more than a burst. */
  readonly create: readonly number[]
  /** Pods that have ended, or that the set does not want any more. */
  readonly remove: readonly KubeObject[]
  /** The outdated pod that goes once all that is missing has been made. */
  readonly renew: readonly KubeObject[]
  /** Pods that the set does not want any more. They are deleted if a missing pod is refused, because they may hold its room. */
  readonly ifRefused: readonly KubeObject[]
}

export const revisionOf = ({ metadata }: KubeObject): string => metadata.labels?.[POD_REVISION] ?? ''

const MAX_ORDINAL = 2 ** 31 - 1

/** The number in the name of a set's pod; -1 for a pod whose name is not one of the set's, as one of more than 32 bits. */
export function ordinalOf(set: StatefulSet, { metadata }: KubeObject): number {
  const prefix = `${set.metadata.name ?? ''}-`
  const { name = '' } = metadata
  const number = name.slice(prefix.length)
  const isOne = name.startsWith(prefix) && /^(0|[1-9][0-9]{0,9})$/.test(number) && Number(number) <= MAX_ORDINAL
  return isOne ? Number(number) : -1
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= startOf(set) && ordinal < endOf(set)
}

/** The revision of a pod that is made now: below the partition the one that the set comes from. */
export function revisionFor(set: StatefulSet, ordinal: number, { current, update }: RevisionNames): string {
  return isRolling(set) && ordinal < startOf(set) + partitionOf(set) ? current : update
}

/**
 * Which pods to make and which to delete. In order, nothing is done beyond a pod that is not available; in parallel all is
 * done at once. Only what is complete is updated, from the highest ordinal down, a pod at a time. (`maxUnavailable` belongs
 * to the gate MaxUnavailableStatefulSet, which is off in 1.36.) Pure.
 */
export function planStatefulSet(set: StatefulSet, pods: readonly Pod[], update: string, now: number): StatefulPlan {
  const spec = specOf(set)
  const delay = countOf(spec['minReadySeconds'])
  const isUp = (pod: Pod | undefined): pod is KubeObject =>
    pod !== undefined && phaseOf(pod) === 'Running' && !isDeleting(pod) && isAvailable(pod, delay, now)
  const inOrder = spec['podManagementPolicy'] !== 'Parallel'
  const present = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]))
  const create: number[] = []
  const remove = new Set<KubeObject>()
  const condemned = [...present].filter(([ordinal]) => ordinal >= 0 && !isInRange(set, ordinal)).toSorted(byOrdinal)
  const highest = condemned.at(-1)?.[1]
  const ifRefused = highest === undefined || isDeleting(highest) ? [] : [highest]
  const planned = (renew: readonly KubeObject[] = []): StatefulPlan => ({
    create,
    remove: [...remove],
    renew,
    ifRefused: [],
  })

  // A set may want two thousand million pods. Only the existing pods are looked at, and those that may be made now.
  for (let ordinal = startOf(set); ordinal < endOf(set) && create.length < BURST; ordinal++) {
    const pod = present.get(ordinal)
    if (pod === undefined) create.push(ordinal)
    if (!inOrder || isUp(pod)) continue
    if (pod !== undefined && isOver(pod)) remove.add(pod)
    return pod === undefined ? { ...planned(), ifRefused } : planned()
  }
  for (const [ordinal, pod] of [...present].toSorted(byOrdinal))
    if (isInRange(set, ordinal) && isOver(pod)) remove.add(pod)

  const lowestDown = condemned.find(([, pod]) => !isUp(pod))?.[1]
  for (const [, pod] of condemned.toReversed()) {
    if (inOrder && (isDeleting(pod) || (!isUp(pod) && pod !== lowestDown))) return planned()
    if (!isDeleting(pod)) remove.add(pod)
    if (inOrder) return planned()
  }

  if (!isRolling(set)) return planned()
  for (let ordinal = endOf(set) - 1; ordinal >= startOf(set) + partitionOf(set); ordinal--) {
    const pod = present.get(ordinal)
    if (pod === undefined || remove.has(pod)) break
    if (revisionOf(pod) !== update && !isDeleting(pod)) return planned([pod])
    if (!isUp(pod)) break
  }
  return planned()
}

/** The status of a set with these pods; a rolling update that has reached all of them is over. */
export function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update, collisions }: RevisionNames & { readonly collisions: number },
  now: number,
): JsonObject {
  const spec = specOf(set)
  const delay = countOf(spec['minReadySeconds'])
  const replicas = countOf(spec['replicas'])
  const running = pods.filter((pod) => phaseOf(pod) === 'Running' && isReady(pod))
  const staying = pods.filter((pod) => !isDeleting(pod))
  const at = (revision: string): number => staying.filter((pod) => revisionOf(pod) === revision).length
  const hasArrived =
    isRolling(set) && [pods.length, running.length, at(update)].every((count) => count === replicas) && update !== ''
  const { conditions } = statusOf(set)
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    ...positive({
      readyReplicas: running.length,
      currentReplicas: at(hasArrived ? update : current),
      updatedReplicas: at(update),
    }),
    ...(current === '' ? {} : { currentRevision: hasArrived ? update : current, updateRevision: update }),
    collisionCount: collisions,
    availableReplicas: running.filter((pod) => isAvailable(pod, delay, now)).length,
    ...(conditions === undefined ? {} : { conditions }),
  }
}

const startOf = (set: StatefulSet): number => countOf(objectOf(specOf(set)['ordinals'])['start'])

/** The ordinal behind the last. Names say no higher ones than 32 bits hold, so no pods are made for them. */
const endOf = (set: StatefulSet): number => Math.min(startOf(set) + countOf(specOf(set)['replicas']), MAX_ORDINAL + 1)

/** Has the pod ended, and is not on its way out? */
const isOver = (pod: Pod): boolean => isFinished(pod) && !isDeleting(pod)

const isRolling = (set: StatefulSet): boolean => strategyOf(set)['type'] === 'RollingUpdate'

const partitionOf = (set: StatefulSet): number => countOf(objectOf(strategyOf(set)['rollingUpdate'])['partition'])

const strategyOf = (set: StatefulSet): JsonObject => objectOf(specOf(set)['updateStrategy'])

const byOrdinal = ([a]: readonly [number, unknown], [b]: readonly [number, unknown]): number => a - b

const positive = (counts: Readonly<Record<string, number>>): JsonObject =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
