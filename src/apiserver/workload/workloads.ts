import type { StartWorkloads, WorkloadPort } from '../port/workload-port.ts'
import type { ControllerLoop } from './shared/controller-loop.ts'
import { CronJobController } from './job/cron-job-controller.ts'
import { DaemonSetController } from './daemon-set/controller.ts'
import { DisruptionController } from './disruption/controller.ts'
import { StatefulSetController } from './stateful-set/controller.ts'
import { DeploymentController } from './replica/deployment-controller.ts'
import { JobController } from './job/job-controller.ts'
import { OrphanedJobPods } from './job/orphaned-job-pods.ts'
import { OwnedObjects } from './shared/owned-objects.ts'
import { REPLICA_SETS, REPLICATION_CONTROLLERS, ReplicaSetController } from './replica/replica-set-controller.ts'
import { SimulatedKubelet } from './node/simulated-kubelet.ts'
import { ensureNode } from './node/simulated.ts'

/** Brings workloads to life without machines: the controllers that make pods, and a simulated node that runs them. */
class Workloads {
  readonly #loops: readonly ControllerLoop[]
  readonly #kubelet: SimulatedKubelet
  readonly #disruption: DisruptionController
  readonly #orphans: OrphanedJobPods

  constructor(port: WorkloadPort) {
    const { onError } = port
    const pods = new OwnedObjects(port.indexes, 'pods')
    const sets = new OwnedObjects(port.indexes, 'replicasets.apps')
    const revisions = new OwnedObjects(port.indexes, 'controllerrevisions.apps')
    const jobs = new OwnedObjects(port.indexes, 'jobs.batch')
    this.#loops = [
      new DeploymentController(port, { sets, pods }, onError('deployment')),
      new ReplicaSetController(port, pods, REPLICA_SETS, onError('replicaset')),
      new ReplicaSetController(port, pods, REPLICATION_CONTROLLERS, onError('replicationcontroller')),
      new JobController(port, pods, onError('job')),
      new StatefulSetController(port, { pods, revisions }, onError('statefulset')),
      new DaemonSetController(port, { pods, revisions }, onError('daemonset')),
      new CronJobController(port, jobs, onError('cronjob')),
    ].map(({ loop }) => loop)
    this.#orphans = new OrphanedJobPods(port, pods, onError('job'))
    this.#disruption = new DisruptionController(port, onError('disruption'))
    this.#kubelet = new SimulatedKubelet(port, onError('kubelet'))
  }

  async stop(): Promise<void> {
    const running = [...this.#loops, this.#orphans, this.#kubelet, this.#disruption]
    await Promise.all(running.map((controller) => controller.stop()))
  }
}

/** Starts the controllers, and makes the node where there is none. */
export const startWorkloads: StartWorkloads = async (port) => {
  await ensureNode(port)
  return new Workloads(port)
}
