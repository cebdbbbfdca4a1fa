import type {
  Container,
  ContainerStateTerminated,
  ContainerStateWaiting,
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
} from '../../builtin/core-v1.ts'
import { absent, countOf, objectOf, objectsOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { humanDuration } from './duration.ts'

/** The summary of a pod in one line of kubectl. */
export interface PodSummary {
  readonly ready: number
  readonly total: number
  readonly reason: string
  readonly restarts: number
  /** When a container last ended, in milliseconds since 1970; undefined if none did. */
  readonly lastRestart: number | undefined
}

interface Restarts {
  count: number
  last: number
}

const isTrue = (status: PodStatus, type: string): boolean =>
  objectsOf(status.conditions).some((condition) => condition.type === type && condition.status === 'True')

const isSidecar = (container: Container | undefined): boolean => container?.restartPolicy === 'Always'

/** Adds a container's restarts and the moment when it last ended. */
function countRestarts(restarts: Restarts, container: ContainerStatus): void {
  restarts.count += countOf(container.restartCount)
  const finished = Date.parse(textOf(objectOf(objectOf(container.lastState).terminated).finishedAt))
  if (finished > restarts.last) restarts.last = finished
}

/** Why a container ended, in a word: its reason, its signal, or its exit code. */
function endOf(terminated: ContainerStateTerminated): string {
  const reason = textOf(terminated.reason)
  if (reason !== '') return reason
  const signal = countOf(terminated.signal)
  return signal === 0 ? `ExitCode:${countOf(terminated.exitCode)}` : `Signal:${signal}`
}

/** Readiness, status and restarts of a pod (the rules of kubectl's pod listing; printers `printPod`). */
export function podSummary(pod: Pod): PodSummary {
  const spec = specOf(pod)
  const status = statusOf(pod)
  const init = initPhase(spec, status)
  const running = init.reason === undefined || isTrue(status, 'Initialized') ? containerPhase(status, init) : undefined
  const reason = running?.reason ?? init.reason ?? initialReason(status)
  const restarts = running?.restarts ?? init.restarts
  return {
    ready: (running?.ready ?? 0) + init.ready,
    total: objectsOf(spec.containers).length + objectsOf(spec.initContainers).filter(isSidecar).length,
    reason: deletionReason(pod, status) ?? reason,
    restarts: restarts.count,
    lastRestart: restarts.last === 0 ? undefined : restarts.last,
  }
}

function initialReason(status: PodStatus): string {
  const gated = objectsOf(status.conditions).some(
    (condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated',
  )
  return gated ? 'SchedulingGated' : textOf(status.reason) || textOf(status.phase)
}

interface InitPhase {
  /** Set while the pod is still initializing. */
  readonly reason: string | undefined
  /** Ready sidecars. */
  readonly ready: number
  readonly restarts: Restarts
  /** Restarts of sidecars, which go on counting when all others are done. */
  readonly sidecars: Restarts
}

function initPhase(spec: PodSpec, status: PodStatus): InitPhase {
  const specs = objectsOf(spec.initContainers)
  const byName = new Map(specs.map((container) => [textOf(container.name), container]))
  const restarts: Restarts = { count: 0, last: 0 }
  const sidecars: Restarts = { count: 0, last: 0 }
  let ready = 0
  const list = objectsOf(status.initContainerStatuses)
  for (const [index, container] of list.entries()) {
    const sidecar = isSidecar(byName.get(textOf(container.name)))
    countRestarts(restarts, container)
    if (sidecar) countRestarts(sidecars, container)
    const state = objectOf(container.state)
    const terminated = absent(state.terminated) ? undefined : objectOf(state.terminated)
    if (terminated !== undefined && countOf(terminated.exitCode) === 0) continue
    if (sidecar && container.started === true) {
      if (container.ready === true) ready++
      continue
    }
    const reason = initReason(terminated, objectOf(state.waiting), index, specs.length)
    return { reason, ready, restarts, sidecars }
  }
  return { reason: undefined, ready, restarts, sidecars }
}

function initReason(
  terminated: ContainerStateTerminated | undefined,
  waiting: ContainerStateWaiting,
  index: number,
  total: number,
): string {
  if (terminated !== undefined) return `Init:${endOf(terminated)}`
  const reason = textOf(waiting.reason)
  return reason !== '' && reason !== 'PodInitializing' ? `Init:${reason}` : `Init:${index}/${total}`
}

interface ContainerPhase {
  readonly reason: string | undefined
  readonly ready: number
  readonly restarts: Restarts
}

function containerPhase(status: PodStatus, init: InitPhase): ContainerPhase {
  const restarts: Restarts = { ...init.sidecars }
  let reason: string | undefined
  let ready = 0
  let hasRunning = false
  // From the last to the first, so that the first container that has something to say has the last word.
  for (const container of objectsOf(status.containerStatuses).toReversed()) {
    countRestarts(restarts, container)
    const state = objectOf(container.state)
    const waiting = textOf(objectOf(state.waiting).reason)
    if (waiting !== '') reason = waiting
    else if (!absent(state.terminated)) reason = endOf(objectOf(state.terminated))
    else if (container.ready === true && !absent(state.running)) {
      hasRunning = true
      ready++
    }
  }
  if ((reason ?? init.reason ?? initialReason(status)) === 'Completed' && hasRunning) {
    reason = isTrue(status, 'Ready') ? 'Running' : 'NotReady'
  }
  return { reason, ready, restarts }
}

function deletionReason(pod: Pod, status: PodStatus): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined) return undefined
  if (status.reason === 'NodeLost') return 'Unknown'
  return status.phase === 'Succeeded' || status.phase === 'Failed' ? undefined : 'Terminating'
}

/** The restarts, and how long ago the last one was. */
export function restartsCell({ restarts, lastRestart }: PodSummary, now: number): string {
  return restarts === 0 || lastRestart === undefined
    ? String(restarts)
    : `${restarts} (${humanDuration(now - lastRestart)} ago)`
}
