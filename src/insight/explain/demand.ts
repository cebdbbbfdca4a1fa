import type { DaemonSet, Deployment, StatefulSet } from '../../builtin/apps-v1.ts'
import type { Pod } from '../../builtin/core-v1.ts'
import { podTemplateOf } from '../../kinds/apps/pod-template.ts'
import { splitSets } from '../../kinds/apps/deployment-sets.ts'
import { canonicalJson, jsonEqual } from '../../machinery/json-value.ts'
import { controllerOf, type KubeObject } from '../../machinery/object.ts'
import { oncePerObject } from '../../machinery/once-per-object.ts'
import { numberOf, objectOf, objectsOf, specOf, statusOf, textAt, valueAt } from '../../machinery/read.ts'
import type { GroupResource } from '../../machinery/status.ts'
import { bindingDemands, isBinding } from './bindings.ts'
import { type Facts, madeBy, servedObjects, type Target } from './facts.ts'
import { type Demand, missingOf } from './demanded.ts'
import { pastRefusal } from './past-refusal.ts'
import { unavailableIn } from './replacement.ts'
import { claimTemplates, madeFrom, WORKLOAD_KINDS, workloadKind, type WorkloadKind } from './workload-kinds.ts'

const PODS: GroupResource = { group: '', resource: 'pods' }
const CLAIMS: GroupResource = { group: '', resource: 'persistentvolumeclaims' }

/**
 * Returns the objects to create for an object, in their order: first the object itself if it is not stored, then the
 * objects that it makes. A stored object of a kind that makes nothing demands nothing.
 */
export function demandsOf(
  { object, isStored, before }: Target,
  facts: Facts,
  resource: GroupResource,
): readonly Demand[] {
  const own: Demand = { next: object, resource, wanted: 1, existing: 0, maker: undefined, refusal: undefined }
  const bindings = bindingDemands(object, facts)
  if (isStored) return bindings ?? madeOf(object, facts, before)
  return isBinding(object) ? [own] : [own, ...(bindings ?? freshlyMade(object, facts))]
}

/** What a stored object has to make, beside what it has made. `before`: the object as it is stored, where a manifest changes it. */
function madeOf(maker: KubeObject, facts: Facts, before?: KubeObject): readonly Demand[] {
  const kind = workloadKind(maker)
  // What was made cannot be told from what is missing where it cannot be read.
  if (kind === undefined || unseenOf(maker, facts).length > 0) return []
  if (kind.makes === 'Pod') {
    const demands = podsOf(maker, kind, facts, false)
    const isChanged = before !== undefined && !jsonEqual(podTemplateOf(before), podTemplateOf(maker))
    return isChanged ? replacing(demands, maker, livePods(maker, facts)).map(unrefused) : demands
  }
  const isPaused = specOf<Deployment>(maker).paused === true
  if (kind.makes === 'ReplicaSet') {
    const { fresh, old } = splitSets(maker, madeBy(maker, 'ReplicaSet', facts))
    if (fresh !== undefined) return isPaused ? madeOf(fresh, facts) : inRollout(maker, fresh, old, facts)
    if (isPaused) return []
    const pods = old.flatMap((one) => livePods(one, facts))
    const demands = replacing(freshlyMade(maker, facts), maker, pods)
    return before === undefined ? demands : demands.map(unrefused)
  }
  const jobs = runningJobs(maker, facts)
  return jobs.length > 0 ? merged(jobs.flatMap((one) => madeOf(one, facts))) : freshlyMade(maker, facts)
}

/**
 * Returns the replicas that the newest ReplicaSet of a rollout has to make: all but those of older pods. The ReplicaSet
 * grows step by step, and a step may wait for older pods that never become ready.
 */
function inRollout(
  deployment: Deployment,
  fresh: KubeObject,
  old: readonly KubeObject[],
  facts: Facts,
): readonly Demand[] {
  const replicas = numberOf(specOf(deployment).replicas) ?? 1
  const older = old.flatMap((one) => livePods(one, facts)).length
  return madeOf(fresh, facts).map((one) => ({
    ...one,
    wanted: older === 0 ? replicas : Math.max(one.wanted, replicas - older),
  }))
}

/** The API server has said nothing of a template that nobody has applied. */
const unrefused = (one: Demand): Demand => ({ ...one, refusal: undefined })

/** Demands whose pods, the last of them, take the place of old ones. */
function replacing(demands: readonly Demand[], maker: KubeObject, live: readonly KubeObject[]): readonly Demand[] {
  const pods = demands.at(-1)
  const least = partitionOf(maker)
  const old = least === 0 ? live : live.filter(({ metadata: { name = '' } }) => ordinalOf(name) >= least)
  const replicas = Math.max(0, (pods?.wanted ?? 0) - least)
  const unavailable = unavailableIn(maker, replicas)
  if (pods === undefined || unavailable === undefined || old.length === 0) return demands
  const renewed = { ...pods, wanted: replicas, existing: 0, replacement: { old, replicas, unavailable } }
  return [...demands.slice(0, -1), renewed]
}

/** A StatefulSet replaces only pods from this ordinal on. */
const partitionOf = (maker: KubeObject): number =>
  numberOf(valueAt(maker, 'spec', 'updateStrategy', 'rollingUpdate', 'partition')) ?? 0

const ordinalOf = (name: string): number => Number(name.slice(name.lastIndexOf('-') + 1))

/** Jobs of one CronJob mostly make the same pods: what is alike is one demand. */
function merged(demands: readonly Demand[]): readonly Demand[] {
  const alike = Map.groupBy(demands, ({ next }) => canonicalJson([next.kind, next.spec]))
  return [...alike.values()].flatMap((group) => {
    // The maker of the first that is missing tells why.
    const first = group.find((one) => missingOf(one) > 0) ?? group[0]
    if (first === undefined) return []
    const sum = (of: (one: Demand) => number): number => group.reduce((all, one) => all + of(one), 0)
    return [{ ...first, wanted: sum(({ wanted }) => wanted), existing: sum(({ existing }) => existing) }]
  })
}

/** The resources of what a workload makes that could not be read. */
export function unseenOf(maker: KubeObject, facts: Facts): readonly string[] {
  const made = { Pod: ['pods'], ReplicaSet: ['replicasets.apps', 'pods'], Job: ['jobs.batch', 'pods'] }
  const kind = workloadKind(maker)
  const claims = claimTemplates(maker).length > 0 ? ['persistentvolumeclaims'] : []
  const needed = kind === undefined ? [] : [...made[kind.makes], ...claims]
  const unseen = needed.filter((one) => facts.notSeen.some(({ resource }) => resource === one))
  // A stored DaemonSet says on how many nodes it runs, unless nobody could count them. A refusal tells that it wants one more.
  const isSilent = kind?.resource === 'daemonsets' && statusOf<DaemonSet>(maker).desiredNumberScheduled === undefined
  const isUncounted = isSilent && pastRefusal(maker, facts) === undefined
  return isUncounted ? [...unseen, 'nodes'] : unseen
}

function freshlyMade(maker: KubeObject, facts: Facts): readonly Demand[] {
  const kind = workloadKind(maker)
  if (kind === undefined) return []
  if (kind.makes === 'Pod') return podsOf(maker, kind, facts, true)
  const wanted = kind.wanted(maker, true)
  if (wanted === 0) return []
  const next = madeFrom(maker, kind, facts.namespace)
  const [resource] = [...WORKLOAD_KINDS]
    .filter(([name]) => name === next.kind)
    .map(([, { group, resource: of }]) => ({ group, resource: of }))
  const refusal = pastRefusal(maker, facts)
  const own = resource === undefined ? [] : [{ next, resource, wanted, existing: 0, maker, refusal }]
  // The template names its containers for both, so that siblings are found by the workload at the top.
  return [...own, ...freshlyMade(next, facts).map((demand) => ({ ...demand, maker, refusal }))]
}

function podsOf(maker: KubeObject, kind: WorkloadKind, facts: Facts, fresh: boolean): readonly Demand[] {
  const existing = livePods(maker, facts).length
  // Before Kubernetes 1.21 a DaemonSet does not say how many pods it wants while none can be made.
  const refusal = pastRefusal(maker, facts)
  const isSilent = kind.resource === 'daemonsets' && !fresh && refusal !== undefined
  const wanted = Math.max(kind.wanted(maker, fresh), isSilent ? existing + 1 : 0)
  const pods = { next: madeFrom(maker, kind, facts.namespace), resource: PODS, wanted, existing, maker, refusal }
  return [...claimsOf(maker, wanted, refusal, facts), pods]
}

/** Is a pod over, or about to be? Its controller makes another one in its place. */
export function isEnding(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase')
  return pod.metadata.deletionTimestamp !== undefined || phase === 'Failed' || phase === 'Succeeded'
}

/** The pods that a workload has, without those that are ending. */
export const livePods = (maker: KubeObject, facts: Facts): readonly KubeObject[] =>
  madeBy(maker, 'Pod', facts).filter((pod) => !isEnding(pod))

/** The pods that a StatefulSet waits for before it makes the next one: those that are not ready, unless it makes all at once. */
export const awaitedPods = (maker: KubeObject, facts: Facts): readonly KubeObject[] =>
  workloadKind(maker)?.resource !== 'statefulsets' || specOf<StatefulSet>(maker).podManagementPolicy === 'Parallel'
    ? []
    : livePods(maker, facts).filter((pod) => !isReady(pod))

const isReady = (pod: KubeObject): boolean =>
  objectsOf(statusOf<Pod>(pod).conditions).some(({ type, status }) => type === 'Ready' && status === 'True')

/** The names of claims by what stands before their ordinals: a set may have thousands of templates, and a namespace thousands of claims. */
const claimNames = oncePerObject((facts: Facts): ReadonlyMap<string, readonly string[]> =>
  Map.groupBy(
    servedObjects(facts, '', 'persistentvolumeclaims').map(({ metadata }) => metadata.name ?? ''),
    (name) => name.slice(0, name.lastIndexOf('-') + 1),
  ),
)

/** A StatefulSet makes the claims of a pod before the pod, and finds them again by their names. */
function claimsOf(maker: KubeObject, wanted: number, refusal: Demand['refusal'], facts: Facts): readonly Demand[] {
  const { namespace } = facts
  const start = numberOf(valueAt(specOf<StatefulSet>(maker).ordinals, 'start')) ?? 0
  const names = claimNames(facts)
  return claimTemplates(maker).map((template) => {
    const prefix = `${textAt(template, 'metadata', 'name')}-${maker.metadata.name ?? ''}-`
    const ordinals = (names.get(prefix) ?? [])
      .map((name) => Number(name.slice(prefix.length)))
      .filter((ordinal) => Number.isInteger(ordinal) && ordinal >= start && ordinal < start + wanted)
    const existing = new Set(ordinals).size
    const metadata = { ...objectOf<unknown>(template.metadata), namespace, name: `${prefix}${start + existing}` }
    const next = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: objectOf(template.spec) }
    return { next, resource: CLAIMS, wanted, existing, maker, refusal }
  })
}

const runningJobs = (cron: KubeObject, facts: Facts): readonly KubeObject[] =>
  madeBy(cron, 'Job', facts).filter((job) => WORKLOAD_KINDS.get('Job')?.wanted(job, false) !== 0)

/** The workloads that a demand's maker belongs to: the maker, its owner, and all workloads that this has made. */
export function family(maker: KubeObject, facts: Facts): readonly KubeObject[] {
  const top = facts.byUid.get(controllerOf(maker)?.uid ?? '') ?? maker
  const workloadsOf = (one: KubeObject): readonly KubeObject[] => {
    const makes = workloadKind(one)?.makes
    return makes === undefined || makes === 'Pod' ? [] : madeBy(one, makes, facts)
  }
  return [...new Set([maker, top, ...workloadsOf(top)])]
}
