import { controllerOf, type KubeObject } from '../../machinery/object.ts'
import { numberOf } from '../../machinery/read.ts'
import { ApiError, failure, type GroupResource } from '../../machinery/status.ts'
import { isEnding } from '../explain/demand.ts'
import { madeFrom, workloadKind } from '../explain/workload-kinds.ts'
import type { Admission, KnownKind } from './admission.ts'
import type { Collector } from './collector.ts'
import type { World } from './world.ts'

export const PODS = { group: '', resource: 'pods', kind: 'Pod', namespaced: true }

/** No workload gets more pods than this here: nobody could wait for more. */
export const MOST_PODS = 5_000

export interface PodMakerOptions {
  readonly world: World
  readonly admission: Admission
  readonly collector: Collector
  /** Gives the next pod of a maker with what webhooks put into its siblings. */
  readonly injected: (pod: KubeObject, maker: KubeObject) => KubeObject
}

/** Makes what workloads want, as far as it is admitted. */
export class PodMaker {
  readonly #options: PodMakerOptions
  /** By the name of an object: what reality would have of it before its generated parts. */
  readonly #prefixes = new Map<string, string>()
  #names = 0

  constructor(options: PodMakerOptions) {
    this.#options = options
  }

  owned(object: KubeObject, of: GroupResource): readonly KubeObject[] {
    const { world } = this.#options
    return world
      .ownedBy(object.metadata.uid ?? '')
      .filter((place) => place.of.group === of.group && place.of.resource === of.resource)
      .flatMap((place) => world.find(of, place.namespace, place.name) ?? [])
      .filter((one) => controllerOf(one)?.uid === object.metadata.uid)
  }

  podsOf(object: KubeObject): readonly KubeObject[] {
    return this.owned(object, PODS).filter((pod) => !isEnding(pod))
  }

  /** Makes pods until there are enough or one is refused, and deletes those that are too many, the newest first. */
  syncPods(maker: KubeObject, wanted: number, shrinks = true): ApiError | undefined {
    const pods = this.podsOf(maker)
    const goal = Math.min(wanted, MOST_PODS)
    const capped = tooMany(wanted)
    if (shrinks) for (const pod of pods.slice(goal).toReversed()) this.delete(pod)
    if (pods.length >= goal) return capped
    const next = this.nextPod(maker)
    for (let count = pods.length; count < goal; count++) {
      const refusal = this.make(PODS, this.named(next, maker))
      if (refusal !== undefined) return refusal
    }
    return capped
  }

  /** Makes one pod more. */
  makeNext(maker: KubeObject): ApiError | undefined {
    return this.make(PODS, this.named(this.nextPod(maker), maker))
  }

  nextPod(maker: KubeObject): KubeObject {
    const kind = workloadKind(maker)
    const { namespace = '' } = maker.metadata
    if (kind === undefined) throw new Error(`${maker.kind} makes nothing`)
    const pod = this.#options.injected(madeFrom(maker, kind, namespace), maker)
    return { ...pod, metadata: { ...pod.metadata, namespace, ownerReferences: [referenceTo(maker)] } }
  }

  /** Names an object after its maker. Without a suffix the name is generated. */
  named(object: KubeObject, maker: KubeObject, suffix?: string): KubeObject {
    const { name: makerName = '' } = maker.metadata
    const { generateName: _, ...metadata } = object.metadata
    if (suffix !== undefined) return { ...object, metadata: { ...metadata, name: `${makerName}-${suffix}` } }
    this.#names += 1
    const name = `${makerName}-simulated${this.#names}`
    this.#prefixes.set(name, this.#prefixes.get(makerName) ?? `${makerName}-`)
    return { ...object, metadata: { ...metadata, name } }
  }

  make(kind: KnownKind, object: KubeObject): ApiError | undefined {
    try {
      this.#options.admission.create(kind, object)
      return undefined
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return this.#worded(error, object.metadata.name ?? '')
    }
  }

  /** Replaces an invented name in a message by its prefix, because the generated part is not known. */
  #worded(error: ApiError, name: string): ApiError {
    const prefix = this.#prefixes.get(name)
    if (prefix === undefined) return error
    const { code, reason = '', message = '' } = error.status
    this.#prefixes.delete(name)
    return failure(
      code,
      reason,
      message.replaceAll(JSON.stringify(name), JSON.stringify(prefix)).replaceAll(`/${name} (`, `/${prefix} (`),
    )
  }

  delete({ metadata: { namespace = '', name = '' } }: KubeObject): void {
    this.#options.collector.remove({ of: PODS, namespace, name })
  }
}

/** Returns an error if a workload has more pods than a simulation makes. */
export const tooMany = (wanted: number): ApiError | undefined =>
  wanted > MOST_PODS
    ? failure(422, 'Invalid', `a simulation makes at most ${MOST_PODS} pods of a workload, of ${wanted}`)
    : undefined

export const countOr1 = (value: unknown): number => numberOf(value) ?? 1

export const referenceTo = ({ apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
})
