import type { ResourceQuotaStatus } from '../../../kinds/resource-quota/resource-quota.ts'
import { setOwn } from '../../../machinery/json-value.ts'
import { allocate, type AllocateInput } from './allocate.ts'
import type { PoolOutcome } from './queue/pool-outcome.ts'
import { readyCondition } from './pool-status.ts'
import { obstaclesOf } from './quota/place.ts'
import type { Quotas } from './quota/view.ts'
import { shortened } from './amount/shorten-text.ts'
import { lowerReleases, type LowerInput } from './quota/lower-releases.ts'
import { compareText } from '../../../machinery/text/compare.ts'

export interface DecidePoolInput extends Omit<AllocateInput, 'used'>, LowerInput {
  /** Why no quota of the pool can be had, by namespace, as far as it was tried in vain. */
  readonly obstructed?: ReadonlyMap<string, string>
  /** Why no LimitRange of the pool can be had, by namespace, as far as it was tried in vain. */
  readonly withoutLimitRange?: ReadonlyMap<string, string>
  /** Has a pool that is being deleted a LimitRange anywhere yet? */
  readonly hasLimitRanges?: boolean
}

/**
 * Decides for a pool's controller: first the releases that can be lowered, then the whole outcome. Write its
 * status first (`poolStatusChange` of the pool that was given, with its resourceVersion), then the quotas (`nextSteps` of the
 * pool as it then is), then the claims.
 */
export function decidePool(input: DecidePoolInput): PoolOutcome {
  const { pool, claims, namespaces, quotas, gone, within, now, obstructed, isFrozen = false } = input
  const shared = within === undefined ? {} : { within }
  const time = now === undefined ? {} : { now }
  const lowered = lowerReleases({ pool, quotas, ...(gone === undefined ? {} : { gone }), ...shared })
  const obstacles = obstructed === undefined ? {} : { obstacleOf: obstaclesOf(pool, quotas, obstructed) }
  const used = statusesOf(quotas)
  const outcome = withoutLimitRanges(
    withObstructed(
      withFull(allocate({ pool: lowered, claims, namespaces, used, isFrozen, ...time, ...obstacles, ...shared })),
      obstructed ?? NOTHING,
    ),
    input.withoutLimitRange ?? NOTHING,
  )
  // A deleted pool waits for the objects that it keeps, so that a new pool of the same name does not find them.
  const isLeaving = pool.metadata.deletionTimestamp !== undefined
  const keepsSomething = quotas.size > 0 || input.hasLimitRanges === true
  return isLeaving && keepsSomething ? { ...outcome, finalizer: true } : outcome
}

const NOTHING: ReadonlyMap<string, string> = new Map()

/** How many namespaces a pool lists where it lacks what it keeps. */
const LISTED = 100

/** The outcome, where the pool says in which namespaces something is in the way of its quota. */
function withObstructed(outcome: PoolOutcome, obstructed: ReadonlyMap<string, string>): PoolOutcome {
  if (obstructed.size === 0) return outcome
  const blockedNamespaces = listed(obstructed)
  const decided = withProblem(outcome, lacking('quota', obstructed.size, 'blockedNamespaces', blockedNamespaces))
  return { ...decided, status: { ...decided.status, blockedNamespaces } }
}

/** The outcome, where the pool says in which namespaces something is in the way of its LimitRange. */
function withoutLimitRanges(outcome: PoolOutcome, problems: ReadonlyMap<string, string>): PoolOutcome {
  if (problems.size === 0) return outcome
  const withoutLimitRange = listed(problems)
  const decided = withProblem(outcome, lacking('LimitRange', problems.size, 'withoutLimitRange', withoutLimitRange))
  return { ...decided, status: { ...decided.status, withoutLimitRange } }
}

type Ready = ReturnType<typeof readyCondition>
type Listed = readonly { readonly name: string; readonly message: string }[]

const listed = (problems: ReadonlyMap<string, string>): Listed =>
  [...problems]
    .toSorted(([a], [b]) => compareText(a, b))
    .slice(0, LISTED)
    .map(([name, message]) => ({ name, message: shortened(message) }))

function lacking(what: string, count: number, field: string, [first]: Listed): Ready {
  const others = count === 1 ? '' : ` and ${count - 1} more (status.${field})`
  return readyCondition(`no ${what} in namespace ${first?.name ?? ''}${others}: ${first?.message ?? ''}`)
}

/** The namespaces of which a pool cannot record more claims, sorted. */
export function fullNamespaces({ claims }: Pick<PoolOutcome, 'claims'>): readonly string[] {
  const full = claims.filter(({ decision }) => decision.verdict === 'refused' && decision.reason === 'ledger-full')
  return [...new Set(full.map(({ claim }) => claim.metadata.namespace ?? ''))].toSorted(compareText)
}

/** The outcome, where the pool says of which namespaces it cannot record more claims. */
function withFull(outcome: PoolOutcome): PoolOutcome {
  const [first, ...others] = fullNamespaces(outcome)
  if (first === undefined) return outcome
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  const why = `the pool cannot record more claims of namespace ${first}${more}, which have too many for what is left; others are served`
  return withProblem(outcome, readyCondition(why))
}

function withProblem(outcome: PoolOutcome, ready: Ready): PoolOutcome {
  const conditions = outcome.status.conditions.map((one) =>
    one.type === ready.type && one.status === 'True' ? ready : one,
  )
  return { ...outcome, status: { ...outcome.status, conditions } }
}

function statusesOf(quotas: Quotas): Readonly<Record<string, ResourceQuotaStatus>> {
  const statuses: Record<string, ResourceQuotaStatus> = {}
  for (const [namespace, { status }] of quotas) if (status !== undefined) setOwn(statuses, namespace, status)
  return statuses
}
