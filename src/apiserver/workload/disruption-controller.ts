import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import { isObject } from '../../machinery/object.ts'
import { compileLabelSelector } from '../../machinery/selector/label-selector.ts'
import { qualified } from '../../machinery/status.ts'
import type { StoreEvent } from '../../store/event.ts'
import type { WatchHandle } from '../../store/watchers.ts'
import { specOf } from '../kind/read.ts'
import { selectorText } from '../kind/selector.ts'
import { type Engine, keyOf } from '../operation/engine.ts'
import type { Resource } from '../registry.ts'
import { ControllerClient } from './controller-client.ts'
import { ControllerLoop } from './controller-loop.ts'
import { expectationOf, failedStatus, needsScale, planDisruption } from './disruption-plan.ts'
import { controllerOf } from './owned-objects.ts'

const BUCKET = 'poddisruptionbudgets.policy'
const PODS = 'pods'

/** Why the pods of a budget cannot be counted. */
class Uncountable extends Error {
  override readonly name = 'Uncountable'
}

/** Counts the pods of PodDisruptionBudgets, and how many of them may go now. */
export class DisruptionController {
  readonly #engine: Engine
  readonly #client: ControllerClient
  readonly #pods: WatchHandle
  readonly loop: ControllerLoop

  constructor(engine: Engine, onError: (key: string, error: unknown) => void) {
    const { store } = engine
    this.#engine = engine
    this.#client = new ControllerClient(engine, 'disruption-controller', 'controllermanager')
    const sync = (budget: KubeObject): Promise<void> => this.#sync(budget)
    // Evictions write into the status too: every change of it is looked at.
    this.loop = new ControllerLoop({ store, bucket: BUCKET, kind: 'PodDisruptionBudget', owns: [], sync, onError })
    this.#pods = store.watch({ bucket: PODS }, (event) => this.#onPod(event))
  }

  async stop(): Promise<void> {
    this.#pods.close()
    await this.loop.stop()
  }

  /** A pod concerns the budgets that select it, and those that selected what it was. */
  #onPod({ record, previous }: StoreEvent): void {
    const { namespace = '' } = record.object.metadata
    for (const { key, object } of this.#engine.store.latestIn(BUCKET, namespace))
      if (selects(object, record.object) || (previous !== undefined && selects(object, previous.object)))
        this.loop.add(key)
  }

  async #sync(budget: KubeObject): Promise<void> {
    const { namespace = '', name = '' } = budget.metadata
    const pods = [...this.#client.list(PODS, namespace)].filter((pod) => selects(budget, pod))
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
      await this.#client.updateStatus(BUCKET, budget, () => plan.status)
      if (plan.next !== undefined) this.loop.addAfter(`${namespace}/${name}`, plan.next - now)
    } catch (error) {
      if (!(error instanceof Uncountable)) throw error
      const message = `Failed to calculate the number of expected pods: ${error.message}`
      await this.#client.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message)
      await this.#client.updateStatus(BUCKET, budget, () => failedStatus(budget, error.message, now))
    }
  }

  /** How many pods the controllers of these pods want, each controller once. Throws Uncountable. */
  async #scaleOf(budget: KubeObject, pods: readonly KubeObject[]): Promise<number> {
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
      const selector = selectorText(specOf(budget)['selector'])
      const message = `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`
      await this.#client.event(budget, 'Warning', 'UnmanagedPods', message)
    }
    return [...scales.values()].reduce((sum, scale) => sum + scale, 0)
  }

  /** The uid and the scale of what controls a pod: of the Deployment where a ReplicaSet belongs to one. */
  #scaleFor(pod: KubeObject, owner: OwnerReference): readonly [string, number] {
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
  ): { readonly resource: Resource; readonly object: KubeObject } | undefined {
    const resource = this.#engine.registry
      .all()
      .find((one) => one.apiVersion === apiVersion && one.served.kind === kind)
    if (resource === undefined) return undefined
    const object = this.#engine.store.latest(resource.bucket, keyOf(resource, namespace, name))?.object
    return object?.metadata.uid === uid ? { resource, object } : undefined
  }
}

function selects(budget: KubeObject, pod: KubeObject): boolean {
  const { selector } = specOf(budget)
  return isObject(selector) && compileLabelSelector(selector)(pod.metadata.labels)
}
