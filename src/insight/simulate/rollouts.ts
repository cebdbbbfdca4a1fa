import type { Deployment, ReplicaSet } from '../../builtin/apps-v1.ts'
import {
  newReplicas,
  proportional,
  type Rollout,
  rolloutOf,
  shrunk,
  type Version,
  withSurge,
} from '../../kinds/apps/rollout.ts'
import { forgotten, splitSets } from '../../kinds/apps/deployment-sets.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, specOf, textOf, valueAt } from '../../machinery/read.ts'
import type { ApiError } from '../../machinery/status.ts'
import { countOr1, type PodMaker, referenceTo } from './pod-maker.ts'
import type { World } from './world.ts'

export const SETS = { group: 'apps', resource: 'replicasets', kind: 'ReplicaSet', namespaced: true }
const DESIRED = 'deployment.kubernetes.io/desired-replicas'
/** A rollout that has not come to rest by then never does. */
const MOST_ROUNDS = 20_000

/** The controller of Deployments, in a world where pods are ready as soon as they are there. */
export class Rollouts {
  readonly #world: World
  readonly #maker: PodMaker

  constructor(world: World, maker: PodMaker) {
    this.#world = world
    this.#maker = maker
  }

  /** Gives what was refused, if anything was. */
  sync(deployment: Deployment): ApiError | undefined {
    let refusal: ApiError | undefined
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const found = this.#roll(deployment)
      refusal = found.refusal
      if (found.isBusy) continue
      this.#forgetOld(deployment)
      return refusal
    }
    return refusal
  }

  /** One round of a rollout: sets are sized first, then pods follow. */
  #roll(deployment: Deployment): { readonly isBusy: boolean; readonly refusal: ApiError | undefined } {
    const limits = limitsOf(deployment)
    const sizes = this.#sizes(deployment, limits)
    let isBusy = false
    let refusal: ApiError | undefined
    for (const [set, replicas] of sizes.wanted) {
      if (countOr1(specOf<ReplicaSet>(set).replicas) === replicas && desiredOf(set) === String(limits.replicas))
        continue
      isBusy = isBusy || countOr1(specOf<ReplicaSet>(set).replicas) !== replicas
      this.#resize(set, replicas, limits.replicas)
    }
    for (const set of this.#maker.owned(deployment, SETS)) {
      const had = this.#maker.podsOf(set).length
      const failed = this.#maker.syncPods(set, countOr1(specOf<ReplicaSet>(set).replicas))
      isBusy = isBusy || this.#maker.podsOf(set).length !== had
      refusal = refusal ?? failed
    }
    // A set whose pods are refused keeps no other set from being made.
    if (sizes.lacksSet) {
      const failed = this.#makeSet(deployment, limits)
      isBusy = isBusy || failed === undefined
      refusal = failed ?? refusal
    }
    return { isBusy, refusal }
  }

  /** Takes away what the Deployment keeps no longer for a rollback, the oldest sets first. */
  #forgetOld(deployment: Deployment): void {
    const { old } = splitSets(deployment, this.#maker.owned(deployment, SETS))
    const idle = old.filter(
      (set) => countOr1(specOf<ReplicaSet>(set).replicas) === 0 && this.#maker.podsOf(set).length === 0,
    )
    for (const { metadata } of forgotten(deployment, idle))
      this.#world.remove({ of: SETS, namespace: metadata.namespace ?? '', name: metadata.name ?? '' })
  }

  /** What sizes the ReplicaSets are to have now. */
  #sizes(
    deployment: Deployment,
    limits: Rollout,
  ): { readonly wanted: ReadonlyMap<KubeObject, number>; readonly lacksSet: boolean } {
    const spec = specOf(deployment)
    const sets = this.#maker.owned(deployment, SETS)
    const { fresh, old } = splitSets(deployment, sets)
    const wanted = new Map<KubeObject, number>()
    const recreates = textOf(objectOf(spec.strategy)['type']) === 'Recreate'
    const active = sets.filter((set) => countOr1(specOf<ReplicaSet>(set).replicas) > 0)
    const isScaled = active.some((set) => ![undefined, String(limits.replicas)].includes(desiredOf(set)))
    if (isScaled && !recreates) {
      const [only] = active
      if (active.length === 1 && only !== undefined) wanted.set(only, limits.replicas)
      else {
        const total = limits.replicas === 0 ? 0 : withSurge(limits.replicas, limits.maxSurge)
        const shares = proportional(
          total,
          active.map((set) => this.#version(set)),
        )
        for (const set of active)
          wanted.set(set, shares.get(set.metadata.name ?? '') ?? countOr1(specOf<ReplicaSet>(set).replicas))
      }
      return { wanted, lacksSet: false }
    }
    if (spec.paused === true) return { wanted, lacksSet: false }
    if (recreates) {
      for (const set of old) wanted.set(set, 0)
      const isClear = old.every((set) => this.#maker.podsOf(set).length === 0)
      if (fresh !== undefined && isClear) wanted.set(fresh, limits.replicas)
      return { wanted, lacksSet: fresh === undefined && isClear }
    }
    if (fresh === undefined) return { wanted, lacksSet: true }
    const versions = old.map((set) => this.#version(set))
    const mine = this.#version(fresh)
    const less = shrunk(limits, mine, versions)
    for (const set of old) {
      const size = less.get(set.metadata.name ?? '')
      if (size !== undefined) wanted.set(set, size)
    }
    const after = versions.map((one) => ({ ...one, replicas: less.get(one.name) ?? one.replicas }))
    wanted.set(fresh, newReplicas(limits, mine, after))
    return { wanted, lacksSet: false }
  }

  #version(set: ReplicaSet): Version {
    const pods = this.#maker.podsOf(set)
    return {
      name: set.metadata.name ?? '',
      replicas: countOr1(specOf(set).replicas),
      available: pods.filter(isAvailable).length,
    }
  }

  #resize(set: KubeObject, replicas: number, desired: number): void {
    const { annotations } = set.metadata
    this.#world.write(SETS, {
      ...set,
      metadata: { ...set.metadata, annotations: { ...annotations, [DESIRED]: String(desired) } },
      spec: { ...objectOf(set['spec']), replicas },
    })
  }

  #makeSet(deployment: Deployment, limits: Rollout): ApiError | undefined {
    const { namespace = '', labels } = deployment.metadata
    const old = this.#maker.owned(deployment, SETS).map((set) => this.#version(set))
    const first = newReplicas(limits, { name: '', replicas: 0, available: 0 }, old)
    const isRolling = textOf(objectOf(specOf(deployment).strategy)['type']) !== 'Recreate'
    const set: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        namespace,
        ...(labels === undefined ? {} : { labels }),
        annotations: { [DESIRED]: String(limits.replicas) },
        ownerReferences: [referenceTo(deployment)],
      },
      spec: {
        replicas: isRolling ? first : limits.replicas,
        selector: specOf(deployment).selector,
        template: specOf(deployment).template,
      },
    }
    return this.#maker.make(SETS, this.#maker.named(set, deployment))
  }
}

function limitsOf(deployment: Deployment): Rollout {
  const spec = specOf(deployment)
  const { maxSurge, maxUnavailable } = objectOf(objectOf(spec.strategy)['rollingUpdate'])
  return rolloutOf(countOr1(spec.replicas), maxSurge, maxUnavailable)
}

const desiredOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[DESIRED]

/** Is a pod ready? One that says nothing of it was made here, and is. */
const isAvailable = (pod: KubeObject): boolean =>
  objectsOf(valueAt(pod, 'status', 'conditions')).every(({ type, status }) => type !== 'Ready' || status === 'True')
