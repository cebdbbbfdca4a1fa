import { labelSelectorOf } from '../../../kinds/rule/label-selector.ts'
import type { Pod } from '../../../builtin/core-v1.ts'
import type { StatefulSet } from '../../../builtin/apps-v1.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { compiledSelector } from '../../../machinery/selector/compiled.ts'
import { ApiError, isAlreadyExists, isForbidden } from '../../../machinery/status.ts'
import { countOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { ControllerClient, isNamespaceGoing } from '../shared/controller-client.ts'
import { ControllerLoop, RequeueAfter } from '../shared/controller-loop.ts'
import { controllerReference, type OwnedObjects } from '../shared/owned-objects.ts'
import { isDeleting, nextAvailable } from '../shared/pod-facts.ts'
import type { WriteRejection } from '../shared/replica-pods.ts'
import { type Newest, RevisionHistory } from '../shared/revision-history.ts'
import { StatefulClaims, type StatefulRefusal } from './stateful-claims.ts'
import { podName, statefulPod } from './stateful-pod.ts'
import { ordinalOf, planStatefulSet, revisionFor, revisionOf, statefulSetStatus } from './plan.ts'

const BUCKET = 'statefulsets.apps'
const PODS = 'pods'
const HASH = 'controller.kubernetes.io/hash'

/** The revision that the set comes from, and the one that it goes to. */
interface Revisions extends Newest {
  readonly current: StatefulSet
}

/** Keeps a StatefulSet's pods, each with a name and claims of its own, in their order. */
export class StatefulSetController {
  readonly #client: ControllerClient
  readonly #pods: OwnedObjects
  readonly #claims: StatefulClaims
  readonly #history: RevisionHistory
  readonly loop: ControllerLoop

  constructor(
    port: WorkloadPort,
    { pods, revisions }: { readonly pods: OwnedObjects; readonly revisions: OwnedObjects },
    onError: (key: string, error: unknown) => void,
  ) {
    this.#client = new ControllerClient(port, 'statefulset-controller')
    this.#pods = pods
    this.#claims = new StatefulClaims(this.#client)
    this.#history = new RevisionHistory(this.#client, revisions, HASH)
    const sync = (object: StatefulSet): Promise<void> => this.#sync(object)
    this.loop = new ControllerLoop({
      port,
      bucket: BUCKET,
      kind: 'StatefulSet',
      owns: [PODS],
      reports: this.#client.reports,
      sync,
      onError,
    })
  }

  async #sync(set: StatefulSet): Promise<void> {
    await this.#claimPods(set)
    if (isDeleting(set)) return await this.#report(set, undefined)
    const revisions = await this.#revisions(set)
    const plan = planStatefulSet(set, this.#podsOf(set), revisions.revision.metadata.name ?? '', this.#client.now())
    for (const pod of this.#podsOf(set)) await this.#claims.entrust(set, pod)
    const kept = await this.#removeAll(set, plan.remove)
    const refusal = revisions.refusal === undefined ? await this.#createAll(set, plan.create, revisions) : undefined
    const isRefused = revisions.refusal !== undefined || refusal?.isLack === true
    const left = await this.#removeAll(set, isRefused ? plan.ifRefused : refusal === undefined ? plan.renew : [])
    const used = new Set([revisions.current, revisions.revision].map(({ metadata }) => metadata.name))
    for (const pod of this.#podsOf(set)) used.add(revisionOf(pod))
    const unforgotten = await this.#history.forget(set, ({ metadata }) => used.has(metadata.name))
    await this.#report(set, revisions)
    const why = revisions.refusal ?? refusal?.why ?? kept ?? left ?? unforgotten
    if (why !== undefined) throw new RequeueAfter(why)
  }

  async #revisions(set: StatefulSet): Promise<Revisions> {
    const newest = await this.#history.newest(set)
    const name = textOf(statusOf(set)['currentRevision'])
    const current = this.#history.of(set).find(({ metadata }) => metadata.name === name)
    return { ...newest, current: current ?? newest.revision }
  }

  #podsOf(set: StatefulSet): readonly KubeObject[] {
    return this.#pods.of(set.metadata.uid).filter((pod) => ordinalOf(set, pod) >= 0)
  }

  /** Takes in pods that nobody manages and that are the set's by name and labels; lets go what its selector does not fit. */
  async #claimPods(set: StatefulSet): Promise<void> {
    if (isDeleting(set)) return
    const { namespace = '', uid } = set.metadata
    const fits = compiledSelector(labelSelectorOf(specOf(set).selector) ?? {})
    const change = async (pod: Pod, isOurs: boolean): Promise<void> =>
      await this.#client.update(PODS, pod, (now) => {
        const others = (now.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid)
        const ownerReferences = isOurs ? [...others, controllerReference(set)] : others
        return { ...now, metadata: { ...now.metadata, ownerReferences } }
      })
    for (const pod of this.#pods.of(uid)) if (!fits(pod.metadata.labels)) await change(pod, false)
    for (const pod of this.#pods.orphansIn(namespace))
      if (!isDeleting(pod) && ordinalOf(set, pod) >= 0 && fits(pod.metadata.labels)) await change(pod, true)
  }

  /** Gives the first refusal, behind which nothing more is made. */
  async #createAll(
    set: StatefulSet,
    ordinals: readonly number[],
    revisions: Revisions,
  ): Promise<StatefulRefusal | undefined> {
    for (const ordinal of ordinals) {
      const refusal = await this.#create(set, ordinal, revisions)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  async #create(
    set: StatefulSet,
    ordinal: number,
    { current, revision }: Revisions,
  ): Promise<StatefulRefusal | undefined> {
    const names = { current: current.metadata.name ?? '', update: revision.metadata.name ?? '' }
    const chosen = revisionFor(set, ordinal, names) === names.update ? revision : current
    const name = podName(set, ordinal)
    if (this.#claims.awaits(set, ordinal)) return { why: `the claims of ${name} are being deleted`, isLack: false }
    const missing = await this.#claims.ensure(set, ordinal)
    if (missing !== undefined) {
      await this.#failed(set, 'create', name, missing.why)
      return missing
    }
    try {
      await this.#client.create(PODS, set.metadata.namespace ?? '', statefulPod(set, ordinal, chosen))
    } catch (error) {
      if (isNamespaceGoing(error)) return undefined
      if (!(error instanceof ApiError)) throw error
      // Somebody else's pod has the name: it may go.
      const isTaken: boolean = isAlreadyExists(error)
      if (!isTaken) await this.#failed(set, 'create', name, error.message)
      return { why: error.message, isLack: isForbidden(error) }
    }
    await this.#done(set, 'create', name)
    return undefined
  }

  /** Deletes as many of the pods as can be deleted. Gives the first refusal. */
  async #removeAll(set: StatefulSet, pods: readonly Pod[]): Promise<WriteRejection> {
    let refusal: WriteRejection
    for (const pod of pods) refusal = (await this.#remove(set, pod)) ?? refusal
    return refusal
  }

  async #remove(set: StatefulSet, pod: Pod): Promise<WriteRejection> {
    const { name = '' } = pod.metadata
    try {
      await this.#client.remove(PODS, pod)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      await this.#failed(set, 'delete', name, error.message)
      return error.message
    }
    await this.#done(set, 'delete', name)
    return undefined
  }

  async #done(set: StatefulSet, verb: 'create' | 'delete', pod: string): Promise<void> {
    const message = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name ?? ''} successful`
    await this.#client.event(set, 'Normal', verb === 'create' ? 'SuccessfulCreate' : 'SuccessfulDelete', message)
  }

  async #failed(set: StatefulSet, verb: 'create' | 'delete', pod: string, why: string): Promise<void> {
    const message = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name ?? ''} failed error: ${why}`
    await this.#client.event(set, 'Warning', verb === 'create' ? 'FailedCreate' : 'FailedDelete', message)
  }

  async #report(set: StatefulSet, revisions: Revisions | undefined): Promise<void> {
    const { currentRevision, updateRevision, collisionCount } = statusOf(set)
    // A revision that could not be stored is none that pods can have.
    const stored = revisions?.refusal === undefined ? revisions : undefined
    const names = {
      current: stored?.current.metadata.name ?? textOf(currentRevision),
      update: stored?.revision.metadata.name ?? textOf(updateRevision),
      collisions: revisions?.collisions ?? countOf(collisionCount),
    }
    const now = this.#client.now()
    const pods = this.#podsOf(set)
    await this.#client.report(BUCKET, set, () => statefulSetStatus(set, pods, names, now))
    const next = nextAvailable(pods, countOf(specOf(set)['minReadySeconds']), now)
    if (next !== undefined) this.loop.addAt(`${set.metadata.namespace}/${set.metadata.name}`, next)
  }
}
