import { labelSelectorOf } from '../../../kinds/rule/label-selector.ts'
import type { Deployment, ReplicaSet } from '../../../builtin/apps-v1.ts'
import { greatest } from '../../../machinery/json-value.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { compiledSelector } from '../../../machinery/selector/compiled.ts'
import { ApiError, isAlreadyExists } from '../../../machinery/status.ts'
import { countOf, objectOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { ControllerClient, isNamespaceGoing } from '../shared/controller-client.ts'
import { ControllerLoop, RequeueAfter } from '../shared/controller-loop.ts'
import { forgotten, REVISION, revisionOf, splitSets } from '../../../kinds/apps/deployment-sets.ts'
import {
  annotated,
  DESIRED,
  inherited,
  limitsOf,
  replicaSetFor,
  replicasOf,
  sizes,
  versions,
} from './deployment-sets.ts'
import { deploymentStatus, progressDeadline } from './deployment-status.ts'
import { adopted, type OwnedObjects } from '../shared/owned-objects.ts'
import { isDeleting, isFinished } from '../shared/pod-facts.ts'
import { newReplicas, proportional, shrunk, withSurge } from '../../../kinds/apps/rollout.ts'
import type { WriteRejection } from '../shared/replica-pods.ts'
import { templateHash } from '../shared/template-hash.ts'

const BUCKET = 'deployments.apps'
const SETS = 'replicasets.apps'
const withReplicas = (set: ReplicaSet, replicas: number): KubeObject => ({
  ...set,
  spec: { ...specOf(set), replicas },
})

const byRevision = (a: Deployment, b: Deployment): number =>
  Number(revisionOf(a) > revisionOf(b)) - Number(revisionOf(a) < revisionOf(b))

/** Brings a Deployment's template out in a ReplicaSet of its own, while the sets of earlier templates shrink. */
export class DeploymentController {
  readonly #client: ControllerClient
  readonly #sets: OwnedObjects
  readonly #pods: OwnedObjects
  readonly loop: ControllerLoop

  constructor(
    port: WorkloadPort,
    { sets, pods }: { readonly sets: OwnedObjects; readonly pods: OwnedObjects },
    onError: (key: string, error: unknown) => void,
  ) {
    this.#client = new ControllerClient(port, 'deployment-controller')
    this.#sets = sets
    this.#pods = pods
    const sync = (object: Deployment): Promise<void> => this.#sync(object)
    this.loop = new ControllerLoop({
      port,
      bucket: BUCKET,
      kind: 'Deployment',
      owns: [SETS],
      reports: this.#client.reports,
      sync,
      onError,
    })
  }

  async #sync(deployment: Deployment): Promise<void> {
    if (isDeleting(deployment)) return await this.#report(deployment)
    await this.#adopt(deployment)
    const revision = this.#nextRevision(deployment)
    const kept = await this.#forgetOld(deployment)
    const refusal = (await this.#reconcile(deployment, revision)) ?? kept
    await this.#report(deployment, refusal)
    if (refusal !== undefined) throw new RequeueAfter(refusal)
  }

  /** Scales what is there before anything is made, and down before up. Gives the first refusal. */
  async #reconcile(deployment: Deployment, revision: bigint): Promise<WriteRejection> {
    const spec = specOf(deployment)
    if (spec['paused'] === true) return await this.#rescale(deployment)
    if (textOf(objectOf(spec['strategy'])['type']) === 'Recreate') {
      const { isDone, refusal } = await this.#clearOld(deployment)
      return isDone ? ((await this.#bringOut(deployment, true, revision)) ?? refusal) : refusal
    }
    const scaled = await this.#rescale(deployment)
    const shrunken = await this.#shrinkOld(deployment)
    const made = await this.#bringOut(deployment, false, revision)
    return made ?? (await this.#growFresh(deployment)) ?? scaled ?? shrunken
  }

  /** The set of the present template, if there is one, and the others, oldest first. */
  #split(deployment: Deployment): { readonly fresh: KubeObject | undefined; readonly old: readonly Deployment[] } {
    return splitSets(deployment, this.#sets.of(deployment.metadata.uid))
  }

  async #adopt(deployment: Deployment): Promise<void> {
    const { namespace = '' } = deployment.metadata
    const fits = compiledSelector(labelSelectorOf(specOf(deployment).selector) ?? {})
    for (const set of this.#sets.orphansIn(namespace)) {
      if (isDeleting(set) || !fits(set.metadata.labels)) continue
      await this.#client.update(SETS, set, (current) => adopted(current, deployment))
    }
  }

  /** For `Recreate`: nothing new before everything old is gone. Gives whether it is, and what refused to go. */
  async #clearOld(deployment: Deployment): Promise<{ readonly isDone: boolean; readonly refusal: WriteRejection }> {
    const { fresh, old } = this.#split(deployment)
    let refusal: WriteRejection
    for (const set of old) if (replicasOf(set) > 0) refusal = (await this.#scale(deployment, set, 0)) ?? refusal
    if (fresh !== undefined && replicasOf(fresh) > 0) return { isDone: true, refusal }
    const isDone = !old.some((set) => this.#pods.of(set.metadata.uid).some((pod) => !isFinished(pod)))
    return { isDone, refusal }
  }

  /** The revision of a set that is made now. */
  #nextRevision(deployment: Deployment): bigint {
    return BigInt.asIntN(64, greatest(this.#split(deployment).old.map(revisionOf)) + 1n)
  }

  /** Makes the set of the present template, and sees to its revision. Gives what refused it. */
  async #bringOut(deployment: Deployment, recreates: boolean, revision: bigint): Promise<WriteRejection> {
    const { fresh, old } = this.#split(deployment)
    const replicas = countOf(specOf(deployment)['replicas'])
    if (fresh === undefined) {
      const first = recreates
        ? replicas
        : newReplicas(limitsOf(deployment), { name: '', replicas: 0, available: 0 }, versions(old))
      return await this.#create(deployment, first, revision)
    }
    const mark = String(greatest([revision, revisionOf(fresh)]))
    const annotations = inherited(deployment, mark)
    if (Object.entries(annotations).some(([name, value]) => fresh.metadata.annotations?.[name] !== value))
      await this.#client.update(SETS, fresh, (current) => annotated(current, annotations))
    await this.#mark(deployment, mark)
    return recreates && replicasOf(fresh) !== replicas ? await this.#scale(deployment, fresh, replicas) : undefined
  }

  async #create(deployment: Deployment, replicas: number, revision: bigint): Promise<WriteRejection> {
    const { namespace = '', name = '' } = deployment.metadata
    const collisions = countOf(statusOf(deployment)['collisionCount'])
    const set = replicaSetFor(
      deployment,
      templateHash(specOf(deployment)['template'], collisions),
      replicas,
      String(revision),
    )
    try {
      await this.#client.create(SETS, namespace, set)
    } catch (error) {
      if (isNamespaceGoing(error) || !(error instanceof ApiError)) throw error
      const taken: boolean = isAlreadyExists(error)
      if (taken) {
        // Another template has the same hash: the next try takes another name.
        await this.#client.report(BUCKET, deployment, (current) => ({
          ...statusOf<Deployment>(current),
          collisionCount: collisions + 1,
        }))
        return error.message
      }
      const message = `Failed to create new replica set ${JSON.stringify(set.metadata.name)}: ${error.message}`
      await this.#client.event(deployment, 'Warning', 'ReplicaSetCreateError', message)
      return error.message
    }
    if (replicas > 0) await this.#tellScaled(deployment, set, 0, replicas)
    await this.#mark(deployment, String(revision))
    this.loop.add(`${namespace}/${name}`)
    return undefined
  }

  /** Scales the sets of earlier templates down as far as enough pods are available. */
  async #shrinkOld(deployment: Deployment): Promise<WriteRejection> {
    const { fresh, old } = this.#split(deployment)
    const [version] = versions(fresh === undefined ? [] : [fresh])
    if (version === undefined) return undefined
    const less = shrunk(limitsOf(deployment), version, versions(old))
    let refusal: WriteRejection
    for (const set of old) {
      const replicas = less.get(set.metadata.name ?? '')
      if (replicas !== undefined) refusal = (await this.#scale(deployment, set, replicas)) ?? refusal
    }
    return refusal
  }

  /** Scales the set of the present template as far as the sets of earlier ones leave room. */
  async #growFresh(deployment: Deployment): Promise<WriteRejection> {
    const { fresh, old } = this.#split(deployment)
    const [version] = versions(fresh === undefined ? [] : [fresh])
    if (fresh === undefined || version === undefined) return undefined
    const wanted = newReplicas(limitsOf(deployment), version, versions(old))
    return wanted === version.replicas ? undefined : await this.#scale(deployment, fresh, wanted)
  }

  /** A Deployment that was scaled in the middle of a rollout keeps the proportions of its sets. */
  async #rescale(deployment: Deployment): Promise<WriteRejection> {
    const { fresh, old } = this.#split(deployment)
    const active = [...old, ...(fresh === undefined ? [] : [fresh])].filter((set) => replicasOf(set) > 0)
    const limits = limitsOf(deployment)
    const scaled = active.some((set) => {
      const desired = set.metadata.annotations?.[DESIRED]
      return desired !== undefined && desired !== String(limits.replicas)
    })
    if (!scaled) return undefined
    const [only] = active
    const surge = active.length > 1 ? limits.maxSurge : 0
    const shares =
      active.length === 1 && only !== undefined
        ? new Map([[only.metadata.name ?? '', limits.replicas]])
        : proportional(limits.replicas === 0 ? 0 : withSurge(limits.replicas, surge), versions(active))
    let refusal: WriteRejection
    for (const set of active) {
      const replicas = shares.get(set.metadata.name ?? '') ?? replicasOf(set)
      refusal = (await this.#scale(deployment, set, replicas)) ?? refusal
    }
    return refusal
  }

  /** Gives what refused it, as a quota that counts the replicas of sets. */
  async #scale(deployment: Deployment, set: ReplicaSet, replicas: number): Promise<WriteRejection> {
    const before = replicasOf(set)
    try {
      await this.#client.update(SETS, set, (current) => annotated(withReplicas(current, replicas), sizes(deployment)))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return error.message
    }
    if (before !== replicas) await this.#tellScaled(deployment, set, before, replicas)
    return undefined
  }

  async #tellScaled(deployment: Deployment, set: ReplicaSet, from: number, to: number): Promise<void> {
    const way = to > from ? 'up' : 'down'
    const message = `Scaled ${way} replica set ${set.metadata.name ?? ''} from ${from} to ${to}`
    await this.#client.event(deployment, 'Normal', 'ScalingReplicaSet', message)
  }

  async #mark(deployment: Deployment, revision: string): Promise<void> {
    if (deployment.metadata.annotations?.[REVISION] === revision) return
    // With the status, as upstream: an annotation that comes with the rest would count as a change of what is wanted.
    await this.#client.update(BUCKET, deployment, (current) => annotated(current, { [REVISION]: revision }), 'status')
  }

  /** Sets of earlier templates are kept for a rollback, the newest of them as many as the Deployment says. */
  async #forgetOld(deployment: Deployment): Promise<WriteRejection> {
    const { old } = this.#split(deployment)
    const idle = old
      .filter((set) => replicasOf(set) === 0 && countOf(statusOf(set)['replicas']) === 0 && !isDeleting(set))
      .toSorted(byRevision)
    let refusal: WriteRejection
    for (const set of forgotten(deployment, idle))
      try {
        await this.#client.remove(SETS, set)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        refusal = error.message
      }
    return refusal
  }

  async #report(deployment: Deployment, refusal?: string): Promise<void> {
    const { fresh, old } = this.#split(deployment)
    const now = this.#client.now()
    await this.#client.report(BUCKET, deployment, (current) =>
      deploymentStatus({
        deployment: current,
        fresh,
        old,
        refusal,
        now,
        maxUnavailable: limitsOf(current).maxUnavailable,
      }),
    )
    const { namespace = '', name = '' } = deployment.metadata
    const due = progressDeadline(this.#client.get(BUCKET, `${namespace}/${name}`) ?? deployment)
    if (due !== undefined && due >= now) this.loop.addAt(`${namespace}/${name}`, due)
  }
}
