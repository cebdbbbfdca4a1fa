import { greatest, isInt64Text } from '../../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { compiledSelector } from '../../../machinery/selector/compiled-selector.ts'
import { ApiError, isAlreadyExists } from '../../../machinery/status.ts'
import { countOf, numberOf, objectOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { ControllerClient, isNamespaceGoing } from '../shared/controller-client.ts'
import { ControllerLoop, RequeueAfter } from '../shared/controller-loop.ts'
import { deploymentStatus, progressDeadline } from './deployment-status.ts'
import { adopted, controllerReference, type OwnedObjects } from '../shared/owned-objects.ts'
import { isDeleting, isFinished } from '../shared/pod-facts.ts'
import {
  newReplicas,
  proportional,
  type Rollout,
  rolloutOf,
  shrunk,
  type Version,
  withSurge,
} from '../shared/rollout.ts'
import { sameTemplate, templateHash } from '../shared/template-hash.ts'

const BUCKET = 'deployments.apps'
const SETS = 'replicasets.apps'
const HASH = 'pod-template-hash'
const REVISION = 'deployment.kubernetes.io/revision'
const DESIRED = 'deployment.kubernetes.io/desired-replicas'
const MAX = 'deployment.kubernetes.io/max-replicas'
/** Annotations that say something of the Deployment only. */
const OWN_ANNOTATIONS = new Set(['kubectl.kubernetes.io/last-applied-configuration', REVISION, DESIRED, MAX])

const byAge = (a: KubeObject, b: KubeObject): number =>
  (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1
/** Revisions are numbers of 64 bits; what is not one counts as none. */
function revisionOf({ metadata }: KubeObject): bigint {
  const text = metadata.annotations?.[REVISION] ?? ''
  return isInt64Text(text) ? BigInt(text) : 0n
}
const byRevision = (a: KubeObject, b: KubeObject): number =>
  Number(revisionOf(a) > revisionOf(b)) - Number(revisionOf(a) < revisionOf(b))
const replicasOf = (set: KubeObject): number => countOf(specOf(set)['replicas'])

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
    const sync = (object: KubeObject): Promise<void> => this.#sync(object)
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

  async #sync(deployment: KubeObject): Promise<void> {
    if (isDeleting(deployment)) return await this.#report(deployment)
    await this.#adopt(deployment)
    const spec = specOf(deployment)
    if (spec['paused'] === true) {
      await this.#rescale(deployment)
      return await this.#report(deployment)
    }
    const recreates = textOf(objectOf(spec['strategy'])['type']) === 'Recreate'
    if (recreates && (await this.#clearOld(deployment))) return await this.#report(deployment)
    const refusal = await this.#bringOut(deployment, recreates)
    if (refusal === undefined && !recreates) await this.#roll(deployment)
    if (refusal === undefined) await this.#forgetOld(deployment)
    await this.#report(deployment, refusal)
    if (refusal !== undefined) throw new RequeueAfter(refusal)
  }

  /** The set of the present template, if there is one, and the others, oldest first. */
  #split(deployment: KubeObject): { readonly fresh: KubeObject | undefined; readonly old: readonly KubeObject[] } {
    const sets = this.#sets.of(deployment.metadata.uid).toSorted(byAge)
    const template = specOf(deployment)['template']
    const fresh = sets.find((set) => sameTemplate(specOf(set)['template'], template, HASH))
    return { fresh, old: sets.filter((set) => set !== fresh) }
  }

  async #adopt(deployment: KubeObject): Promise<void> {
    const { namespace = '' } = deployment.metadata
    const fits = compiledSelector(objectOf(specOf(deployment)['selector']))
    for (const set of this.#sets.orphansIn(namespace)) {
      if (isDeleting(set) || !fits(set.metadata.labels)) continue
      await this.#client.update(SETS, set, (current) => adopted(current, deployment))
    }
  }

  /** For `Recreate`: nothing new before everything old is gone. Gives true while something is. */
  async #clearOld(deployment: KubeObject): Promise<boolean> {
    const { fresh, old } = this.#split(deployment)
    for (const set of old) if (replicasOf(set) > 0) await this.#scale(deployment, set, 0)
    if (fresh !== undefined && replicasOf(fresh) > 0) return false
    return old.some((set) => this.#pods.of(set.metadata.uid).some((pod) => !isFinished(pod)))
  }

  /** Makes the set of the present template, and sees to its revision. Gives what refused it. */
  async #bringOut(deployment: KubeObject, recreates: boolean): Promise<string | undefined> {
    const { fresh, old } = this.#split(deployment)
    const revision = BigInt.asIntN(64, greatest(old.map(revisionOf)) + 1n)
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
    if (recreates && replicasOf(fresh) !== replicas) await this.#scale(deployment, fresh, replicas)
    return undefined
  }

  async #create(deployment: KubeObject, replicas: number, revision: bigint): Promise<string | undefined> {
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
          ...statusOf(current),
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

  async #roll(deployment: KubeObject): Promise<void> {
    await this.#rescale(deployment)
    const { fresh, old } = this.#split(deployment)
    if (fresh === undefined) return
    const limits = limitsOf(deployment)
    const [version] = versions([fresh])
    if (version === undefined) return
    const wanted = newReplicas(limits, version, versions(old))
    if (wanted !== version.replicas) return await this.#scale(deployment, fresh, wanted)
    const less = shrunk(limits, version, versions(old))
    for (const set of old) {
      const replicas = less.get(set.metadata.name ?? '')
      if (replicas !== undefined) await this.#scale(deployment, set, replicas)
    }
  }

  /** A Deployment that was scaled in the middle of a rollout keeps the proportions of its sets. */
  async #rescale(deployment: KubeObject): Promise<void> {
    const { fresh, old } = this.#split(deployment)
    const active = [...old, ...(fresh === undefined ? [] : [fresh])].filter((set) => replicasOf(set) > 0)
    const limits = limitsOf(deployment)
    const scaled = active.some((set) => {
      const desired = set.metadata.annotations?.[DESIRED]
      return desired !== undefined && desired !== String(limits.replicas)
    })
    if (!scaled) return
    const [only] = active
    const surge = active.length > 1 ? limits.maxSurge : 0
    const shares =
      active.length === 1 && only !== undefined
        ? new Map([[only.metadata.name ?? '', limits.replicas]])
        : proportional(limits.replicas === 0 ? 0 : withSurge(limits.replicas, surge), versions(active))
    for (const set of active) await this.#scale(deployment, set, shares.get(set.metadata.name ?? '') ?? replicasOf(set))
  }

  async #scale(deployment: KubeObject, set: KubeObject, replicas: number): Promise<void> {
    const before = replicasOf(set)
    await this.#client.update(SETS, set, (current) =>
      annotated({ ...current, spec: { ...specOf(current), replicas } }, sizes(deployment)),
    )
    if (before !== replicas) await this.#tellScaled(deployment, set, before, replicas)
  }

  async #tellScaled(deployment: KubeObject, set: KubeObject, from: number, to: number): Promise<void> {
    const way = to > from ? 'up' : 'down'
    const message = `Scaled ${way} replica set ${set.metadata.name ?? ''} from ${from} to ${to}`
    await this.#client.event(deployment, 'Normal', 'ScalingReplicaSet', message)
  }

  async #mark(deployment: KubeObject, revision: string): Promise<void> {
    if (deployment.metadata.annotations?.[REVISION] === revision) return
    // With the status, as upstream: an annotation that comes with the rest would count as a change of what is wanted.
    await this.#client.update(BUCKET, deployment, (current) => annotated(current, { [REVISION]: revision }), 'status')
  }

  /** Sets of earlier templates are kept for a rollback, the newest of them as many as the Deployment says. */
  async #forgetOld(deployment: KubeObject): Promise<void> {
    const limit = numberOf(specOf(deployment)['revisionHistoryLimit']) ?? 10
    const { old } = this.#split(deployment)
    const idle = old
      .filter((set) => replicasOf(set) === 0 && countOf(statusOf(set)['replicas']) === 0 && !isDeleting(set))
      .toSorted(byRevision)
    for (const set of idle.slice(0, Math.max(0, idle.length - limit))) await this.#client.remove(SETS, set)
  }

  async #report(deployment: KubeObject, refusal?: string): Promise<void> {
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

function limitsOf(deployment: KubeObject): Rollout {
  const spec = specOf(deployment)
  const { maxSurge, maxUnavailable } = objectOf(objectOf(spec['strategy'])['rollingUpdate'])
  return rolloutOf(countOf(spec['replicas']), maxSurge, maxUnavailable)
}

const versions = (sets: readonly KubeObject[]): readonly Version[] =>
  sets.map((set) => ({
    name: set.metadata.name ?? '',
    replicas: replicasOf(set),
    available: countOf(statusOf(set)['availableReplicas']),
  }))

function sizes(deployment: KubeObject): Readonly<Record<string, string>> {
  const { replicas, maxSurge } = limitsOf(deployment)
  const surge = textOf(objectOf(specOf(deployment)['strategy'])['type']) === 'Recreate' ? 0 : maxSurge
  return { [DESIRED]: String(replicas), [MAX]: String(withSurge(replicas, surge)) }
}

function inherited(deployment: KubeObject, revision: string): Readonly<Record<string, string>> {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !OWN_ANNOTATIONS.has(name))
  return { ...Object.fromEntries(own), ...sizes(deployment), [REVISION]: revision }
}

function annotated(object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
  }
}

function replicaSetFor(deployment: KubeObject, hash: string, replicas: number, revision: string): KubeObject {
  const { namespace = '', name = '' } = deployment.metadata
  const spec = specOf(deployment)
  const template = objectOf(spec['template'])
  const metadata = objectOf(template['metadata'])
  const labels = { ...(objectOf(metadata['labels']) as Record<string, string>), [HASH]: hash }
  const selector = objectOf(spec['selector'])
  const more: JsonObject = { matchLabels: { ...objectOf(selector['matchLabels']), [HASH]: hash } }
  const delay = countOf(spec['minReadySeconds'])
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: inherited(deployment, revision),
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(delay === 0 ? {} : { minReadySeconds: delay }),
      selector: { ...selector, ...more },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  }
}
