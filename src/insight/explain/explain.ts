import { scopeRequirements } from '../../kinds/resource-quota/resource-quota.ts'
import type { HorizontalPodAutoscaler } from '../../builtin/autoscaling-v1.ts'
import type { PersistentVolumeClaim } from '../../builtin/core-v1.ts'
import { controllerOf, type KubeObject, type OwnerReference } from '../../machinery/object.ts'
import { numberOf, objectOf, specOf } from '../../machinery/read.ts'
import type { GroupResource } from '../../machinery/status.ts'
import { enumerated } from '../../machinery/text/enumerated.ts'
import { formatResourceList } from '../../quantity/resource-list.ts'
import { LIMIT } from '../budgets/custom-quota.ts'
import { isBinding } from './bindings.ts'
import { chargeOf, fitsOf, type Outlook, podsThatFit } from './budget-room.ts'
import { budgetsOf, titleOf } from './budgets-of.ts'
import { causesOf, refusedLater } from './causes.ts'
import { isClasses, isClassOf } from './cluster-classes.ts'
import { costLines, priced, type Priced } from './costs.ts'
import { awaitedPods, demandsOf, unseenOf } from './demand.ts'
import type { BudgetView, Cause, CostLine, Explanation, ObjectId, Warning } from './explanation.ts'
import { chainOf, type Facts, idOf, isCircle, type Target } from './facts.ts'
import { holdingOf, NOTHING_HELD } from './holders.ts'
import { type PastRefusal, pastRefusal } from './past-refusal.ts'
import { stands } from './standing-refusal.ts'
import { scales } from './autoscaler.ts'
import { plannedKey } from './planned-limits.ts'
import { type Help, remediesOf } from './remedies.ts'
import { originOf } from './remedy/more-room.ts'
import { rolloutText, type Surge, surgeOf } from './rollout.ts'
import { outlookOf } from './whole-rollout.ts'
import { without } from './without-pods.ts'
import { wantedState } from './wanted-state.ts'

const NO_HELP: Help = { remedies: [], leftOut: [] }
/** The most quotas for which remedies are named that give more room. */
const MOST_FULL = 20

/**
 * Explains why an object, or an object that it makes, cannot be created. The explanation names every budget that
 * refuses it, the holders of the budget, the amounts that would fit, and remedies. `resource`: the resource of the
 * object. `isBrief`: leaves out holders and remedies. Throws QuantityError for an invalid amount.
 */
export function explain(target: Target, resource: GroupResource, facts: Facts, isBrief = false): Explanation {
  const chain = chainOf(target.object, facts)
  const top = chain[0] ?? target.object
  const demands = demandsOf(target, facts, resource).map((demand) => priced(demand, facts))
  const budgets = budgetsOf(facts, demands)
  const pods = demands.findLast(({ parts }) => parts !== undefined)
  const replacement = pods?.demand.replacement
  const counted = budgets.map(({ budget }) => outlookOf(budget, demands, facts))
  const unseen = new Set(facts.notSeen.map(({ resource: of }) => of))
  const isSeen = !unseen.has('resourcequotas')
  const isKnown =
    isSeen && !unseen.has('limitranges') && (!target.isStored || unseenOf(target.object, facts).length === 0)
  const found = causesOf(demands, counted, facts.limitRanges, facts.now)
  // A default of a LimitRange may give the values.
  const unsure = unseen.has('limitranges') ? found.filter(({ type }) => type === 'missing-values') : []
  // A default of a LimitRange that cannot be read may give the values.
  const later = unseen.has('limitranges')
    ? []
    : refusedLater(
        demands,
        budgets.map(({ budget }) => budget),
        facts,
      )
  // As long as that is not known, nobody can say how many fit.
  const isCountable = ({ budget }: Outlook): boolean =>
    unsure.length === 0 && Object.keys(budget.hard).every((name) => !isUnknown(name, demands))
  const outlooks = counted.map((one) => (isCountable(one) ? one : { ...one, fits: undefined }))
  const surge = surgeOf(top, pods, outlooks, facts)
  const withoutOld =
    pods === undefined || replacement === undefined
      ? outlooks
      : outlooks.map((one) => ({ ...one, budget: without(one.budget, replacement.old, pods, facts) }))
  const past = refusalOf(demands, target, facts)
  const reported = reportedCauses(past, demands, isSeen, outlooks, found, facts)
  const causes = [...found.filter((one) => !unsure.includes(one)), ...reported].map((cause): Cause => ({
    ...cause,
    ...plannedPart(cause.by, facts),
  }))
  const owner = controllerOf(top)
  const isAsked = !isBrief && causes.length > 0
  const full = isAsked ? outlooks.filter(({ excesses }) => excesses.length > 0) : []
  const { holders, unseenHolders, leftOut } = isAsked ? holdingOf(full, budgets, facts) : NOTHING_HELD
  const verdict = causes.length > 0 ? 'blocked' : isKnown ? 'clear' : 'unknown'
  const names = new Set(outlooks.flatMap(({ budget, counts }) => (counts ? Object.keys(budget.hard) : [])))
  const object = idOf(target.object, facts.namespace)
  const help = !isAsked
    ? NO_HELP
    : remediesOf({
        facts,
        top,
        isEdited: target.isStored && target.before === undefined && owner === undefined,
        pods,
        demands,
        holders,
        outlooks,
        full: full.slice(0, MOST_FULL),
        unseenFull: reported.length === 0 ? [] : unseenIn(past, outlooks),
        budgets,
        causes,
        isCertain: unsure.length === 0,
        surge,
      })
  return {
    format: 1,
    object,
    verdict,
    summary: summaryOf(
      object,
      verdict,
      demands,
      causes.every(({ type }) => type === 'exceeded') ? outlooks : [],
      (replacement ?? (surge?.deployment === target.object ? surge : undefined))?.old.length ?? 0,
    ).concat(leftOutText(leftOut, Math.max(0, full.length - MOST_FULL), help.leftOut)),
    chain: [
      ...(owner === undefined || isCircle(chain) ? [] : [{ ...named(owner), namespace: facts.namespace }]),
      ...chain.map((one) => idOf(one, facts.namespace)),
    ],
    wanted: demands.map((one) => ({
      kind: one.demand.next.kind,
      wanted: one.demand.wanted,
      existing: one.demand.existing,
      costs: [...costLines(one, names), ...countedCosts(one, outlooks)],
    })),
    budgets: outlooks.map((one, index) => ({
      ...budgetView(
        later.length > 0 && one.fits !== undefined ? { ...one, fits: 0 } : one,
        budgets[index]?.source,
        demands,
      ),
      ...plannedPart(one.budget.ref, facts),
    })),
    causes,
    warnings: [
      ...circleWarnings(chain),
      ...pausedWarnings(chain),
      ...unsure.map(unsureWarning),
      ...later.map(laterWarning),
      ...warningsOf(
        facts,
        demands,
        outlooks,
        unsure.length === 0 ? podsThatFit(withoutOld, demands) : undefined,
        surge,
        causes.length > 0,
      ),
    ],
    holders,
    ...(unseenHolders.length === 0 ? {} : { unseenHolders }),
    remedies: help.remedies,
    notSeen: facts.notSeen
      .filter(({ resource: of }) => !isClasses(of) || isClassMissed(of, demands, facts))
      .map(({ resource: of, reason }) => `${of}: ${reason}`),
  }
}

/** Few may list the classes of a cluster, and for few workloads they matter. */
function isClassMissed(resource: string, demands: readonly Priced[], { quotas }: Facts): boolean {
  const scopes = new Set(
    quotas.flatMap(({ spec }) => [
      ...Object.keys(spec?.hard ?? {}),
      ...scopeRequirements(spec).map(({ scopeName }) => scopeName),
    ]),
  )
  return demands.some(({ missing, object }) => missing > 0 && isClassOf(object, resource, scopes))
}

const named = ({ apiVersion, kind, name }: OwnerReference) => ({ apiVersion, kind, name })

/** Causes that are told apart from others by what a refusal says. */
const BY_AMOUNTS: ReadonlySet<Cause['type']> = new Set(['exceeded', 'missing-values', 'limit-range'])

/**
 * Returns the last refusal that the API server gave the maker. It is used when the readable budgets do not explain what
 * is missing, or when it is about something else.
 */
function reportedCauses(
  past: PastRefusal | undefined,
  demands: readonly Priced[],
  isSeen: boolean,
  outlooks: readonly Outlook[],
  found: readonly Cause[],
  facts: Facts,
): readonly Cause[] {
  // What refuses beside the quotas is in the way as well, unless it is among the causes that were found.
  const isOther = past?.isByQuota === false && past.isLatest && found.every(({ type }) => BY_AMOUNTS.has(type))
  if (found.length > 0 && !isOther) return []
  if (past === undefined || (isSeen && past.isByQuota && !stands(past, outlooks, facts))) return []
  const text = `the API server said: ${past.message}`
  const refused = refusedOf(demands)?.demand.next.kind ?? 'Pod'
  return [{ type: 'reported', refused, by: { kind: '', name: '' }, text, containers: [] }]
}

const refusedOf = (demands: readonly Priced[]): Priced | undefined =>
  demands.find(({ missing, demand }) => missing > 0 && demand.maker !== undefined)

/** The last refusal of what is missing. Where nobody may see what was made, the object itself may tell. */
const refusalOf = (demands: readonly Priced[], { object, isStored }: Target, facts: Facts): PastRefusal | undefined =>
  refusedOf(demands)?.demand.refusal ?? (isStored && demands.length === 0 ? pastRefusal(object, facts) : undefined)

/** The budgets that a refusal names and the caller may not read, each once. */
function unseenIn(past: PastRefusal | undefined, outlooks: readonly Outlook[]): PastRefusal['exceeded'] {
  const seen = new Set(outlooks.map(({ budget: { ref } }) => titleOf(ref)))
  const unseen = (past?.exceeded ?? []).filter(({ kind, quota }) => !seen.has(titleOf({ kind, name: quota })))
  return [...new Map(unseen.map((one) => [titleOf({ kind: one.kind, name: one.quota }), one])).values()]
}

const plannedPart = (by: Cause['by'], { planned }: Facts): { readonly planned?: true } =>
  planned?.has(plannedKey(by)) === true ? { planned: true } : {}

const CLASS = '.storageclass.storage.k8s.io/'
const isClaimWithoutClass = (object: PersistentVolumeClaim): boolean =>
  object.kind === 'PersistentVolumeClaim' && specOf(object).storageClassName === undefined

/** Does an injected container add to a cost under this name by what nobody knows? */
const isUnknown = (name: string, demands: readonly Priced[]): boolean =>
  demands.some(({ missing, unknown }) => missing > 0 && unknown(name).length > 0)

function budgetView(
  { budget, counts, fits, requested }: Outlook,
  source: KubeObject | undefined,
  demands: readonly Priced[],
): BudgetView {
  const from = source === undefined ? undefined : originOf(source)
  const used = formatResourceList(budget.used)
  const asked = formatResourceList(requested)
  return {
    kind: budget.ref.kind,
    name: budget.ref.name,
    ...(from === undefined ? {} : { from }),
    counts,
    ...(fits === undefined ? {} : { fits }),
    limits: Object.entries(formatResourceList(budget.hard))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, hard]) => ({
        resource: name,
        hard,
        ...(used[name] === undefined ? {} : { used: used[name] }),
        ...(asked[name] === undefined || asked[name] === '0'
          ? {}
          : { requested: asked[name], ...(isUnknown(name, demands) ? { requestedIsLeast: true as const } : {}) }),
      })),
  }
}

/** What an object costs the budgets that have an own measure. */
const countedCosts = (one: Priced, outlooks: readonly Outlook[]): readonly CostLine[] =>
  outlooks
    .filter(({ budget: { ref } }) => ref.kind !== 'ResourceQuota')
    .flatMap(({ budget }) =>
      Object.entries(chargeOf(budget, one) ?? {})
        .filter(([, amount]) => !amount.isZero())
        .map(([name, amount]) => ({
          resource: `${titleOf(budget.ref)}${name === LIMIT ? '' : `, ${name}`}`,
          amount: amount.toString(),
          sources: [{ container: '', amount: amount.toString(), from: 'spec' as const }],
        })),
    )

function summaryOf(
  { kind, name }: ObjectId,
  verdict: Explanation['verdict'],
  demands: readonly Priced[],
  outlooks: readonly Outlook[],
  older: number,
): string {
  const title = `${kind} ${name}`
  if (verdict === 'unknown')
    return `${title}: whether a quota is in the way is unknown, because some objects cannot be read`
  const first = demands.find(({ missing }) => missing > 0)
  if (first === undefined)
    return verdict === 'blocked'
      ? `${title} is blocked: the API server refused what it is to make`
      : `${title}: nothing is missing, so no quota is in the way`
  const last = demands.findLast(({ missing }) => missing > 0) ?? first
  const { existing, wanted, next } = last.demand
  const plain = `${existing} of ${wanted} ${next.kind}s ${wantedState(next.kind)}`
  // Users count the pods of a rollout, whatever their template.
  const things =
    older === 0
      ? plain
      : `${existing} of ${wanted} new ${next.kind}s exist beside ${older} old ${older === 1 ? 'one' : 'ones'}`
  if (verdict === 'clear') return `${title}: ${things}, and the quotas have room for the rest`
  const fits = fitsOf(outlooks)
  return `${title} is blocked: ${things}${fits === undefined || fits >= last.missing ? '' : `, ${fits} more fit`}`
}

/** An answer stays short however many quotas and containers a tenant makes. */
function leftOutText(limits: number, quotas: number, more: readonly string[]): string {
  const parts = [
    ...(limits > 0 ? [`the holders of ${limits} more limits`] : []),
    ...(quotas > 0 ? [`the remedies for ${quotas} more quotas`] : []),
    ...more,
  ]
  return parts.length === 0 ? '' : `; left out: ${enumerated(parts)}`
}

/** Workloads that make nothing since somebody stopped them. */
const circleWarnings = (chain: readonly KubeObject[]): readonly Warning[] => {
  const names = chain.map(({ kind, metadata }) => `${kind} ${metadata.name ?? ''}`)
  const text = names.length === 1 ? `${names.join('')} owns itself` : `these own each other: ${names.join(', ')}`
  return isCircle(chain) ? [{ type: 'owners', text }] : []
}

const pausedWarnings = (chain: readonly KubeObject[]): readonly Warning[] =>
  chain.flatMap(({ kind, metadata, spec }) => {
    const name = `${kind} ${metadata.name ?? ''}`
    const { paused, suspend } = objectOf(spec)
    if (paused === true) return [{ type: 'paused', text: `${name} is paused: a change of its template makes no pods` }]
    return suspend === true ? [{ type: 'paused', text: `${name} is suspended: it makes nothing` }] : []
  })

const unsureWarning = ({ text }: Cause): Warning => ({
  type: 'missing-values',
  text: `${text}; whether a LimitRange gives it is not known, because LimitRanges cannot be read`,
})

/** A StatefulSet makes its pods one after the other, unless it says otherwise. */
function orderWarnings(maker: KubeObject | undefined, facts: Facts): readonly Warning[] {
  const [waiting] = maker === undefined ? [] : awaitedPods(maker, facts)
  if (maker === undefined || waiting === undefined) return []
  const text = `StatefulSet ${maker.metadata.name ?? ''} makes its next pod once ${waiting.metadata.name ?? ''} is ready (podManagementPolicy OrderedReady)`
  return [{ type: 'not-ready', text }]
}

/** Does Karmada have to make the binding? Its policy, which says how many clusters run the workload, is not read. */
const isNewBinding = ({ missing, object, demand: { maker, replaces } }: Priced): boolean =>
  missing > 0 && maker !== undefined && replaces === undefined && isBinding(object)

const clustersWarning = ({ object: { kind, metadata } }: Priced): Warning => ({
  type: 'clusters',
  text: `${kind} ${metadata.name ?? ''} is priced for one cluster: if its policy gives each cluster all replicas (replicaSchedulingType Duplicated, the default), each of them costs as much`,
})

/** It refuses no pod that runs. */
const laterWarning = ({ type, text }: Cause): Warning => ({
  type: type === 'limit-range' ? type : 'missing-values',
  text: `pods that are made from now on are refused: ${text}`,
})

/** Does a rollout wait for room for a pod beside those that there are to be? Of one that has not begun the pods are missing. */
const lacksSurge = (surge: Surge, pods: Priced | undefined, fits: number | undefined): boolean =>
  pods?.demand.replacement === undefined
    ? surge.replicas > 0 && surge.unavailable === 0 && fits !== undefined && fits < 1 + (pods?.missing ?? 0)
    : surge.helps

function warningsOf(
  facts: Facts,
  demands: readonly Priced[],
  outlooks: readonly Outlook[],
  fits: number | undefined,
  surge: Surge | undefined,
  isBlocked: boolean,
): readonly Warning[] {
  const warnings: Warning[] = []
  const pods = demands.findLast(({ parts }) => parts !== undefined)
  const replacement = pods?.demand.replacement
  if (surge !== undefined && lacksSurge(surge, pods, fits))
    warnings.push({
      type: 'surge',
      text: rolloutText(surge.deployment, surge.isStuck && replacement === undefined ? 'waits' : 'would wait'),
    })
  for (const one of facts.autoscalers) {
    const scaled = surge?.deployment ?? pods?.demand.maker
    const isOf = scaled !== undefined && scales(one, scaled)
    const most = numberOf(specOf<HorizontalPodAutoscaler>(one).maxReplicas) ?? 0
    const live = replacement === undefined ? (surge?.live ?? pods?.demand.existing ?? 0) : 0
    const reachable = live + (fits ?? most)
    if (isOf && reachable < most)
      warnings.push({
        type: 'autoscaler',
        text: `HorizontalPodAutoscaler ${one.metadata.name ?? ''} may ask for ${most} pods, and the quotas have room for ${reachable}`,
      })
  }
  if (pods !== undefined && pods.missing > 0) warnings.push(...orderWarnings(pods.demand.maker, facts))
  warnings.push(...demands.filter(isNewBinding).map(clustersWarning))
  const past = pods?.missing === 0 || isBlocked ? undefined : pods?.demand.refusal
  if (past !== undefined)
    warnings.push({
      type: 'retry',
      text: `the last attempt was refused, and ${past.exceeded.length > 0 ? 'there is room now' : 'its reason is gone'}; its controller tries again: ${past.message}`,
    })
  const classes = outlooks.filter(({ budget }) => Object.keys(budget.hard).some((name) => name.includes(CLASS)))
  const isUnnamed = demands.some(({ missing, object }) => missing > 0 && isClaimWithoutClass(object))
  if (isUnnamed && classes.length > 0 && !facts.classes.has('storageclasses.storage.k8s.io'))
    warnings.push({
      type: 'storage-class',
      text: `a claim names no storage class, and gets the default one, which ${classes.map(({ budget }) => titleOf(budget.ref)).join(', ')} may limit`,
    })
  return warnings
}
