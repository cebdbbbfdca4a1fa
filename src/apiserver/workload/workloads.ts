import type { Engine } from '../operation/engine.ts'
import type { ControllerLoop } from './controller-loop.ts'
import { CronJobController } from './cron-job-controller.ts'
import { DaemonSetController } from './daemon-set-controller.ts'
import { DisruptionController } from './disruption-controller.ts'
import { StatefulSetController } from './stateful-set-controller.ts'
import { DeploymentController } from './deployment-controller.ts'
import { JobController } from './job-controller.ts'
import { OrphanedJobPods } from './orphaned-job-pods.ts'
import { OwnedObjects } from './owned-objects.ts'
import { REPLICA_SETS, REPLICATION_CONTROLLERS, ReplicaSetController } from './replica-set-controller.ts'
import { SimulatedKubelet } from './simulated-kubelet.ts'
import { ensureNode } from './simulated-node.ts'

/** Brings workloads to life without machines: the controllers that make pods, and a simulated node that runs them. */
export class Workloads {
  readonly #indexes: readonly OwnedObjects[]
  readonly #loops: readonly ControllerLoop[]
  readonly #kubelet: SimulatedKubelet
  readonly #disruption: DisruptionController
  readonly #orphans: OrphanedJobPods

  static async start(
    engine: Engine,
    onError: (controller: string) => (key: string, error: unknown) => void,
  ): Promise<Workloads> {
    await ensureNode(engine)
    return new Workloads(engine, onError)
  }

  private constructor(engine: Engine, onError: (controller: string) => (key: string, error: unknown) => void) {
    const pods = new OwnedObjects(engine.store, 'pods')
    const sets = new OwnedObjects(engine.store, 'replicasets.apps')
    const revisions = new OwnedObjects(engine.store, 'controllerrevisions.apps')
    const jobs = new OwnedObjects(engine.store, 'jobs.batch')
    this.#indexes = [pods, sets, revisions, jobs]
    this.#loops = [
      new DeploymentController(engine, { sets, pods }, onError('deployment')),
      new ReplicaSetController(engine, pods, REPLICA_SETS, onError('replicaset')),
      new ReplicaSetController(engine, pods, REPLICATION_CONTROLLERS, onError('replicationcontroller')),
      new JobController(engine, pods, onError('job')),
      new StatefulSetController(engine, { pods, revisions }, onError('statefulset')),
      new DaemonSetController(engine, { pods, revisions }, onError('daemonset')),
      new CronJobController(engine, jobs, onError('cronjob')),
    ].map(({ loop }) => loop)
    this.#orphans = new OrphanedJobPods(engine, pods, onError('job'))
    this.#disruption = new DisruptionController(engine, onError('disruption'))
    this.#kubelet = new SimulatedKubelet(engine, onError('kubelet'))
  }

  async stop(): Promise<void> {
    const running = [...this.#loops, this.#orphans, this.#kubelet, this.#disruption]
    await Promise.all(running.map((controller) => controller.stop()))
    for (const index of this.#indexes) index.stop()
  }
}
