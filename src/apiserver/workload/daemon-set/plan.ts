import type { Pod } from '../../../builtin/core-v1.ts'
import type { DaemonSet } from '../../../builtin/apps-v1.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { countOf, objectOf, specOf, statusOf } from '../../../machinery/read.ts'
import { daemonOn, daemonPodSpec } from '../../../kinds/apps/daemon-nodes.ts'
import { affinityTo, targetNode } from '../../../kinds/scheduling/node-fit.ts'
import { isAvailable, isDeleting, isFinished, isReady, phaseOf, podFrom } from '../shared/pod-facts.ts'
import { POD_REVISION } from '../shared/revision-history.ts'
import { share } from '../../../kinds/apps/rollout.ts'

const GENERATION = 'pod-template-generation'
const DEPRECATED_GENERATION = 'deprecated.daemonset.template.generation'

/** A DaemonSet with what there is in the world for it. */
export interface DaemonState {
  readonly set: DaemonSet
  readonly nodes: readonly KubeObject[]
  /** Its pods. */
  readonly pods: readonly Pod[]
  /** The hash of the present template. */
  readonly hash: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface DaemonPlan {
  /** The nodes that are to get a pod. */
  readonly create: readonly string[]
  /** Pods that are too many. */
  readonly remove: readonly KubeObject[]
  /** Outdated pods that may be unavailable now, whatever is missing already. */
  readonly renew: readonly KubeObject[]
}

/** Plans the pods to create and to delete: first missing and surplus ones, then, step by step, outdated ones. Pure. */
export function planDaemonSet(state: DaemonState): DaemonPlan {
  const places = placesOf(state)
  const [create, remove] = [places.filter(isMissing).map(({ name }) => name), surplus(state, places)]
  const isRolling = objectOf(specOf(state.set)['updateStrategy'])['type'] === 'RollingUpdate'
  if (!isRolling || remove.length > 0) return { create, remove, renew: [] }
  const step = roll(state, places)
  return { create: create.length > 0 ? create : step.create, remove, renew: step.renew }
}

/** The status's counts. */
export function daemonCounts(state: DaemonState): Readonly<Record<string, number>> {
  const places = placesOf(state)
  const should = places.filter(({ shouldRun }) => shouldRun)
  const first = should.flatMap(({ pods }) => pods.slice(0, 1))
  const ready = first.filter(isReady)
  const available = ready.filter((pod) => isUp(state, pod)).length
  return {
    currentNumberScheduled: first.length,
    numberMisscheduled: places.filter(({ shouldRun, isThere, pods }) => isThere && !shouldRun && pods.length > 0)
      .length,
    desiredNumberScheduled: should.length,
    numberReady: ready.length,
    updatedNumberScheduled: first.filter((pod) => isUpdated(state, pod)).length,
    numberAvailable: available,
    numberUnavailable: should.length - available,
  }
}

/** The pod of a DaemonSet for a node. */
export function daemonPod({ set, hash }: Pick<DaemonState, 'set' | 'hash'>, node: string): KubeObject {
  const spec = daemonPodSpec(set)
  const labels: Record<string, string> = { [POD_REVISION]: hash, [GENERATION]: generationOf(set) }
  return podFrom(specOf(set)['template'], set, {
    metadata: { generateName: `${set.metadata.name ?? ''}-`, labels },
    spec: { ...spec, affinity: affinityTo(node, spec['affinity']) },
  })
}

/** A node, or what is left of one that is gone, with the daemon's pods on it, oldest first. */
interface Place {
  readonly name: string
  readonly isThere: boolean
  readonly shouldRun: boolean
  readonly mayStay: boolean
  readonly pods: readonly Pod[]
}

function placesOf({ set, nodes, pods }: DaemonState): readonly Place[] {
  const spec = daemonPodSpec(set)
  const byNode = Map.groupBy(pods.toSorted(byAge), targetNode)
  const places = nodes.map((node): Place => {
    const { name = '' } = node.metadata
    return { name, isThere: true, ...daemonOn(spec, node), pods: byNode.get(name) ?? [] }
  })
  const known = new Set(places.map(({ name }) => name))
  const gone = [...byNode].filter(([name]) => !known.has(name))
  return [
    ...places,
    ...gone.map(([name, left]) => ({ name, isThere: false, shouldRun: false, mayStay: false, pods: left })),
  ]
}

const isMissing = ({ shouldRun, pods }: Place): boolean => shouldRun && pods.length === 0

/** Pods where none may be, that have ended, or that are more than a node needs. */
function surplus(state: DaemonState, places: readonly Place[]): readonly KubeObject[] {
  const mayDouble = surge(state, 1) > 0
  return places.flatMap(({ mayStay, pods }) => {
    const present = pods.filter((pod) => !isDeleting(pod))
    if (!mayStay) return present
    const running = present.filter((pod) => !isFinished(pod))
    const ended = present.filter(isFinished)
    return [...ended, ...(mayDouble ? beyondPair(state, running) : running.slice(1))]
  })
}

/** During a surge a node has one old and one new pod, until the new one can take over. */
function beyondPair(state: DaemonState, running: readonly Pod[]): readonly KubeObject[] {
  const [fresh, ...moreFresh] = running.filter((pod) => isUpdated(state, pod))
  const [old, ...moreOld] = running.filter((pod) => !isUpdated(state, pod))
  const isOver = fresh !== undefined && old !== undefined && (!isReady(old) || isUp(state, fresh))
  return [...moreFresh, ...moreOld, ...(isOver ? [old] : [])]
}

/** One step of a rolling update: replaces as many pods as may be unavailable, or be there twice, at a time. */
function roll(state: DaemonState, places: readonly Place[]): Omit<DaemonPlan, 'remove'> {
  const should = places.filter(({ shouldRun }) => shouldRun)
  const wide = surge(state, should.length)
  const rows = should.map(({ name, pods }) => {
    const present = pods.filter((pod) => !isDeleting(pod))
    return {
      name,
      fresh: present.find((pod) => isUpdated(state, pod)),
      old: present.find((pod) => !isUpdated(state, pod)),
    }
  })
  const outdated = rows.flatMap(({ name, fresh, old }) =>
    fresh === undefined && old !== undefined ? [{ name, old }] : [],
  )
  // Pods that do not serve now may be replaced at once.
  const broken = outdated.filter(({ old }) => !isUp(state, old))
  const serving = outdated.filter(({ old }) => isUp(state, old))
  if (wide > 0) {
    const doubled = rows.filter(({ fresh, old }) => fresh !== undefined && old !== undefined).length
    const chosen = [...broken, ...serving.slice(0, Math.max(0, wide - doubled))]
    return { create: chosen.map(({ name }) => name), renew: [] }
  }
  const most = share(rolling(state.set)['maxUnavailable'] ?? 1, should.length, 'up')
  const down = rows.filter(({ fresh, old }) => !isUp(state, fresh ?? old)).length
  const chosen = [...broken, ...serving.slice(0, Math.max(0, most - down))]
  return { create: [], renew: chosen.map(({ old }) => old) }
}

const rolling = (set: DaemonSet): JsonObject => objectOf(objectOf(specOf(set)['updateStrategy'])['rollingUpdate'])

const surge = ({ set }: DaemonState, nodes: number): number => share(rolling(set)['maxSurge'], nodes, 'up')

const isUp = ({ set, now }: DaemonState, pod: Pod | undefined): boolean =>
  pod !== undefined && isAvailable(pod, countOf(specOf(set)['minReadySeconds']), now)

const generationOf = (set: DaemonSet): string => set.metadata.annotations?.[DEPRECATED_GENERATION] ?? '1'

const isUpdated = ({ set, hash }: DaemonState, { metadata }: KubeObject): boolean =>
  metadata.labels?.[POD_REVISION] === hash || metadata.labels?.[GENERATION] === generationOf(set)

function byAge(a: Pod, b: Pod): number {
  const [first = '', second = ''] = [a, b].map(({ metadata }) => metadata.creationTimestamp)
  if (first !== second) return first < second ? -1 : 1
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}

/** Returns the Event about a pod that ended although it should not. */
export function endedEvent(pod: Pod): readonly ['Normal' | 'Warning', string, string] | undefined {
  const { namespace = '', name = '' } = pod.metadata
  const where = `daemon pod ${namespace}/${name} on node ${targetNode(pod)}, will try to`
  if (phaseOf(pod) === 'Failed') return ['Warning', 'FailedDaemonPod', `Found failed ${where} kill it`]
  if (phaseOf(pod) === 'Succeeded') return ['Normal', 'SucceededDaemonPod', `Found succeeded ${where} delete it`]
  return undefined
}

/** The status, with the counts that upstream leaves out when they are 0 left out. */
export function daemonStatus(state: DaemonState, collisions: number): JsonObject {
  const { updatedNumberScheduled, numberAvailable, numberUnavailable, ...always } = daemonCounts(state)
  const optional = { updatedNumberScheduled, numberAvailable, numberUnavailable, collisionCount: collisions }
  const { conditions } = statusOf(state.set)
  return {
    ...always,
    ...Object.fromEntries(Object.entries(optional).filter(([, count]) => count !== undefined && count > 0)),
    observedGeneration: state.set.metadata.generation,
    ...(conditions === undefined ? {} : { conditions }),
  }
}
