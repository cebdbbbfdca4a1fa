import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { countOf, objectOf, specOf, statusOf } from '../kind/read.ts'
import { isAvailable, isDeleting, isFinished, isReady, phaseOf } from './pod-facts.ts'
import { POD_REVISION } from './revision-history.ts'

/** The names of the revisions that a rolling update leads from and to. */
export interface RevisionNames {
  readonly current: string
  readonly update: string
}

export interface StatefulPlan {
  /** The ordinals of the pods to make, lowest first. */
  readonly create: readonly number[]
  readonly remove: readonly KubeObject[]
}

export const revisionOf = ({ metadata }: KubeObject): string => metadata.labels?.[POD_REVISION] ?? ''

const MAX_ORDINAL = 2 ** 31 - 1

/** The number in the name of a set's pod; -1 for a pod whose name is not one of the set's, as one of more than 32 bits. */
export function ordinalOf(set: KubeObject, { metadata }: KubeObject): number {
  const prefix = `${set.metadata.name ?? ''}-`
  const { name = '' } = metadata
  const number = name.slice(prefix.length)
  const isOne = name.startsWith(prefix) && /^(0|[1-9][0-9]{0,9})$/.test(number) && Number(number) <= MAX_ORDINAL
  return isOne ? Number(number) : -1
}

export function isInRange(set: KubeObject, ordinal: number): boolean {
  const start = startOf(set)
  return ordinal >= start && ordinal < start + countOf(specOf(set)['replicas'])
}

/** The revision of a pod that is made now: below the partition the one that the set comes from. */
export function revisionFor(set: KubeObject, ordinal: number, { current, update }: RevisionNames): string {
  return isRolling(set) && ordinal < startOf(set) + partitionOf(set) ? current : update
}

/**
 * Which pods to make and which to delete. In order, nothing is done beyond a pod that is not available; in parallel all is
 * done at once. Only what is complete is updated, from the highest ordinal down, a pod at a time. (`maxUnavailable` belongs
 * to the gate MaxUnavailableStatefulSet, which is off in 1.36.) Pure.
 */
export function planStatefulSet(
  set: KubeObject,
  pods: readonly KubeObject[],
  update: string,
  now: number,
): StatefulPlan {
  const spec = specOf(set)
  const delay = countOf(spec['minReadySeconds'])
  const isUp = (pod: KubeObject | undefined): pod is KubeObject =>
    pod !== undefined && phaseOf(pod) === 'Running' && !isDeleting(pod) && isAvailable(pod, delay, now)
  const inOrder = spec['podManagementPolicy'] !== 'Parallel'
  const present = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]))
  const wanted = Array.from({ length: countOf(spec['replicas']) }, (_, index) => startOf(set) + index)
  const create: number[] = []
  const remove: KubeObject[] = []

  for (const ordinal of wanted) {
    const pod = present.get(ordinal)
    if (pod === undefined) create.push(ordinal)
    else if (isFinished(pod) && !isDeleting(pod)) remove.push(pod)
    if (inOrder && !isUp(pod)) return { create, remove }
  }

  const condemned = [...present].filter(([ordinal]) => ordinal >= 0 && !isInRange(set, ordinal)).toSorted(byOrdinal)
  const lowestDown = condemned.find(([, pod]) => !isUp(pod))?.[1]
  for (const [, pod] of condemned.toReversed()) {
    if (inOrder && (isDeleting(pod) || (!isUp(pod) && pod !== lowestDown))) return { create, remove }
    if (!isDeleting(pod)) remove.push(pod)
    if (inOrder) return { create, remove }
  }

  if (!isRolling(set)) return { create, remove }
  for (const ordinal of wanted.slice(partitionOf(set)).toReversed()) {
    const pod = present.get(ordinal)
    if (pod === undefined || remove.includes(pod)) break
    if (revisionOf(pod) !== update && !isDeleting(pod)) {
      remove.push(pod)
      break
    }
    if (!isUp(pod)) break
  }
  return { create, remove }
}

/** The status of a set with these pods; a rolling update that has reached all of them is over. */
export function statefulSetStatus(
  set: KubeObject,
  pods: readonly KubeObject[],
  { current, update, collisions }: RevisionNames & { readonly collisions: number },
  now: number,
): JsonObject {
  const spec = specOf(set)
  const delay = countOf(spec['minReadySeconds'])
  const replicas = countOf(spec['replicas'])
  const running = pods.filter((pod) => phaseOf(pod) === 'Running' && isReady(pod))
  const staying = pods.filter((pod) => !isDeleting(pod))
  const at = (revision: string): number => staying.filter((pod) => revisionOf(pod) === revision).length
  const isOver =
    isRolling(set) && [pods.length, running.length, at(update)].every((count) => count === replicas) && update !== ''
  const { conditions } = statusOf(set)
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    ...positive({
      readyReplicas: running.length,
      currentReplicas: at(isOver ? update : current),
      updatedReplicas: at(update),
    }),
    ...(current === '' ? {} : { currentRevision: isOver ? update : current, updateRevision: update }),
    collisionCount: collisions,
    availableReplicas: running.filter((pod) => isAvailable(pod, delay, now)).length,
    ...(conditions === undefined ? {} : { conditions }),
  }
}

const startOf = (set: KubeObject): number => countOf(objectOf(specOf(set)['ordinals'])['start'])

const isRolling = (set: KubeObject): boolean => strategyOf(set)['type'] === 'RollingUpdate'

const partitionOf = (set: KubeObject): number => countOf(objectOf(strategyOf(set)['rollingUpdate'])['partition'])

const strategyOf = (set: KubeObject): JsonObject => objectOf(specOf(set)['updateStrategy'])

const byOrdinal = ([a]: readonly [number, unknown], [b]: readonly [number, unknown]): number => a - b

const positive = (counts: Readonly<Record<string, number>>): JsonObject =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
