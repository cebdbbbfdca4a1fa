import { AGGREGATE_TO_OPERATOR } from '../../../install/rbac/operator-roles.ts'
import { ALL_NAMESPACES, LEDGER_LOST, SPEC_CHANGED } from '../api/quota-names.ts'
import type { GlobalCustomQuotaStatus } from '../api/global-custom-quota.ts'
import { outsideNamespacesText } from '../decide/counts-nothing.ts'
import { type ClaimedObject, ClaimList, type ListedClaims } from '../decide/listed-claims.ts'
import {
  notNamespacedText,
  quotaStatus,
  type QuotaStatusInput,
  quotaTarget,
  type UnreadyReason,
} from '../decide/quota-status.ts'
import { isCountedKind, kindText, sourceKind } from '../decide/source-kind.ts'
import { problemText } from '../decide/validate-quota.ts'
import type { Closure } from '../../counted/protocol/ledger-admission.ts'
import { SETTLING_TEXT, WIDENED_TEXT } from '../../counted/protocol/ledger-errors.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { fairShares } from '../../../machinery/text/fair-shares.ts'
import { type GroupResource, isForbidden } from '../../../machinery/status.ts'
import { TimeSlice } from '../../../runtime/tasks/time-slice.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { TOO_MANY_QUOTAS } from './quota-bound.ts'
import type { Unenforced } from './unenforced.ts'
import { unmeasuredCondition } from './unmeasured-objects.ts'
import type { SourceTarget, TrackedQuota } from './tracking/tracked-quota.ts'

/** Rules of ClusterRoles with this label are aggregated to the role of the operator. */
const READS_LABEL = `${AGGREGATE_TO_OPERATOR}=true`

/** The findings that the status of a quota shows besides the count. */
export interface QuotaFindings {
  /** Why the quota does not work, beyond what counting finds. */
  readonly problems: readonly string[]
  /** The reason of the condition Ready where there are problems; left out: `Failed`. */
  readonly reason?: UnreadyReason | undefined
  readonly unenforced: Unenforced | undefined
  /** RFC 3339, in whole seconds. */
  readonly now: string
}

/** Why a quota cannot be counted, as far as its spec and the kinds of the API server say; none while that is still being found out. */
export function countingProblems({ compilation, resolution }: TrackedQuota): readonly string[] {
  // The message of a CEL expression that does not compile has several lines, which show where the mistake is.
  if (!compilation.ok) return compilation.problems.flatMap((problem) => problemText(problem).split('\n'))
  return (resolution?.problems ?? []).map(({ text }) => text)
}

/** Can the quota not work until somebody changes it, or others? A kind may yet be served. */
const isMistaken = ({ compilation, resolution }: TrackedQuota, reason: UnreadyReason | undefined): boolean =>
  !compilation.ok ||
  reason === TOO_MANY_QUOTAS ||
  (resolution?.problems ?? []).some(({ kind, text }) => text === notNamespacedText(kind))

/**
 * Why lists or watches of the counted objects fail, if any does and is tried again. An API server that starts may refuse for a moment
 * what it allows, so this is a problem only when it lasts.
 */
export function countingOutages({ resolution }: TrackedQuota): readonly string[] {
  return (resolution?.targets ?? []).flatMap(({ counted: { problem, kind } }) =>
    problem === undefined ? [] : [outageText(problem, kind)],
  )
}

function outageText(problem: unknown, kind: GroupResource): string {
  if (isForbidden(problem))
    return `the operator must be allowed to list and watch ${nameOf(kind)}: ${problem.message}; a ClusterRole that allows it needs the label ${READS_LABEL}`
  return `${nameOf(kind)} cannot be counted now: ${problem instanceof Error ? problem.message : 'the reason is unknown'}`
}

/** The findings about a quota whose ledger decides nothing for a while. `now`: as `Date.now` gives it. */
export function closureFindings(
  { isForWidening, leftMs }: Closure,
  now: number,
): Pick<QuotaFindings, 'problems' | 'reason'> {
  return isForWidening
    ? { problems: [`${WIDENED_TEXT}, at about ${timestamp(now + leftMs)}`], reason: SPEC_CHANGED }
    : { problems: [SETTLING_TEXT], reason: LEDGER_LOST }
}

const nameOf = ({ group, resource }: GroupResource): string => (group === '' ? resource : `${resource}.${group}`)

/** How long listing objects may keep requests waiting. */
const SLICE_MS = 1
/** The clock is looked at after so many objects. */
const OBJECTS_EACH = 32

/**
 * The status of a quota, from what this replica has counted. Of very many objects it takes time, in which requests are decided on:
 * the sum is that of the end.
 */
export async function reportedStatus(tracked: TrackedQuota, findings: QuotaFindings): Promise<GlobalCustomQuotaStatus> {
  const isCountable = tracked.compiled !== undefined && tracked.isCounted
  return statusWith(tracked, findings, isCountable ? await claimsOf(tracked) : undefined)
}

async function claimsOf(tracked: TrackedQuota): Promise<ListedClaims> {
  const list = new ClaimList()
  const slice = new TimeSlice(SLICE_MS)
  let count = 0
  for (const object of countedObjects(tracked)) {
    list.add(object)
    const turn = ++count % OBJECTS_EACH === 0 ? slice.next() : undefined
    if (turn !== undefined) await turn
  }
  return list.listed
}

/** Counting may have begun anew since the claims were listed, and then they do not count. */
function statusWith(
  tracked: TrackedQuota,
  { problems, reason, unenforced, now }: QuotaFindings,
  claims: ListedClaims | undefined,
): GlobalCustomQuotaStatus {
  const { compiled, quota, isCounted, resolution, isGlobal } = tracked
  const targets = resolution?.targets ?? []
  const previous = quota.status
  const sum = targets.reduce((total, { count }) => total.add(count.total), Quantity.zero)
  return quotaStatus({
    generation: tracked.generation,
    targets: quota.spec.sources.map((source) => quotaTarget(source, isNamespaced(tracked, source))),
    count:
      compiled === undefined || claims === undefined || !isCounted ? undefined : { limit: compiled.limit, sum, claims },
    namespaces: isGlobal ? namespacesOf(tracked) : undefined,
    problems: [...problems, ...objectProblems(targets)],
    reason,
    isMistake: isMistaken(tracked, reason),
    unenforced,
    unmeasured: problems.length === 0 ? unmeasuredCondition(tracked) : undefined,
    idle: idleOf(tracked),
    previous,
    now,
  })
}

/** Of more objects than these each namespace has its share named. */
const MOST_OBJECTS_NAMED = 150

/** Why objects cannot be measured, so that the objects of one namespace do not hide those of others. */
function objectProblems(targets: readonly SourceTarget[]): readonly string[] {
  const found = targets.flatMap(({ count }) => count.problems)
  const shares = fairShares(
    found.map(({ length }) => length),
    MOST_OBJECTS_NAMED,
  )
  const named = found.flatMap((ofNamespace, at) => ofNamespace.slice(0, shares[at]))
  const left = found.reduce((sum, { length }) => sum + length, 0) - named.length
  return left === 0 ? named : [...named, `and ${left} more objects`]
}

const COUNTS_NOTHING = 'CountsNothing'
const PATH_FINDS_NOTHING = 'PathFindsNothing'

/** Why the quota, or a part of it, limits nothing. The reason holds for any objects, or for those that exist now. */
function idleOf(tracked: TrackedQuota): QuotaStatusInput['idle'] {
  const never = [...(tracked.compiled?.countsNothing ?? []), ...outsideNamespaces(tracked)]
  const texts = [...never, ...(tracked.isCounted ? unfoundPaths(tracked) : [])]
  return texts.length === 0 ? undefined : { reason: never.length > 0 ? COUNTS_NOTHING : PATH_FINDS_NOTHING, texts }
}

/** The sources of a quota that selects namespaces whose kinds are in none. */
function outsideNamespaces(tracked: TrackedQuota): readonly string[] {
  const { compiled, quota } = tracked
  if (compiled?.everywhere !== false) return []
  return quota.spec.sources.flatMap((source, index) =>
    isNamespaced(tracked, source) ? [] : [outsideNamespacesText(source, index)],
  )
}

/** Says of which kinds the paths of the quota find nothing in any object that there is. */
function unfoundPaths({ resolution, quota }: TrackedQuota): readonly string[] {
  return (resolution?.targets ?? [])
    .filter(({ count }) => count.findsNothing)
    .map(({ kind }) => {
      const paths = quota.spec.sources
        .filter((source) => isCountedKind(sourceKind(source), kind))
        .map(({ path = '' }) => path)
      return `${paths.join(' and ')} finds nothing in any object of ${kindText(kind)} that the quota counts, so that none of them is limited`
    })
}

const namespacesOf = ({ namespaces }: TrackedQuota): readonly string[] =>
  namespaces === undefined ? [ALL_NAMESPACES] : [...namespaces].toSorted()

function isNamespaced({ resolution }: TrackedQuota, source: TrackedQuota['quota']['spec']['sources'][number]): boolean {
  const { group, kind } = sourceKind(source)
  return (
    resolution?.targets.find((one) => one.kind.group === group && one.kind.kind === kind)?.resource.namespaced ?? true
  )
}

/** Every object that the quota counts, with what it costs the quota. */
function* countedObjects(tracked: TrackedQuota): Generator<ClaimedObject> {
  for (const { counted, count, resource } of tracked.resolution?.targets ?? [])
    for (const [namespace, name, { uid, costs }] of counted.objects.entries(count.namespace)) {
      if (!tracked.selection.has(namespace)) continue
      const cost = costs.find((one) => one.count === count)
      if (cost === undefined || cost.problem !== undefined) continue
      const { group, version, kind } = resource
      yield { kind: { group, version, kind }, namespace, name, uid, cost: cost.amount }
    }
}
