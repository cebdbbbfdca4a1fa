import type { Pod } from '../../../builtin/core-v1.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { LabelMatcher } from '../../../machinery/selector/requirement.ts'
import { ApiError } from '../../../machinery/status.ts'
import { type ControllerClient, isNamespaceGoing } from './controller-client.ts'
import { BURST } from './burst.ts'
import { adopted, type OwnedObjects } from './owned-objects.ts'
import { isDeleting } from './pod-facts.ts'

const PODS = 'pods'

/** The message of the first rejected write; undefined if none was rejected. */
export type WriteRejection = string | undefined

/** The pods of one owner at a time. Adopts pods that fit its selector, releases the others, and makes and deletes pods. */
export class ReplicaPods {
  readonly #client: ControllerClient
  readonly #pods: OwnedObjects

  constructor(client: ControllerClient, pods: OwnedObjects) {
    this.#client = client
    this.#pods = pods
  }

  /** Returns the pods of the owner. Adopts orphans that fit its selector, and releases pods that no longer fit (upstream `ClaimPods`). */
  async adopt(owner: KubeObject, fits: LabelMatcher): Promise<readonly KubeObject[]> {
    const { namespace = '', uid } = owner.metadata
    const own: KubeObject[] = []
    for (const pod of this.#pods.of(uid)) {
      if (fits(pod.metadata.labels)) own.push(pod)
      else if (!isDeleting(owner)) await this.#client.update(PODS, pod, (current) => released(current, uid))
    }
    if (isDeleting(owner)) return own
    for (const pod of this.#pods.orphansIn(namespace)) {
      if (isDeleting(pod) || !fits(pod.metadata.labels)) continue
      await this.#client.update(PODS, pod, (current) => adopted(current, owner))
      own.push(this.#client.get(PODS, `${namespace}/${pod.metadata.name ?? ''}`) ?? pod)
    }
    return own
  }

  /**
   * Creates `count` pods: one first, then twice as many each time while that goes well. So a refusal comes once and not a hundred times.
   * Says so in Events about the owner. Gives the first refusal.
   */
  async create(owner: KubeObject, count: number, make: (index: number) => KubeObject): Promise<WriteRejection> {
    const most = Math.min(count, BURST)
    for (let made = 0, size = 1; made < most; size *= 2) {
      const indexes = Array.from({ length: Math.min(size, most - made) }, (_, offset) => made + offset)
      const refusals = await Promise.all(indexes.map((index) => this.createOne(owner, make(index))))
      made += indexes.length
      const refusal = refusals.find((one) => one !== undefined)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  async createOne(owner: KubeObject, pod: Pod): Promise<WriteRejection> {
    try {
      const { metadata } = await this.#client.create(PODS, owner.metadata.namespace ?? '', pod)
      await this.#client.event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${metadata.name ?? ''}`)
      return undefined
    } catch (error) {
      // In a namespace that goes there is nobody left to tell.
      if (isNamespaceGoing(error)) return undefined
      if (!(error instanceof ApiError)) throw error
      await this.#client.event(owner, 'Warning', 'FailedCreate', `Error creating: ${error.message}`)
      return error.message
    }
  }

  /** Deletes as many of the pods as can be deleted. Gives the first refusal. */
  async remove(owner: KubeObject, pods: readonly Pod[]): Promise<WriteRejection> {
    const refusals = await Promise.all(
      pods.slice(0, BURST).map(async (pod): Promise<WriteRejection> => {
        try {
          await this.#client.remove(PODS, pod)
          await this.#client.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name ?? ''}`)
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          await this.#client.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${error.message}`)
          return error.message
        }
        return undefined
      }),
    )
    return refusals.find((one) => one !== undefined)
  }
}

function released(pod: Pod, uid: string | undefined): KubeObject {
  const { ownerReferences = [], ...metadata } = pod.metadata
  return { ...pod, metadata: { ...metadata, ownerReferences: ownerReferences.filter((one) => one.uid !== uid) } }
}
