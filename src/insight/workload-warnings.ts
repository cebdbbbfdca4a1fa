import type { DaemonSet, StatefulSet } from '../builtin/apps-v1.ts'
import type { Budget } from '../charges/budget.ts'
import { fill } from '../charges/fill.ts'
import type { Excess } from '../charges/refusal.ts'
import { podTemplateOf } from '../kinds/apps/pod-template.ts'
import { jsonEqual } from '../machinery/json-value.ts'
import type { KubeObject } from '../machinery/object.ts'
import { countOf, numberOf, objectOf, specOf, statusOf, textAt, valueAt } from '../machinery/read.ts'
import { ApiError, type GroupResource } from '../machinery/status.ts'
import { cutText, inOneLine } from '../machinery/text/shown.ts'
import { QuantityError } from '../quantity/quantity.ts'
import { removeZeros, subtractWithNonNegativeResult } from '../quantity/resource-list.ts'
import { outlook } from './explain/budget-room.ts'
import { budgetsOf, titleOf } from './explain/budgets-of.ts'
import { causesOf, exceededText } from './explain/causes.ts'
import { type Priced, priced } from './explain/costs.ts'
import { demandsOf } from './explain/demand.ts'
import type { Facts } from './explain/facts.ts'
import { rolloutText, surgeOf } from './explain/rollout.ts'
import { claimTemplates, workloadKind } from './explain/workload-kinds.ts'

/** A workload as somebody writes it. */
export interface WorkloadWrite {
  readonly resource: GroupResource
  readonly object: KubeObject
  /** Undefined for a new workload. */
  readonly old: KubeObject | undefined
}

/** The objects that decide how much room a namespace has. */
export interface Room extends Pick<
  Facts,
  'namespace' | 'quotas' | 'customQuotas' | 'limitRanges' | 'namespaceLabels' | 'classes'
> {
  /** May others change the pods before quotas see them? Then only the number of objects is certain. */
  readonly isChanged: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Reports whether a PersistentVolumeClaim of this name exists. */
  readonly hasClaim: (name: string) => boolean
}

/** As many as one answer needs to be understood. */
const MOST_WARNINGS = 5
/** API servers cut what is longer once there are many warnings. */
const MOST_TEXT = 256
/** A StatefulSet that makes more claims is judged by its pods alone. */
const MOST_CLAIMS = 1000

/**
 * Warns of a workload that needs more room than is free, and of a rollout that waits for room. It warns only if this is
 * certain. Existing objects count as made. A rollout is checked when the template changes.
 */
export function workloadWarnings(write: WorkloadWrite, room: Room): readonly string[] {
  if (workloadKind(write.object) === undefined || isPaused(write.object)) return []
  try {
    return warningsOf(write, factsOf(write.object, room), room.isChanged)
      .slice(0, MOST_WARNINGS)
      .map((text) => inOneLine(cutText(text, MOST_TEXT)))
  } catch (error) {
    // Nobody can say what an unreadable amount or too many defaults cost: the pod itself is refused for them.
    if (error instanceof QuantityError || error instanceof ApiError) return []
    throw error
  }
}

function warningsOf(write: WorkloadWrite, facts: Facts, isChanged: boolean): readonly string[] {
  const { object, old } = write
  const needed = made(write, object, facts)
  const had = old === undefined || isCron(object) ? [] : withLive(made(write, old, facts), old)
  const budgets = budgetsOf(facts, []).map(({ budget }) => budget)
  // A write that is refused itself is told why.
  if (old === undefined && budgets.some((budget) => outlook(budget, itself(write, facts)).excesses.length > 0))
    return []
  const title = `${object.kind} ${object.metadata.name ?? ''}`
  const exceeded = budgets.flatMap((budget) => {
    const more = subtractWithNonNegativeResult(outlook(budget, needed).requested, outlook(budget, had).requested)
    const excesses = fill(budget, removeZeros(more)).excesses.filter(
      (one) => isCertain(budget, one, isChanged) && (!isCron(object) || one.requested.cmp(one.hard) > 0),
    )
    return excesses.length === 0
      ? []
      : [`${title} needs more room than there is: ${exceededText(titleOf(budget.ref), excesses)}`]
  })
  const isNew = old === undefined || !jsonEqual(podTemplateOf(object), podTemplateOf(old))
  if (!isNew) return exceeded
  const refused = isChanged ? [] : refusals(needed, budgets, facts).map((text) => `${title} can make no pods: ${text}`)
  const found = [...refused, ...exceeded]
  return found.length > 0 || old === undefined ? found : rolloutWarning(object, needed, budgets, facts, isChanged)
}

/** The workload itself, which a quota may count. */
const itself = ({ object, resource }: WorkloadWrite, facts: Facts): readonly Priced[] =>
  demandsOf({ object, isStored: false }, facts, resource)
    .filter(({ maker }) => maker === undefined)
    .map((demand) => priced(demand, facts))

/**
 * Returns the objects that the workload makes, each with its cost. Only its PersistentVolumeClaims count as existing.
 */
function made({ resource }: WorkloadWrite, workload: KubeObject, facts: Facts): readonly Priced[] {
  // What its controller was refused once says nothing of the template of now.
  const fresh = workload.kind === 'Job' ? workload : { ...workload, status: {} }
  const object = claimsOf(workload) > MOST_CLAIMS ? withoutClaims(fresh) : fresh
  const demands = demandsOf({ object, isStored: false }, facts, resource).filter(({ maker }) => maker !== undefined)
  return demands.map((demand) => {
    const one = priced(demand, facts)
    return workload.kind === 'DaemonSet' ? { ...one, missing: Math.max(one.missing, nodesOf(workload)) } : one
  })
}

const nodesOf = (set: DaemonSet): number => countOf(statusOf(set).desiredNumberScheduled)

/** A workload makes up for pods that it lacks, and may still have more than it wants. One that was paused wants none. */
function withLive(demands: readonly Priced[], old: KubeObject): readonly Priced[] {
  const { replicas, active } = objectOf(old['status'])
  const live = countOf(old.kind === 'Job' ? active : replicas)
  return demands.map((one) =>
    one.parts === undefined ? one : { ...one, missing: isPaused(old) ? live : Math.max(one.missing, live) },
  )
}

/** Returns the reasons to refuse a pod that do not depend on room. */
function refusals(needed: readonly Priced[], budgets: readonly Budget[], facts: Facts): readonly string[] {
  const pods = needed.filter(({ parts }) => parts !== undefined)
  const roomy = budgets.map((budget) => ({ ...outlook(budget, pods), refused: undefined }))
  return causesOf(pods, roomy, facts.limitRanges, facts.now)
    .filter(({ type }) => type === 'missing-values' || type === 'limit-range')
    .map(({ text }) => text)
}

/** A rollout waits that may delete no pod and cannot make another one. */
function rolloutWarning(
  deployment: KubeObject,
  needed: readonly Priced[],
  budgets: readonly Budget[],
  facts: Facts,
  isChanged: boolean,
): readonly string[] {
  const pods = needed.findLast(({ parts }) => parts !== undefined)
  const surge = surgeOf(deployment, pods, [], facts)
  if (pods === undefined || surge === undefined || surge.replicas === 0 || surge.unavailable > 0) return []
  const full = budgets.flatMap((budget) => {
    const excesses = outlook(budget, [{ ...pods, missing: 1 }]).excesses.filter((one) =>
      isCertain(budget, one, isChanged),
    )
    return excesses.length === 0 ? [] : [exceededText(titleOf(budget.ref), excesses)]
  })
  return full.length === 0 ? [] : [`${rolloutText(deployment, 'waits')}: ${full.join('; ')}`]
}

const COUNT = /^(?:pods$|persistentvolumeclaims$|count\/)/
const isCertain = ({ ref }: Budget, { resource }: Excess, isChanged: boolean): boolean =>
  !isChanged || (ref.kind === 'ResourceQuota' && COUNT.test(resource))

const isPaused = ({ spec }: KubeObject): boolean => objectOf(spec).paused === true

/** What it makes comes later: only what can never fit is certain. */
const isCron = ({ kind }: KubeObject): boolean => kind === 'CronJob'

function factsOf(object: KubeObject, room: Room): Facts {
  const { namespace, quotas, customQuotas, limitRanges, namespaceLabels, classes, now, hasClaim } = room
  const claims = claimNames(object)
    .filter(hasClaim)
    .map((name) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name } }))
  return {
    namespace,
    quotas,
    customQuotas,
    limitRanges,
    namespaceLabels,
    now,
    karmadaQuotas: [],
    objects: new Map([['persistentvolumeclaims', claims]]),
    byUid: new Map(),
    byMaker: new Map(),
    kubectl: '',
    autoscalers: [],
    classes,
    failures: [],
    notSeen: [],
  }
}

const replicasOf = (set: StatefulSet): number => numberOf(specOf(set).replicas) ?? 1
const claimsOf = (object: KubeObject): number => claimTemplates(object).length * replicasOf(object)
const withoutClaims = (object: KubeObject): KubeObject => ({
  ...object,
  spec: { ...objectOf(object['spec']), volumeClaimTemplates: [] },
})

/** Returns the names of the PersistentVolumeClaims that a StatefulSet makes; none if there are too many. */
function claimNames(object: StatefulSet): readonly string[] {
  if (claimsOf(object) > MOST_CLAIMS) return []
  const start = numberOf(valueAt(specOf(object).ordinals, 'start')) ?? 0
  return claimTemplates(object).flatMap((template) =>
    Array.from(
      { length: replicasOf(object) },
      (_, index) => `${textAt(template, 'metadata', 'name')}-${object.metadata.name ?? ''}-${start + index}`,
    ),
  )
}
