import type { StatefulSet } from '../../../builtin/apps-v1.ts'
import type { PersistentVolumeClaim, Pod } from '../../../builtin/core-v1.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { ApiError, isForbidden } from '../../../machinery/status.ts'
import type { ControllerClient } from '../shared/controller-client.ts'
import { isDeleting } from '../shared/pod-facts.ts'
import { claimOwners, claimsFor, isLeftBehind, podName } from './stateful-pod.ts'
import { ordinalOf } from './plan.ts'

const CLAIMS = 'persistentvolumeclaims'

/** The reason why a pod of a set, or one of its claims, cannot be made. */
export interface StatefulRefusal {
  readonly why: string
  /** Was it refused, as by a quota that is full? Otherwise something else has to go first. */
  readonly isLack: boolean
}

/** The volume claims of StatefulSets' pods: made before the pod, and kept when it goes unless the set says otherwise. */
export class StatefulClaims {
  readonly #client: ControllerClient

  constructor(client: ControllerClient) {
    this.#client = client
  }

  /** Makes the claims that the pod of an ordinal lacks. Gives what keeps it from that. */
  async ensure(set: StatefulSet, ordinal: number): Promise<StatefulRefusal | undefined> {
    const problems: StatefulRefusal[] = []
    for (const claim of claimsFor(set, ordinal)) {
      const { name = '' } = claim.metadata
      const present = this.#present(claim)
      if (present === undefined) {
        const refusal = await this.#create(set, podName(set, ordinal), claim)
        if (refusal !== undefined) problems.push({ ...refusal, why: `failed to create PVC ${name}: ${refusal.why}` })
      } else if (isDeleting(present)) problems.push({ why: `pvc ${name} is being deleted`, isLack: false })
    }
    if (problems.length < 2) return problems[0]
    const why = `[${problems.map((problem) => problem.why).join(', ')}]`
    return { why, isLack: problems.every(({ isLack }) => isLack) }
  }

  /** Is a claim about to go with an earlier pod of the same name? */
  awaits(set: StatefulSet, ordinal: number): boolean {
    return claimsFor(set, ordinal).some((claim) => {
      const present = this.#present(claim)
      return present !== undefined && !isDeleting(present) && isLeftBehind(present, podName(set, ordinal))
    })
  }

  /** Says in a pod's claims what they are to be deleted with. */
  async entrust(set: StatefulSet, pod: Pod): Promise<void> {
    for (const claim of claimsFor(set, ordinalOf(set, pod))) {
      const present = this.#present(claim)
      if (present === undefined) continue
      const uids = (object: KubeObject): string => (object.metadata.ownerReferences ?? []).map(({ uid }) => uid).join()
      const change = (current: KubeObject): KubeObject => ({
        ...current,
        metadata: { ...current.metadata, ownerReferences: claimOwners(set, pod, current) },
      })
      if (uids(change(present)) !== uids(present)) await this.#client.update(CLAIMS, present, change)
    }
  }

  async #create(set: StatefulSet, pod: string, claim: PersistentVolumeClaim): Promise<StatefulRefusal | undefined> {
    const { name = '', namespace = '' } = claim.metadata
    const where = `in StatefulSet ${set.metadata.name ?? ''}`
    try {
      await this.#client.create(CLAIMS, namespace, claim)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const message = `create Claim ${name} for Pod ${pod} ${where} failed error: ${error.message}`
      await this.#client.event(set, 'Warning', 'FailedCreate', message)
      return { why: error.message, isLack: isForbidden(error) }
    }
    await this.#client.event(set, 'Normal', 'SuccessfulCreate', `create Claim ${name} Pod ${pod} ${where} success`)
    return undefined
  }

  #present({ metadata }: KubeObject): KubeObject | undefined {
    return this.#client.get(CLAIMS, `${metadata.namespace ?? ''}/${metadata.name ?? ''}`)
  }
}
