import { type Condition, EFFECTIVE, MAX_MESSAGE, withCondition, withoutCondition } from '../../../api/condition.ts'
import { type Progress, RECONCILING, STALLED, withProgress } from '../../../api/progress.ts'
import { sharedLines } from '../../../machinery/text/shown.ts'
import type { GlobalCustomQuotaStatus } from '../api/global-custom-quota.ts'
import { ENFORCED, MEASURED, NAMESPACE_SCOPE, ROOT_SCOPE } from '../api/quota-names.ts'
import type { ConditionIn, ReasonIn } from '../../../api/condition-table.ts'
import type { QUOTA_CONDITIONS } from '../api/quota-conditions.ts'
import type { QuotaTarget } from '../api/quota-fields.ts'
import type { QuotaSource } from '../api/source.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { ListedClaims } from './listed-claims.ts'
import { kindText, type SourceKind, sourceKind } from './source-kind.ts'

/** The result of counting the objects of a quota. */
export interface Count {
  readonly limit: Quantity
  /** The sum of what the counted objects cost; below 0 where more is subtracted than added. */
  readonly sum: Quantity
  readonly claims: ListedClaims
}

type Conditions = typeof QUOTA_CONDITIONS
/** Why a quota is not ready. */
export type UnreadyReason = Exclude<ReasonIn<Conditions, 'Ready'>, 'Succeeded'>
/** What a condition says that exists only where it does not hold. */
export type Lack<Type extends keyof Conditions> = Pick<ConditionIn<Conditions, Type>, 'reason' | 'message'>

export interface QuotaStatusInput {
  readonly generation: number
  readonly targets: readonly QuotaTarget[]
  /** Undefined where nothing can be counted now: the status keeps what was counted last. */
  readonly count: Count | undefined
  /** Of a GlobalCustomQuota: sorted names, or `*` alone. */
  readonly namespaces?: readonly string[] | undefined
  /** Why the quota does not work, in the order to be named; none where it does. */
  readonly problems: readonly string[]
  /** The reason of the condition Ready where there are problems; left out: `Failed`. */
  readonly reason?: UnreadyReason | undefined
  /** Has somebody to change the quota, or something else, before it can work? Left out: what is wrong passes. */
  readonly isMistake?: boolean
  /** Why the quota refuses nothing, as a word for programs and a sentence; undefined where it is enforced. */
  readonly unenforced?: Lack<'Enforced'> | undefined
  /** Which objects the quota cannot measure, where nothing else is wrong with it; undefined where it measures all. */
  readonly unmeasured?: Lack<'Measured'> | undefined
  /** Why the quota limits nothing of what there is, as a word for programs and sentences; undefined where it does, or there is nothing. */
  readonly idle?: { readonly reason: ReasonIn<Conditions, 'Effective'>; readonly texts: readonly string[] } | undefined
  readonly previous: GlobalCustomQuotaStatus | undefined
  /** RFC 3339, in whole seconds. */
  readonly now: string
}

const READY = 'Ready'
/** The condition Ready says all of it. */
const MOST_PROGRESS = 1024

/**
 * The status of a CustomQuota or a GlobalCustomQuota. Lists without entries are left out, as Capsule does. A status that says
 * the same as before has the same conditions, with their times.
 */
export function quotaStatus(input: QuotaStatusInput): GlobalCustomQuotaStatus {
  const { generation, targets, count, namespaces = [], previous } = input
  const counted = count === undefined ? keptCount(previous) : countOf(count)
  return {
    observedGeneration: generation,
    ...counted,
    targets,
    ...(namespaces.length === 0 ? {} : { namespaces }),
    conditions: conditionsOf(input),
  }
}

type CountFields = Pick<GlobalCustomQuotaStatus, 'usage' | 'claims' | 'omittedClaims'>

function countOf({ limit, sum, claims: { claims, omitted } }: Count): CountFields {
  return {
    usage: usageOf(limit, sum),
    ...(claims.length === 0 ? {} : { claims }),
    ...(omitted === 0 ? {} : { omittedClaims: omitted }),
  }
}

/** Neither amount falls below 0. `available` has the format of the limit, `used` that of the sum. */
function usageOf(limit: Quantity, sum: Quantity): { readonly used: string; readonly available: string } {
  const used = sum.sign() < 0 ? Quantity.zero : sum
  const left = limit.sub(used)
  const available = left.sign() < 0 ? Quantity.zero : left
  return { used: used.withFormat(sum.format).toString(), available: available.toString() }
}

function keptCount(previous: GlobalCustomQuotaStatus | undefined): CountFields {
  const { usage, claims, omittedClaims } = previous ?? {}
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(claims === undefined ? {} : { claims }),
    ...(omittedClaims === undefined ? {} : { omittedClaims }),
  }
}

function conditionsOf({
  problems,
  reason: failure = 'Failed',
  isMistake = false,
  unenforced,
  unmeasured,
  idle,
  previous,
  now,
}: QuotaStatusInput): readonly Condition[] {
  const ready: ConditionIn<Conditions, 'Ready'> =
    problems.length === 0
      ? { type: READY, status: 'True', reason: 'Succeeded', message: 'reconciled' }
      : { type: READY, status: 'False', reason: failure, message: sharedLines(problems, MAX_MESSAGE) }
  const conditions = withCondition(previous?.conditions ?? [], ready, now)
  const ineffective = idle && { reason: idle.reason, message: sharedLines(idle.texts, MAX_MESSAGE) }
  const lacks = [
    [EFFECTIVE, ineffective],
    [ENFORCED, unenforced],
    [MEASURED, unmeasured],
  ] as const
  const progress: Progress | undefined =
    ready.status === 'True'
      ? undefined
      : { type: isMistake ? STALLED : RECONCILING, reason: ready.reason, message: sharedLines(problems, MOST_PROGRESS) }
  const known = lacks.reduce((all, [type, lack]) => withLack(all, type, lack, now), conditions)
  return withProgress(known, progress, now)
}

/** A condition that exists only where it does not hold. */
function withLack(
  conditions: readonly Condition[],
  type: string,
  lack: { readonly reason: string; readonly message: string } | undefined,
  now: string,
): readonly Condition[] {
  if (lack === undefined) return withoutCondition(conditions, type)
  const { reason, message } = lack
  return withCondition(conditions, { type, status: 'False', reason, message }, now)
}

/** The target of a source: what the status says that is counted. `namespaced`: whether objects of the kind are in namespaces. */
export function quotaTarget(source: QuotaSource, namespaced: boolean): QuotaTarget {
  const { op, path = '', cel = '', selectors = [] } = source
  return {
    ...sourceKind(source),
    op,
    ...(path === '' ? {} : { path }),
    ...(cel === '' ? {} : { cel }),
    ...(selectors.length === 0 ? {} : { selectors }),
    scope: namespaced ? NAMESPACE_SCOPE : ROOT_SCOPE,
  }
}

/** Returns the message of the condition Ready for a kind that the API server does not serve (Capsule's words); `reason` is a sentence. */
export function unservedText(kind: SourceKind, reason: string): string {
  return `failed to resolve REST mapping for ${kindText(kind)}: ${reason}`
}

/** Returns the message of the condition Ready of a CustomQuota for a cluster-scoped kind (Capsule's words). */
export function notNamespacedText(kind: SourceKind): string {
  return `GVK ${kindText(kind)} is not namespaced`
}
