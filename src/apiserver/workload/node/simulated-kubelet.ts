import type { Container, Pod } from '../../../builtin/core-v1.ts'
import { wholeNumber } from '../../../machinery/json-value.ts'
import { controllerOf, type JsonObject } from '../../../machinery/object.ts'
import { WorkQueue } from '../../../runtime/tasks/work-queue.ts'
import type { StoreEvent } from '../../../store/record/event.ts'
import type { WatchHandle } from '../../../store/revision/watchers.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { objectsOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { ControllerClient } from '../shared/controller-client.ts'
import { takesPods, targetNode } from '../../../kinds/scheduling/node-fit.ts'
import { isDeleting, isFinished, phaseOf } from '../shared/pod-facts.ts'

const PODS = 'pods'
const WORKERS = 16

/**
 * Stands in for scheduler and kubelets. A pod with a controller gets a node and runs at once. A pod of a Job succeeds, and a deleted pod
 * goes. A pod without a controller stays Pending, as on a cluster without nodes. It keeps the status that its client writes.
 */
export class SimulatedKubelet {
  readonly #port: WorkloadPort
  readonly #scheduler: ControllerClient
  readonly #kubelet: ControllerClient
  readonly #queue: WorkQueue
  readonly #watches: readonly WatchHandle[]
  #addresses = 0

  constructor(port: WorkloadPort, onError: (key: string, error: unknown) => void) {
    const { store } = port
    this.#port = port
    this.#scheduler = new ControllerClient(port, 'default-scheduler')
    this.#kubelet = new ControllerClient(port, 'simulated-kubelet', 'kubelet')
    this.#queue = new WorkQueue({ work: (key) => this.#sync(key), onError, workers: WORKERS })
    this.#watches = [
      store.watch({ bucket: PODS }, (event) => this.#notice(event)),
      // Pods that found no node look again when there is one.
      store.watch({ bucket: 'nodes' }, () => this.#addAll()),
    ]
    this.#addAll()
  }

  whenIdle(): Promise<void> {
    return this.#queue.whenIdle()
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.close()
    await this.#queue.stop()
  }

  #addAll(): void {
    for (const { key, object } of this.#port.store.latestIn(PODS, undefined)) if (hasWork(object)) this.#queue.add(key)
  }

  #notice({ type, record }: StoreEvent): void {
    if (type !== 'deleted' && hasWork(record.object)) this.#queue.add(record.key)
  }

  async #sync(key: string): Promise<void> {
    const pod = this.#kubelet.get(PODS, key)
    if (pod === undefined || !hasWork(pod)) return
    const node = textOf(specOf<Pod>(pod)['nodeName'])
    // A pod that is deleted goes also when its node has gone: nobody else would end it.
    if (isDeleting(pod)) return await this.#end(pod)
    if (node !== '' && this.#kubelet.get('nodes', node) === undefined) return
    if (node === '') return await this.#bind(pod)
    if (phaseOf(pod) !== 'Running') return await this.#kubelet.updateStatus(PODS, pod, (now) => this.#started(now))
    await this.#kubelet.updateStatus(PODS, pod, (now) => this.#completed(now))
  }

  async #bind(pod: Pod): Promise<void> {
    const wanted = targetNode(pod)
    const nodes = [...this.#kubelet.list('nodes')]
    const node = nodes.find((one) => (wanted === '' || one.metadata.name === wanted) && takesPods(specOf(pod), one))
    if (node === undefined) return await this.#unschedulable(pod, nodes.length)
    const { name = '' } = node.metadata
    const time = timestamp(this.#scheduler.now())
    const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: time }
    await this.#scheduler.update(
      PODS,
      pod,
      (now) => ({
        ...now,
        spec: { ...specOf<Pod>(now), nodeName: name },
        status: { ...statusOf<Pod>(now), conditions: [scheduled] },
      }),
      'binding',
    )
    const { namespace = '', name: podName = '' } = pod.metadata
    await this.#scheduler.event(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${podName} to ${name}`)
  }

  /** Says once that no node takes the pod. */
  async #unschedulable(pod: Pod, nodes: number): Promise<void> {
    const why =
      nodes === 0
        ? 'no nodes available to schedule pods'
        : `0/${nodes} nodes are available: ${nodes} node(s) were unschedulable.`
    const time = timestamp(this.#scheduler.now())
    const known = objectsOf(statusOf(pod)['conditions']).some(
      (one) => one['type'] === 'PodScheduled' && one['message'] === why,
    )
    if (known) return
    const reason = 'Unschedulable'
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: time,
      reason,
      message: why,
    }
    await this.#scheduler.updateStatus(PODS, pod, (now) => ({ ...statusOf<Pod>(now), conditions: [condition] }))
    await this.#scheduler.event(pod, 'Warning', 'FailedScheduling', why)
  }

  /** Its containers are stopped at once, whatever grace they have; finalizers may still keep it. */
  async #end(pod: Pod): Promise<void> {
    await this.#kubelet.remove(PODS, pod, { gracePeriodSeconds: 0 })
  }

  #started(pod: Pod): JsonObject {
    const time = timestamp(this.#kubelet.now())
    const address = this.#nextAddress()
    const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady']
    const kept = objectsOf(statusOf(pod)['conditions']).filter(({ type }) => type === 'PodScheduled')
    return {
      ...statusOf(pod),
      phase: 'Running',
      conditions: [
        ...types.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: time })),
        ...kept,
      ],
      hostIP: '127.0.0.1',
      hostIPs: [{ ip: '127.0.0.1' }],
      podIP: address,
      podIPs: [{ ip: address }],
      startTime: time,
      ...containers(pod, true, () => ({ running: { startedAt: time } })),
    }
  }

  #completed(pod: Pod): JsonObject {
    const time = timestamp(this.#kubelet.now())
    const startedAt = statusOf(pod)['startTime']
    const conditions = objectsOf(statusOf(pod)['conditions']).map((condition) =>
      condition['type'] === 'Ready' || condition['type'] === 'ContainersReady'
        ? { ...condition, status: 'False', reason: 'PodCompleted', lastTransitionTime: time }
        : condition,
    )
    const terminated = { exitCode: 0, reason: 'Completed', startedAt, finishedAt: time }
    return { ...statusOf(pod), phase: 'Succeeded', conditions, ...containers(pod, false, () => ({ terminated })) }
  }

  #nextAddress(): string {
    const number = this.#addresses++
    return `10.${64 + ((number >> 16) & 63)}.${(number >> 8) & 255}.${number & 255}`
  }
}

/** Is there anything to do for the pod now? */
function hasWork(pod: Pod): boolean {
  const isBound = textOf(specOf(pod)['nodeName']) !== ''
  if (isDeleting(pod)) return isBound && (wholeNumber(pod.metadata.deletionGracePeriodSeconds) ?? 0n) > 0n
  const owner = controllerOf(pod)
  if (owner === undefined || isFinished(pod)) return false
  return phaseOf(pod) !== 'Running' || owner.kind === 'Job'
}

/** The statuses of all containers in one state; those that only initialise have done so. */
function containers(pod: Pod, isRunning: boolean, state: () => JsonObject): JsonObject {
  const spec = specOf(pod)
  const of = (container: Container, its: JsonObject, ready: boolean): JsonObject => ({
    name: container['name'],
    state: its,
    lastState: {},
    ready,
    restartCount: 0,
    image: container['image'],
    imageID: container['image'],
    started: ready,
  })
  const done = { terminated: { exitCode: 0, reason: 'Completed' } }
  const initial = objectsOf(spec['initContainers']).map((container) =>
    container['restartPolicy'] === 'Always' ? of(container, state(), isRunning) : of(container, done, true),
  )
  const main = objectsOf(spec['containers']).map((container) => of(container, state(), isRunning))
  return { ...(initial.length === 0 ? {} : { initContainerStatuses: initial }), containerStatuses: main }
}
