import type { Deployment } from '../../builtin/apps-v1.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { numberOf, objectOf, specOf, textAt, valueAt } from '../../machinery/read.ts'
import type { GroupResource } from '../../machinery/status.ts'
import { controllerOf, type Facts, madeBy, objectsOf, type Target } from './facts.ts'
import { claimTemplates, madeFrom, WORKLOAD_KINDS, type WorkloadKind } from './workload-kinds.ts'

/** Objects that are to be made, all alike. */
export interface Demand {
  /** The next of them, before admission fills it in. */
  readonly next: KubeObject
  readonly resource: GroupResource
  readonly wanted: number
  readonly existing: number
  /** The workload that makes them; undefined for the object that is asked about. */
  readonly maker: KubeObject | undefined
}

export const missingOf = ({ wanted, existing }: Demand): number => Math.max(0, wanted - existing)

const PODS: GroupResource = { group: '', resource: 'pods' }
const CLAIMS: GroupResource = { group: '', resource: 'persistentvolumeclaims' }
const REVISION = 'deployment.kubernetes.io/revision'
const TEMPLATE_HASH = 'pod-template-hash'

/**
 * What has to be made for an object, in the order in which it is made: the object itself where nobody has applied it, then all that it makes. A kind
 * that makes nothing demands nothing once it is stored.
 */
export function demandsOf({ object, isStored }: Target, facts: Facts, resource: GroupResource): readonly Demand[] {
  const own: Demand = { next: object, resource, wanted: 1, existing: 0, maker: undefined }
  return isStored ? madeOf(object, facts) : [own, ...freshlyMade(object, facts)]
}

/** What a stored object has to make, beside what it has made. */
function madeOf(maker: KubeObject, facts: Facts): readonly Demand[] {
  const kind = WORKLOAD_KINDS.get(maker.kind)
  // What was made cannot be told from what is missing where it cannot be read.
  if (kind === undefined || unseenOf(maker, facts).length > 0) return []
  if (kind.makes === 'Pod') return podsOf(maker, kind, facts, false)
  const made = kind.makes === 'Job' ? runningJobs(maker, facts) : currentSet(maker, facts)
  if (made.length > 0) return made.flatMap((one) => madeOf(one, facts))
  return specOf<Deployment>(maker).paused === true ? [] : freshlyMade(maker, facts)
}

/** The resources of what a workload makes that could not be read. */
export function unseenOf(maker: KubeObject, { notSeen }: Facts): readonly string[] {
  const made = { Pod: ['pods'], ReplicaSet: ['replicasets.apps', 'pods'], Job: ['jobs.batch', 'pods'] }
  const kind = WORKLOAD_KINDS.get(maker.kind)
  const needed = kind === undefined ? [] : made[kind.makes]
  return needed.filter((one) => notSeen.some(({ resource }) => resource === one))
}

function freshlyMade(maker: KubeObject, facts: Facts): readonly Demand[] {
  const kind = WORKLOAD_KINDS.get(maker.kind)
  if (kind === undefined) return []
  if (kind.makes === 'Pod') return podsOf(maker, kind, facts, true)
  const wanted = kind.wanted(maker, true)
  if (wanted === 0) return []
  const next = madeFrom(maker, kind, facts.namespace)
  const [resource] = [...WORKLOAD_KINDS]
    .filter(([name]) => name === next.kind)
    .map(([, { group, resource: of }]) => ({ group, resource: of }))
  const own = resource === undefined ? [] : [{ next, resource, wanted, existing: 0, maker }]
  // The template names its containers for both, so that siblings are found by the workload at the top.
  return [...own, ...freshlyMade(next, facts).map((demand) => ({ ...demand, maker }))]
}

function podsOf(maker: KubeObject, kind: WorkloadKind, facts: Facts, fresh: boolean): readonly Demand[] {
  const wanted = kind.wanted(maker, fresh)
  const existing = livePods(maker, facts).length
  const pods = { next: madeFrom(maker, kind, facts.namespace), resource: PODS, wanted, existing, maker }
  return [...claimsOf(maker, wanted, facts), pods]
}

/** Is a pod over, or about to be? Its controller makes another one in its place. */
function isEnding(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase')
  return pod.metadata.deletionTimestamp !== undefined || phase === 'Failed' || phase === 'Succeeded'
}

/** The pods that a workload has, without those that are ending. */
export const livePods = (maker: KubeObject, facts: Facts): readonly KubeObject[] =>
  madeBy(maker, objectsOf(facts, '', 'pods')).filter((pod) => !isEnding(pod))

/** A StatefulSet makes the claims of a pod before the pod, and finds them again by their names. */
function claimsOf(maker: KubeObject, wanted: number, facts: Facts): readonly Demand[] {
  const { namespace } = facts
  const there = new Set(objectsOf(facts, '', 'persistentvolumeclaims').map(({ metadata }) => metadata.name))
  return claimTemplates(maker).map((template) => {
    const prefix = `${textAt(template, 'metadata', 'name')}-${maker.metadata.name ?? ''}-`
    const existing = Array.from({ length: wanted }, (_, ordinal) => `${prefix}${ordinal}`).filter((name) =>
      there.has(name),
    )
    const metadata = { ...objectOf(template['metadata']), namespace, name: `${prefix}${existing.length}` }
    const next = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: objectOf(template['spec']) }
    return { next, resource: CLAIMS, wanted, existing: existing.length, maker }
  })
}

const runningJobs = (cron: KubeObject, facts: Facts): readonly KubeObject[] =>
  madeBy(cron, objectsOf(facts, 'batch', 'jobs')).filter((job) => WORKLOAD_KINDS.get('Job')?.wanted(job, false) !== 0)

/** The ReplicaSet of a Deployment that has its template of today; none where that has not been made yet. */
function currentSet(deployment: KubeObject, facts: Facts): readonly KubeObject[] {
  const template = valueAt(deployment, 'spec', 'template')
  const sets = madeBy(deployment, objectsOf(facts, 'apps', 'replicasets'))
    .filter((set) => jsonEqual(withoutHash(valueAt(set, 'spec', 'template')), withoutHash(template)))
    .toSorted((a, b) => revisionOf(b) - revisionOf(a))
  return sets.slice(0, 1)
}

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.annotations?.[REVISION] ?? 0)

function withoutHash(template: unknown): JsonObject {
  const { metadata, ...rest } = objectOf(template)
  const { labels, creationTimestamp: _never, ...others } = objectOf(metadata)
  const { [TEMPLATE_HASH]: _hash, ...own } = objectOf(labels)
  return { ...rest, metadata: { ...others, labels: own } }
}

/** The workloads that a demand's maker belongs to: the maker, its owners, and all that these have made. */
export function family(maker: KubeObject, facts: Facts): readonly KubeObject[] {
  const workloads = [...WORKLOAD_KINDS.values()].flatMap(({ group, resource }) => objectsOf(facts, group, resource))
  const top = facts.byUid.get(controllerOf(maker)?.uid ?? '') ?? maker
  const made = madeBy(top, workloads)
  return [...new Set([maker, top, ...made, ...made.flatMap((one) => madeBy(one, workloads))])]
}

/** The share or number of a field such as `maxSurge`, of so many replicas. */
export function shareOf(value: unknown, replicas: number, round: 'up' | 'down'): number {
  const number = numberOf(value)
  if (number !== undefined) return number
  const [, percent] = /^(\d+)%$/.exec(typeof value === 'string' ? value : '') ?? []
  const hundredths = Number(percent ?? 0) * replicas
  return round === 'up' ? Math.ceil(hundredths / 100) : Math.floor(hundredths / 100)
}
