import type { Deployment } from '../../builtin/apps-v1.ts'
import { conditionOf } from '../../api/condition.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import { controllerOf, type KubeObject } from '../../machinery/object.ts'
import { numberOf, specOf, textOf } from '../../machinery/read.ts'
import type { ApiError, GroupResource } from '../../machinery/status.ts'
import { qualified } from '../../machinery/status.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { EFFECT_ANNOTATION, PROBLEM_ANNOTATION } from '../../systems/quota-increase/api/increase-names.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { ALLOCATED, EXPIRED } from '../../systems/resource-pool/api/pool-names.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { livePods, family } from '../explain/demand.ts'
import { explain } from '../explain/explain.ts'
import { type Facts, idOf } from '../explain/facts.ts'
import { WORKLOAD_KINDS, workloadKind } from '../explain/workload-kinds.ts'
import { problemsOf } from './binding-tally.ts'
import { readCustomQuota } from './custom-quota-tally.ts'
import { CUSTOM_QUOTAS } from './custom-quotas.ts'
import type { Increases } from './increases.ts'
import { readKarmadaQuota } from './karmada-quota-rules.ts'
import { countedSides, poolSides, quotaSides, type Sides } from './limit-sides.ts'
import { namespaceFacts } from './namespace-facts.ts'
import { readClaim } from './pool-rules.ts'
import type {
  ChangeResult,
  ClaimShift,
  ClaimStanding,
  CountedQuotaShift,
  IncreaseShift,
  IncreaseStanding,
  LimitShift,
  PoolShift,
  QuotaShift,
  Shift,
  Simulation,
  WorkloadShift,
} from './simulation.ts'
import { blindSpots, type NotSeen, undecided } from './undecided.ts'
import { type Changed, RESOURCE_QUOTAS, type World } from './world.ts'

export interface ReportInput {
  readonly before: World
  readonly after: World
  readonly changes: readonly ChangeResult[]
  readonly notSeen: readonly NotSeen[]
  /** What files do not have, and is taken to be there, a sentence each. */
  readonly assumed: readonly string[]
  /** The objects of the state that an API server would not have. */
  readonly unusable: readonly string[]
  readonly increaseRules: Pick<Increases, 'isFollowing' | 'isBlind' | 'needs' | 'held'>
  /** What was last refused to a workload. */
  readonly refusalOf: (workload: KubeObject) => ApiError | undefined
  /** Why the usage of a custom quota is not known. */
  readonly doubtOf: (quota: KubeObject) => string | undefined
}

/** Says what differs between the world before all changes and the one after them. */
export function report(input: ReportInput): Simulation {
  const { before, after, changes, notSeen, increaseRules } = input
  const changed = after.changes()
  const of = (id: GroupResource): readonly Changed[] => changed.filter((one) => qualified(one.of) === qualified(id))
  const claims = of(resourcePoolClaim).flatMap(claimShift)
  const increases = of(quotaIncrease).flatMap((one) => increaseShift(one, increaseRules))
  const workloads = workloadShifts(input, changed)
  const countedQuotas = [...CUSTOM_QUOTAS, karmadaQuota].flatMap((kind) => of(kind).flatMap(countedShift))
  const isRefused = changes.some(({ result }) => result === 'refused')
  const isStalled =
    workloads.some(({ verdict }) => verdict === 'stalls') ||
    increaseRules.held.length > 0 ||
    claims.some(({ after: now }) => now?.state === 'waiting') ||
    increases.some(({ after: now }) => now?.problem !== undefined) ||
    countedQuotas.some(({ problem }) => problem !== undefined)
  const open = undecided({
    before,
    after,
    changed,
    changes,
    notSeen,
    unusable: input.unusable,
    needs: increaseRules.needs,
    claims,
    increases,
    workloads,
    doubtOf: input.doubtOf,
  })
  return {
    format: 1,
    verdict: isRefused ? 'refused' : isStalled ? 'stalls' : open.length > 0 ? 'unknown' : 'fits',
    changes,
    quotas: of(RESOURCE_QUOTAS).flatMap(quotaShift),
    countedQuotas,
    pools: of(resourcePool).flatMap(poolShift),
    claims,
    increases,
    workloads,
    undecided: open,
    notSeen: [...notSeen.map(({ resource, reason }) => `${resource}: ${reason}`), ...input.assumed],
  }
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const shiftOf = (before: unknown, after: unknown): Shift => ({
  ...(before === undefined ? {} : { before: shown(before) }),
  ...(after === undefined ? {} : { after: shown(after) }),
})

const kindOfChange = ({ before, after }: Changed): 'created' | 'changed' | 'deleted' =>
  before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed'

/** The limits that have changed, or whose usage has. */
function limitShifts(before: Sides, after: Sides): readonly LimitShift[] {
  const names = [...new Set([before.hard, before.used, after.hard, after.used].flatMap((one) => Object.keys(one)))]
  return names
    .toSorted()
    .filter((name) => before.hard[name] !== after.hard[name] || before.used[name] !== after.used[name])
    .map((name) => ({
      resource: name,
      hard: shiftOf(before.hard[name], after.hard[name]),
      used: shiftOf(before.used[name], after.used[name]),
    }))
}

/** How the limits of an object differ; none where nothing of them does. */
function shiftsOf(
  one: Changed,
  sides: (object: KubeObject | undefined) => Sides,
): readonly Omit<QuotaShift, 'namespace'>[] {
  const limits = limitShifts(sides(one.before), sides(one.after))
  const change = kindOfChange(one)
  return limits.length === 0 && change === 'changed' ? [] : [{ name: one.name, change, limits }]
}

const quotaShift = (one: Changed): readonly QuotaShift[] =>
  shiftsOf(one, quotaSides).map((shift) => ({ namespace: one.namespace, ...shift }))

const poolShift = (one: Changed): readonly PoolShift[] => shiftsOf(one, poolSides)

function countedShift(one: Changed): readonly CountedQuotaShift[] {
  const limits = limitShifts(countedSides(one.before), countedSides(one.after))
  const [was, problem] = [one.before, one.after].map((object) => object && notReadyMessage(object))
  const isSame = limits.length === 0 && was === problem && kindOfChange(one) === 'changed'
  const kind = one.after?.kind ?? one.before?.kind ?? ''
  const { namespace, name } = one
  const known = problem === undefined || problem === was ? {} : { problem }
  return isSame ? [] : [{ kind, namespace, name, change: kindOfChange(one), limits, ...known }]
}

/** Why a quota refuses whatever it counts. */
function notReadyMessage(object: KubeObject): string | undefined {
  if (object.kind === karmadaQuota.kind) return problemsOf(readKarmadaQuota(object)).join('; ') || undefined
  const ready = conditionOf(readCustomQuota(object).status?.conditions, 'Ready')
  return ready?.status === 'False' ? ready.message : undefined
}

/** Where a claim stands, as allot has written into it. */
export function claimStanding(object: KubeObject): ClaimStanding {
  const { spec, status } = readClaim(object)
  const { waiting, conditions, pool } = status ?? {}
  const of = pool?.name ?? spec.pool
  if (waiting !== undefined) {
    const place = waiting.position === undefined ? {} : { position: waiting.position }
    return { state: 'waiting', pool: of, ...place, message: waiting.message }
  }
  const [allocated, expired] = [conditionOf(conditions, ALLOCATED), conditionOf(conditions, EXPIRED)]
  if (expired?.status === 'True') return { state: 'ended', pool: of, message: expired.message }
  if (allocated === undefined) return { state: 'undecided', pool: of }
  if (allocated.status === 'True') return { state: 'allocated', pool: of }
  return { state: 'waiting', pool: of, message: allocated.message }
}

function claimShift({ namespace, name, before, after }: Changed): readonly ClaimShift[] {
  const [was, is] = [before, after].map((one) => (one === undefined ? undefined : claimStanding(one)))
  if (jsonEqual(was, is)) return []
  return [
    { namespace, name, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) },
  ]
}

/** What an increase contributes, as allot has written into it. */
export function increaseStanding(
  { metadata: { annotations = {} } }: KubeObject,
  isFollowing: boolean,
): IncreaseStanding {
  const problem = annotations[PROBLEM_ANNOTATION]
  const effect = annotations[EFFECT_ANNOTATION]
  if (problem !== undefined) return { contributes: '', problem }
  if (effect !== undefined) return { contributes: effect }
  const why = isFollowing
    ? 'no definition of a base quota selects its namespace'
    : 'the definitions of base quotas are not known'
  return { contributes: '', problem: why }
}

function increaseShift(
  { namespace, name, before, after }: Changed,
  { isFollowing, isBlind }: ReportInput['increaseRules'],
): readonly IncreaseShift[] {
  const standing = (one: KubeObject | undefined): IncreaseStanding | undefined =>
    one === undefined ? undefined : increaseStanding(one, isFollowing)
  // What allot has once written says nothing of other amounts.
  const isOpen = isBlind && after !== undefined && !jsonEqual(before?.['spec'], after['spec'])
  const was = standing(before)
  const is: IncreaseStanding | undefined = isOpen ? { contributes: '', state: 'undecided' } : standing(after)
  if (jsonEqual(was, is)) return []
  return [
    { namespace, name, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) },
  ]
}

/** The workloads of all namespaces that anything has changed in, as far as they differ or belong to the changes. */
function workloadShifts(
  { before, after, notSeen, refusalOf }: ReportInput,
  changed: readonly Changed[],
): readonly WorkloadShift[] {
  const namespaces = new Set(changed.map(({ namespace }) => namespace).filter((one) => one !== ''))
  const own = new Set(changed.flatMap((one) => (one.after === undefined ? [] : [one.after])))
  const unseen = blindSpots(notSeen)
  return [...namespaces].flatMap((namespace) => {
    const [was, is] = [before, after].map((world) => namespaceFacts(world, namespace, unseen))
    if (was === undefined || is === undefined) return []
    const earlier = new Map(workloadsIn(was).map((one) => [one.metadata.uid, one]))
    return workloadsIn(is).flatMap((object): readonly WorkloadShift[] => {
      const old = earlier.get(object.metadata.uid)
      const then = old === undefined ? undefined : stateOf(old, was, undefined)
      const now = stateOf(object, is, refusalOf(object))
      const pods = { before: then?.pods ?? 0, after: now.pods, wanted: now.wanted }
      const isSame = then !== undefined && jsonEqual(then, now)
      const { verdict, causes, warnings } = now
      return isSame && !own.has(object) ? [] : [{ object: now.object, pods, verdict, causes, warnings }]
    })
  })
}

/** The workloads that no other workload has made. */
export const workloadsIn = ({ objects, byUid }: Facts): readonly KubeObject[] =>
  [...WORKLOAD_KINDS.values()]
    .flatMap(({ group, resource }) => objects.get(qualified({ group, resource })) ?? [])
    .filter((object) => {
      const owner = byUid.get(controllerOf(object)?.uid ?? '')
      return owner === undefined || workloadKind(owner) === undefined
    })

/** How a workload stands at one time. */
export type WorkloadState = Omit<WorkloadShift, 'pods'> & { readonly pods: number; readonly wanted: number }

export function stateOf(object: KubeObject, facts: Facts, refusal: ApiError | undefined): WorkloadState {
  const kind = workloadKind(object)
  if (kind === undefined) throw new Error(`${object.kind} is no workload`)
  const { verdict, causes, warnings, wanted } = explain({ object, isStored: true }, kind, facts, true)
  const pods = family(object, facts).reduce((sum, one) => sum + livePods(one, facts).length, 0)
  const made = wanted.filter((one) => one.kind === 'Pod').reduce((sum, one) => sum + one.wanted, 0)
  // The sets of a rollout want only some of them at a time.
  const all = kind.makes === 'ReplicaSet' ? (numberOf(specOf<Deployment>(object).replicas) ?? 1) : made
  const isMissing = wanted.some((one) => one.existing < one.wanted)
  const said =
    refusal !== undefined && isMissing && causes.length === 0 ? [{ type: 'refused', text: refusal.message }] : []
  const found = [...causes.map(({ type, text }) => ({ type, text: textOf(text) })), ...said]
  return {
    object: idOf(object),
    verdict: found.length > 0 ? 'stalls' : verdict === 'unknown' ? 'unknown' : 'up',
    causes: found,
    warnings: warnings.filter(({ type }) => type !== 'retry').map(({ type, text }) => ({ type, text })),
    pods,
    wanted: all,
  }
}
