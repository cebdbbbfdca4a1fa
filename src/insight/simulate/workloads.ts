import type { DaemonSet, ReplicaSet, StatefulSet } from '../../builtin/apps-v1.ts'
import type { HorizontalPodAutoscaler } from '../../builtin/autoscaling-v1.ts'
import type { Pod } from '../../builtin/core-v1.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import { controllerOf, type KubeObject } from '../../machinery/object.ts'
import {
  countOf,
  numberOf,
  objectOf,
  objectsOf,
  specOf,
  statusOf,
  textAt,
  textOf,
  valueAt,
} from '../../machinery/read.ts'
import { type ApiError, type GroupResource, qualified } from '../../machinery/status.ts'
import { daemonOn, daemonPodSpec } from '../../kinds/apps/daemon-nodes.ts'
import { share } from '../../kinds/apps/rollout.ts'
import { scales } from '../explain/autoscaler.ts'
import { isEnding } from '../explain/demand.ts'
import { LOOKED_UP } from './admission.ts'
import { claimTemplates, workloadKind, WORKLOAD_KINDS } from '../explain/workload-kinds.ts'
import { countOr1, MOST_PODS, PodMaker, type PodMakerOptions, PODS, tooMany } from './pod-maker.ts'
import { Rollouts, SETS } from './rollouts.ts'
import type { Place } from './world.ts'

const CLAIMS = { group: '', resource: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', namespaced: true }
const AUTOSCALERS: GroupResource = { group: 'autoscaling', resource: 'horizontalpodautoscalers' }
const DAEMON_SETS: GroupResource = { group: 'apps', resource: 'daemonsets' }
const NODES: GroupResource = { group: '', resource: 'nodes' }

/** The controllers of workloads, in a world where pods are ready as soon as they are there. */
export class Workloads {
  readonly #options: PodMakerOptions
  readonly #dirty = new Map<string, Place>()
  /** Pods that were made from a template that is no longer their workload's. */
  readonly #outdated = new Set<string>()
  /** What the API server last refused to each workload, by uid. */
  readonly #refusals = new Map<string, { readonly place: Place; readonly error: ApiError }>()
  readonly #maker: PodMaker
  readonly #rollouts: Rollouts
  #isSyncing = false

  constructor(options: PodMakerOptions) {
    this.#options = options
    this.#maker = new PodMaker(options)
    this.#rollouts = new Rollouts(options.world, this.#maker)
    options.world.onChange((place, object, old) => this.#changed(place, object, old))
  }

  refusalOf({ metadata }: KubeObject): ApiError | undefined {
    return this.#refusals.get(metadata.uid ?? '')?.error
  }

  lookAtAll(): void {
    for (const { group, resource } of WORKLOAD_KINDS.values())
      for (const object of this.#options.world.all({ group, resource })) this.#lookAt({ group, resource }, object)
  }

  /** Says whether anything was done. */
  settle(): boolean {
    const { freed } = this.#options.world
    if (this.#options.world.unseen.has('pods')) return false
    if (freed.has('')) this.#lookAtRefused()
    for (const namespace of freed)
      for (const { group, resource } of WORKLOAD_KINDS.values())
        for (const object of this.#options.world.list({ group, resource }, namespace))
          this.#lookAt({ group, resource }, object)
    freed.clear()
    const places = [...this.#dirty.values()]
    this.#dirty.clear()
    for (const place of places) this.#sync(place)
    return places.length > 0
  }

  #lookAtRefused(): void {
    for (const { place } of this.#refusals.values()) this.#dirty.set(keyOf(place), place)
  }

  #lookAt(of: GroupResource, object: KubeObject): void {
    const { namespace = '', name = '' } = object.metadata
    if (this.#makerOf(namespace, object) === undefined)
      this.#dirty.set(keyOf({ of, namespace, name }), { of, namespace, name })
  }

  #changed(place: Place, object: KubeObject | undefined, old: KubeObject | undefined): void {
    const one = object ?? old
    const id = qualified(place.of)
    const { freed } = this.#options.world
    if (id === 'limitranges') freed.add(place.namespace)
    if (LOOKED_UP.has(id)) this.#lookAtRefused()
    if (id === qualified(NODES)) for (const set of this.#options.world.all(DAEMON_SETS)) this.#lookAt(DAEMON_SETS, set)
    if (one === undefined) return
    // Whoever made what somebody else deletes makes it again.
    if (object === undefined && !this.#isSyncing) this.#lookAtMakers(place.namespace, one)
    if (id === qualified(AUTOSCALERS) && object !== undefined) this.#lookAtTarget(object)
    if (workloadKind(one) === undefined || object === undefined) return
    this.#lookAt(place.of, object)
    if (old === undefined || SETS.resource === place.of.resource) return
    if (jsonEqual(specOf<ReplicaSet>(object).template, specOf<ReplicaSet>(old).template)) return
    for (const pod of this.#maker.podsOf(object)) this.#outdated.add(pod.metadata.uid ?? '')
  }

  /** The workload of the state that has made an object. Those of other controllers, as of operators, are their own. */
  #makerOf(namespace: string, object: KubeObject): KubeObject | undefined {
    const owner = controllerOf(object)
    const kind = owner === undefined ? undefined : workloadKind({ ...owner, metadata: {} })
    if (owner === undefined || kind === undefined) return undefined
    const found = this.#options.world.find(kind, namespace, owner.name)
    return found?.metadata.uid === owner.uid ? found : undefined
  }

  #lookAtMakers(namespace: string, object: KubeObject): void {
    for (let maker = this.#makerOf(namespace, object); maker !== undefined; maker = this.#makerOf(namespace, maker)) {
      const kind = workloadKind(maker)
      if (kind !== undefined) this.#lookAt(kind, maker)
    }
  }

  #lookAtTarget(autoscaler: HorizontalPodAutoscaler): void {
    const { namespace = '' } = autoscaler.metadata
    const kind = WORKLOAD_KINDS.get(textAt(autoscaler, 'spec', 'scaleTargetRef', 'kind'))
    const name = textAt(autoscaler, 'spec', 'scaleTargetRef', 'name')
    const target = kind === undefined ? undefined : this.#options.world.find(kind, namespace, name)
    if (kind !== undefined && target !== undefined) this.#lookAt(kind, target)
  }

  /** An autoscaler keeps replicas between its limits; more than its minimum it wants only by measures, which nobody knows here. It leaves 0 alone. */
  #scaled(of: GroupResource, object: KubeObject): KubeObject {
    const { world } = this.#options
    const { namespace = '' } = object.metadata
    const autoscaler: HorizontalPodAutoscaler | undefined = world
      .list(AUTOSCALERS, namespace)
      .find((one) => scales(one, object))
    const replicas = countOr1(specOf<ReplicaSet>(object).replicas)
    if (autoscaler === undefined || replicas === 0) return object
    const { minReplicas, maxReplicas } = specOf(autoscaler)
    const wanted = Math.min(Math.max(replicas, countOr1(minReplicas)), numberOf(maxReplicas) ?? replicas)
    if (wanted === replicas) return object
    return world.write(of, { ...object, spec: { ...specOf<ReplicaSet>(object), replicas: wanted } })
  }

  #sync(place: Place): void {
    const found = this.#options.world.find(place.of, place.namespace, place.name)
    if (found === undefined) return
    const object = this.#scaled(place.of, found)
    this.#isSyncing = true
    const refusal = this.#synced(object)
    this.#isSyncing = false
    const { uid = '' } = object.metadata
    if (refusal === undefined) this.#refusals.delete(uid)
    else this.#refusals.set(uid, { place, error: refusal })
  }

  #synced(object: KubeObject): ApiError | undefined {
    const kind = workloadKind(object)
    if (kind === undefined) return undefined
    switch (kind.resource) {
      case 'deployments':
        return this.#rollouts.sync(object)
      case 'replicasets':
      case 'replicationcontrollers':
        return this.#maker.syncPods(object, countOr1(specOf<ReplicaSet>(object).replicas))
      case 'statefulsets':
        return this.#syncStateful(object)
      case 'daemonsets':
        return this.#syncDaemon(object)
      case 'jobs':
        return this.#maker.syncPods(object, kind.wanted(object, false), false)
      default:
        return undefined
    }
  }

  /** Pods in order, each with its claims; then those of an earlier template are replaced, the last first. */
  #syncStateful(set: StatefulSet): ApiError | undefined {
    const { world, collector } = this.#options
    const spec = specOf(set)
    const start = countOf(valueAt(spec.ordinals, 'start'))
    const wanted = Math.min(countOr1(spec.replicas), MOST_PODS)
    const { namespace = '', name = '' } = set.metadata
    const podAt = (ordinal: number): KubeObject | undefined => {
      const pod = world.find(PODS, namespace, `${name}-${ordinal}`)
      return pod === undefined || isEnding(pod) ? undefined : pod
    }
    const surplus = this.#maker.podsOf(set).filter((pod) => {
      const ordinal = Number((pod.metadata.name ?? '').slice(name.length + 1))
      return ordinal < start || ordinal >= start + wanted
    })
    for (const pod of surplus.toReversed()) this.#maker.delete(pod)
    const next = this.#maker.nextPod(set)
    let refusal: ApiError | undefined
    for (let ordinal = start; ordinal < start + wanted; ordinal++) {
      if (podAt(ordinal) !== undefined) continue
      const failed = this.#makeStateful(set, next, ordinal)
      refusal = refusal ?? failed
      if (failed !== undefined && textOf(spec.podManagementPolicy) !== 'Parallel') return failed
    }
    const missing = refusal ?? tooMany(countOr1(spec.replicas))
    if (missing !== undefined || textAt(spec.updateStrategy, 'type') === 'OnDelete') return missing
    const partition = countOf(valueAt(spec.updateStrategy, 'rollingUpdate', 'partition'))
    for (let ordinal = start + wanted - 1; ordinal >= start + partition; ordinal--) {
      const pod = podAt(ordinal)
      if (pod === undefined || !this.#outdated.delete(pod.metadata.uid ?? '')) continue
      collector.remove({ of: PODS, namespace, name: `${name}-${ordinal}` })
      const failed = this.#makeStateful(set, next, ordinal)
      if (failed !== undefined) return failed
    }
    return undefined
  }

  #makeStateful(set: StatefulSet, next: KubeObject, ordinal: number): ApiError | undefined {
    const { world } = this.#options
    const { namespace = '', name = '' } = set.metadata
    let refused: ApiError | undefined
    const volumes = new Map<string, string>()
    for (const template of claimTemplates(set)) {
      const volume = textAt(template, 'metadata', 'name')
      const claim = `${volume}-${name}-${ordinal}`
      volumes.set(volume, claim)
      if (world.find(CLAIMS, namespace, claim) !== undefined) continue
      const refusal = this.#maker.make(CLAIMS, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { ...objectOf<unknown>(template.metadata), namespace, name: claim },
        spec: objectOf(template.spec),
      })
      refused = refused ?? refusal
    }
    return refused ?? this.#maker.make(PODS, this.#maker.named(withClaims(next, volumes), set, String(ordinal)))
  }

  /** A pod for each node; those of an earlier template are replaced one by one. With a surge the new pod comes first. */
  #syncDaemon(set: DaemonSet): ApiError | undefined {
    const wanted = this.#nodesFor(set)
    if (wanted === undefined) return undefined
    const failed = this.#maker.syncPods(set, wanted)
    if (failed !== undefined || textAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return failed
    const surge = valueAt(set, 'spec', 'updateStrategy', 'rollingUpdate', 'maxSurge')
    const isDoubling = share(surge, wanted, 'up') > 0
    for (const pod of this.#maker.podsOf(set)) {
      const { uid = '' } = pod.metadata
      if (!this.#outdated.has(uid)) continue
      if (!isDoubling) this.#drop(pod)
      const refusal = isDoubling ? this.#maker.makeNext(set) : this.#maker.syncPods(set, wanted)
      if (refusal !== undefined) return refusal
      if (isDoubling) this.#drop(pod)
    }
    return undefined
  }

  #drop(pod: KubeObject): void {
    this.#outdated.delete(pod.metadata.uid ?? '')
    this.#maker.delete(pod)
  }

  /** On how many nodes pods of a DaemonSet are to be, which its status then says. Undefined: without nodes nobody knows. */
  #nodesFor(set: DaemonSet): number | undefined {
    const { world } = this.#options
    const nodes = world.all(NODES)
    const status = statusOf(set)
    const isKnown = nodes.length > 0 && !world.unseen.has(qualified(NODES))
    // Its controller has counted one that has been there before.
    if (!isKnown && numberOf(status.observedGeneration) !== undefined) return numberOf(status.desiredNumberScheduled)
    const spec = daemonPodSpec(set)
    const wanted = isKnown ? nodes.filter((node) => daemonOn(spec, node).shouldRun).length : undefined
    if (status.desiredNumberScheduled === wanted) return wanted
    const { desiredNumberScheduled: _, ...rest } = status
    world.write(DAEMON_SETS, {
      ...set,
      status: wanted === undefined ? rest : { ...rest, desiredNumberScheduled: wanted },
    })
    return wanted
  }
}

const keyOf = ({ of, namespace, name }: Place): string => `${qualified(of)} ${namespace}/${name}`

/** The pod with its claims, by their volumes, in place of the volumes of these names. */
function withClaims(pod: Pod, claims: ReadonlyMap<string, string>): KubeObject {
  if (claims.size === 0) return pod
  const spec = specOf(pod)
  const others = objectsOf(spec.volumes).filter(({ name }) => !claims.has(textOf(name)))
  const own = [...claims].map(([name, claimName]) => ({ name, persistentVolumeClaim: { claimName } }))
  return { ...pod, spec: { ...spec, volumes: [...others, ...own] } }
}
