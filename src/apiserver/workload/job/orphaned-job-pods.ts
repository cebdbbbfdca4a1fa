import type { Pod } from '../../../builtin/core-v1.ts'
import { controllerOf, type KubeObject } from '../../../machinery/object.ts'
import { WorkQueue } from '../../../runtime/tasks/work-queue.ts'
import type { WatchHandle } from '../../../store/revision/watchers.ts'
import { withoutFinalizer } from '../../operation/collection-decision.ts'
import { ControllerClient } from '../shared/controller-client.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { TRACKING } from './job-plan.ts'
import type { OwnedObjects } from '../shared/owned-objects.ts'

const JOBS = 'jobs.batch'

/**
 * Takes the tracking finalizer from pods that no Job counts any more (upstream `syncOrphanPod`). A Job may go while its pods are being
 * made. Pods lose their owner when a Job is deleted without them. The Job's own sync sees neither.
 */
export class OrphanedJobPods {
  readonly #client: ControllerClient
  readonly #store: WorkloadPort['store']
  readonly #queue: WorkQueue
  readonly #watches: readonly WatchHandle[]

  constructor(port: WorkloadPort, pods: OwnedObjects, onError: (key: string, error: unknown) => void) {
    this.#client = new ControllerClient(port, 'job-controller')
    this.#store = port.store
    this.#queue = new WorkQueue({ work: (key) => this.#sync(key), onError, workers: 8 })
    const { store } = port
    this.#watches = [
      store.watch({ bucket: 'pods' }, ({ type, record }) => {
        if (type !== 'deleted') this.#look(record.key, record.object)
      }),
      store.watch({ bucket: JOBS }, ({ type, record }) => {
        if (type !== 'deleted') return
        for (const pod of pods.of(record.object.metadata.uid)) this.#look(keyOf(pod), pod)
      }),
    ]
    for (const { key, object } of store.latestIn('pods', undefined)) this.#look(key, object)
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.close()
    await this.#queue.stop()
  }

  #look(key: string, pod: Pod): void {
    if (this.#isOrphan(pod)) this.#queue.add(key)
  }

  async #sync(key: string): Promise<void> {
    const pod = this.#store.latest('pods', key)?.object
    if (pod === undefined || !this.#isOrphan(pod)) return
    await this.#client.update('pods', pod, (current) =>
      this.#isOrphan(current) ? withoutFinalizer(current, TRACKING) : current,
    )
  }

  /** Does the pod carry the finalizer although its Job is gone? A Job of the same name with another uid is not its own. */
  #isOrphan(pod: Pod): boolean {
    if (pod.metadata.finalizers?.includes(TRACKING) !== true) return false
    const owner = controllerOf(pod)
    if (owner?.kind !== 'Job' || !owner.apiVersion.startsWith('batch/')) return true
    const job = this.#store.latest(JOBS, `${pod.metadata.namespace ?? ''}/${owner.name}`)?.object
    return job?.metadata.uid !== owner.uid
  }
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
