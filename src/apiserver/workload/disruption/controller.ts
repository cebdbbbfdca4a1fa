import type { Pod } from '../../../builtin/core-v1.ts'
import type { PodDisruptionBudget } from '../../../builtin/policy-v1.ts'
import { controllerOf, type OwnerReference } from '../../../machinery/object.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { qualified } from '../../../machinery/status.ts'
import type { WatchHandle } from '../../../store/revision/watchers.ts'
import { statusOf } from '../../../machinery/read.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { keyOf } from '../../storing/outcome.ts'
import type { Resource } from '../../resource/registry.ts'
import { BudgetPods } from './budget-pods.ts'
import { ControllerClient } from '../shared/controller-client.ts'
import { ControllerLoop } from '../shared/controller-loop.ts'
import { expectationOf, failedStatus, needsScale, planDisruption } from './plan.ts'

const BUCKET = 'poddisruptionbudgets.policy'
const PODS = 'pods'

/** Why the pods of a budget cannot be counted. */
class Uncountable extends Error {
  override readonly name = 'Uncountable'
}

/** Counts the pods of PodDisruptionBudgets, and how many of them may go now. */
export class DisruptionController {
  readonly #port: WorkloadPort
  readonly #client: ControllerClient
  readonly #pods: BudgetPods
  readonly #watches: readonly WatchHandle[]
  readonly loop: ControllerLoop

  constructor(port: WorkloadPort, onError: (key: string, error: unknown) => void) {
    const { store } = port
    this.#port = port
    this.#client = new ControllerClient(port, 'disruption-controller', 'controllermanager')
    const sync = (budget: PodDisruptionBudget): Promise<void> => this.#sync(budget)
    this.#pods = new BudgetPods(store)
    this.#watches = [
      store.watch({ bucket: BUCKET }, ({ type, record }) =>
        this.#pods.noticeBudget(record.key, record.object, type === 'deleted'),
      ),
      store.watch({ bucket: PODS }, (event) => {
        for (const key of this.#pods.noticePod(event)) this.loop.add(key)
      }),
    ]
    for (const { key, object } of store.latestIn(BUCKET, undefined)) this.#pods.noticeBudget(key, object, false)
    // Evictions write into the status too: every change of it is looked at.
    this.loop = new ControllerLoop({ port, bucket: BUCKET, kind: 'PodDisruptionBudget', owns: [], sync, onError })
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.close()
    await this.loop.stop()
  }

  async #sync(budget: PodDisruptionBudget): Promise<void> {
    const { namespace = '', name = '' } = budget.metadata
    const pods = await this.#pods.of(`${namespace}/${name}`, budget)
    const now = this.#client.now()
    if (pods.length === 0) await this.#client.event(budget, 'Normal', 'NoPods', 'No matching pods found')
    try {
      const scale = needsScale(budget) ? await this.#scaleOf(budget, pods) : 0
      const plan = planDisruption({ budget, pods, now }, expectationOf(budget, scale, pods.length))
      for (const pod of plan.overdue)
        await this.#client.event(
          pod,
          'Warning',
          'NotDeleted',
          `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`,
        )
      // A large budget is not read through for each pod that changes nothing.
      if (!jsonEqual(plan.status, statusOf(budget))) await this.#client.updateStatus(BUCKET, budget, () => plan.status)
      if (plan.next !== undefined) this.loop.addAt(`${namespace}/${name}`, plan.next)
    } catch (error) {
      if (!(error instanceof Uncountable)) throw error
      const message = `Failed to calculate the number of expected pods: ${error.message}`
      await this.#client.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message)
      await this.#client.updateStatus(BUCKET, budget, () => failedStatus(budget, error.message, now))
    }
  }

  /** How many pods the controllers of these pods want, each controller once. Throws Uncountable. */
  async #scaleOf(budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<number> {
    const owners = new Set<string>()
    const scales = new Map<string, number>()
    for (const pod of pods) {
      const owner = controllerOf(pod)
      if (owner === undefined || owners.has(owner.uid)) continue
      owners.add(owner.uid)
      const [uid, scale] = this.#scaleFor(pod, owner)
      scales.set(uid, scale)
    }
    if (pods.some((pod) => controllerOf(pod) === undefined)) {
      const { namespace = '', name = '' } = budget.metadata
      const selector = this.#pods.selectorOf(`${namespace}/${name}`, budget)
      const message = `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`
      await this.#client.event(budget, 'Warning', 'UnmanagedPods', message)
    }
    return [...scales.values()].reduce((sum, scale) => sum + scale, 0)
  }

  /** The uid and the scale of what controls a pod: of the Deployment where a ReplicaSet belongs to one. */
  #scaleFor(pod: Pod, owner: OwnerReference): readonly [string, number] {
    const { namespace = '', name = '' } = pod.metadata
    const found = this.#owner(owner, namespace)
    if (found === undefined) throw new Uncountable(`found no controllers for pod ${JSON.stringify(name)}`)
    const above = owner.kind === 'ReplicaSet' ? controllerOf(found.object) : undefined
    const { resource, object } = (above?.kind === 'Deployment' ? this.#owner(above, namespace) : undefined) ?? found
    const { scale } = resource.strategy
    if (scale === undefined) throw new Uncountable(`${qualified(resource.id)} does not implement the scale subresource`)
    return [object.metadata.uid ?? '', scale.specReplicas(object)]
  }

  #owner(
    { apiVersion, kind, name, uid }: OwnerReference,
    namespace: string,
  ): { readonly resource: Resource; readonly object: PodDisruptionBudget } | undefined {
    const resource = this.#port.registry.all().find((one) => one.apiVersion === apiVersion && one.served.kind === kind)
    if (resource === undefined) return undefined
    const object = this.#port.store.latest(resource.bucket, keyOf(resource, namespace, name))?.object
    return object?.metadata.uid === uid ? { resource, object } : undefined
  }
}
