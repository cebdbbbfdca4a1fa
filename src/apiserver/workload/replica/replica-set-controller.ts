import type { ReplicaSet } from '../../../builtin/apps-v1.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { compiledSelector } from '../../../machinery/selector/compiled.ts'
import type { LabelSelector } from '../../../machinery/selector/label.ts'
import type { LabelMatcher } from '../../../machinery/selector/requirement.ts'
import { countOf, objectOf, objectsOf, specOf, statusOf } from '../../../machinery/read.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { conditionIn } from '../../../api/condition.ts'
import { listed, withWorkloadCondition, withoutWorkloadCondition } from '../shared/condition.ts'
import { ControllerClient } from '../shared/controller-client.ts'
import { ControllerLoop, RequeueAfter } from '../shared/controller-loop.ts'
import type { OwnedObjects } from '../shared/owned-objects.ts'
import {
  cheapestFirst,
  isActive,
  isAvailable,
  isDeleting,
  isReady,
  nextAvailable,
  podFrom,
} from '../shared/pod-facts.ts'
import { ReplicaPods, type WriteRejection } from '../shared/replica-pods.ts'

/** ReplicaSets and ReplicationControllers differ in names and in the form of their selectors. */
interface Variant {
  readonly bucket: string
  readonly kind: string
  readonly controller: string
  readonly selector: (spec: JsonObject) => LabelSelector
}

export const REPLICA_SETS: Variant = {
  bucket: 'replicasets.apps',
  kind: 'ReplicaSet',
  controller: 'replicaset-controller',
  selector: (spec) => objectOf(spec['selector']),
}

export const REPLICATION_CONTROLLERS: Variant = {
  bucket: 'replicationcontrollers',
  kind: 'ReplicationController',
  controller: 'replication-controller',
  selector: (spec) => ({ matchLabels: objectOf(spec['selector']) as Record<string, string> }),
}

/** Keeps as many pods as a ReplicaSet, or a ReplicationController, wants, and reports the obstacles. */
export class ReplicaSetController {
  readonly #variant: Variant
  readonly #client: ControllerClient
  readonly #pods: ReplicaPods
  readonly loop: ControllerLoop

  constructor(
    port: WorkloadPort,
    pods: OwnedObjects,
    variant: Variant,
    onError: (key: string, error: unknown) => void,
  ) {
    const { bucket, kind, controller } = variant
    this.#variant = variant
    this.#client = new ControllerClient(port, controller)
    this.#pods = new ReplicaPods(this.#client, pods)
    const sync = (object: ReplicaSet): Promise<void> => this.#sync(object)
    this.loop = new ControllerLoop({
      port,
      bucket,
      kind,
      owns: ['pods'],
      reports: this.#client.reports,
      sync,
      onError,
    })
  }

  async #sync(owner: KubeObject): Promise<void> {
    const spec = specOf<ReplicaSet>(owner)
    const fits = compiledSelector(this.#variant.selector(spec))
    const pods = (await this.#pods.adopt(owner, fits)).filter(isActive)
    const missing = countOf(spec['replicas']) - pods.length
    let refusal: WriteRejection
    if (!isDeleting(owner) && missing > 0)
      refusal = await this.#pods.create(owner, missing, () =>
        podFrom(spec['template'], owner, { metadata: { generateName: `${owner.metadata.name ?? ''}-` } }),
      )
    else if (!isDeleting(owner) && missing < 0)
      refusal = await this.#pods.remove(owner, cheapestFirst(pods).slice(0, -missing))
    await this.#report(owner, fits, missing < 0 ? 'FailedDelete' : 'FailedCreate', refusal)
    if (refusal !== undefined) throw new RequeueAfter(refusal)
  }

  async #report(owner: KubeObject, fits: LabelMatcher, reason: string, refusal: WriteRejection): Promise<void> {
    const spec = specOf<ReplicaSet>(owner)
    const now = this.#client.now()
    const pods = (await this.#pods.adopt(owner, fits)).filter(isActive)
    const labels = Object.entries(objectOf(objectOf(objectOf(spec['template'])['metadata'])['labels']))
    const delay = countOf(spec['minReadySeconds'])
    const ready = pods.filter(isReady)
    await this.#client.report(this.#variant.bucket, owner, (current) => {
      const { conditions: old, ...status } = statusOf<ReplicaSet>(current)
      const before = objectsOf(old)
      // The first refusal stands: each has the name of another pod in it.
      const known = conditionIn(current, 'ReplicaFailure')?.['reason'] === reason
      const conditions =
        refusal === undefined
          ? withoutWorkloadCondition(before, 'ReplicaFailure')
          : known
            ? before
            : withWorkloadCondition(before, { type: 'ReplicaFailure', status: 'True', reason, message: refusal }, now)
      return {
        ...counts(status, {
          replicas: pods.length,
          fullyLabeledReplicas: pods.filter(({ metadata }) =>
            labels.every(([key, value]) => metadata.labels?.[key] === value),
          ).length,
          readyReplicas: ready.length,
          availableReplicas: ready.filter((pod) => isAvailable(pod, delay, now)).length,
        }),
        observedGeneration: owner.metadata.generation,
        ...listed('conditions', conditions),
      }
    })
    const next = nextAvailable(ready, delay, now)
    if (next !== undefined) this.loop.addAt(`${owner.metadata.namespace}/${owner.metadata.name}`, next)
  }
}

/** The status with these counts; all but `replicas` are left out when they are 0. */
export function counts(status: JsonObject, of: Readonly<Record<string, number>>): JsonObject {
  const result: Record<string, unknown> = { ...status }
  for (const [name, count] of Object.entries(of)) {
    if (count === 0 && name !== 'replicas') delete result[name]
    else result[name] = count
  }
  return result
}
