import type { AllocatedClaim, ResourcePool } from '../../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../../api/claim.ts'
import {
  isZero,
  quantityOf,
  type ResourceList,
  subtract,
  subtractWithNonNegativeResult,
} from '../../../../quantity/resource-list.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import type { ClaimState } from './state.ts'
import { shortagesOf } from '../amount/capacity.ts'
import { ResourceSum } from '../amount/resource-sum.ts'
import { type ClaimEnd, endOf, mayEnd } from '../end/claim.ts'
import { byAge } from './order.ts'
import { knownHolding, poolIdentity, rememberHolding } from './memory.ts'
import { asksForRelease, type ClaimPhase, phaseOf } from './phase.ts'
import { entriesOf, type Ledger } from '../ledger/entries.ts'
import type { ObstacleOf } from '../quota/place.ts'
import type { Holding, UsageReader } from './usage-reader.ts'

export interface ClaimStatesInput {
  readonly pool: ResourcePool
  readonly claims: readonly ResourcePoolClaim[]
  readonly served: ReadonlySet<string>
  readonly hard: ResourceList
  readonly usage: UsageReader
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly obstacleOf?: ObstacleOf | undefined
}

/** Returns the states of the claims that the pool decides about, in the order in which they are served. */
export function claimStatesOf(input: ClaimStatesInput): readonly ClaimState[] {
  const { pool, claims, served, hard, usage, now, obstacleOf } = input
  const queue = inOrder(claims)
  const ledger = pool.status?.claims
  const find = entryFinder(ledger)
  const holding = holdingsOf(queue, find)
  const isUsed = usedBefore(holding, usage)
  const identity = poolIdentity(pool)
  const decide = (
    claim: ResourcePoolClaim,
    end: ClaimEnd | undefined,
    mayGo: () => boolean,
  ): ClaimPhase | undefined => {
    const { namespace = '' } = claim.metadata
    const isServed = served.has(namespace)
    return phaseOf({
      pool,
      claim,
      entry: find(claim),
      served: isServed,
      hard,
      isUsed: () => isUsed(claim),
      isOver: end?.isOver === true,
      mayGo,
      obstacle: isServed ? obstacleOf?.(namespace) : undefined,
    })
  }
  const endIn = (claim: ResourcePoolClaim): ClaimEnd | undefined => (mayEnd(claim) ? endOf(claim, now) : undefined)
  const mayGo = leavers(holding, usage, {
    isOver: (claim) => endIn(claim)?.isOver === true,
    keptBy: (one) =>
      keptAmounts(
        one,
        decide(one.claim, endIn(one.claim), () => false),
      ),
  })
  const states: ClaimState[] = []
  for (const claim of queue) {
    const { namespace = '' } = claim.metadata
    const entry = find(claim)
    const isServed = served.has(namespace)
    const obstacle = isServed ? obstacleOf?.(namespace) : undefined
    const known =
      isServed && entry !== undefined && obstacle?.keeps !== false ? knownHolding(identity, claim, entry) : undefined
    if (known !== undefined) {
      states.push(known)
      continue
    }
    const end = endIn(claim)
    const phase = decide(claim, end, () => mayGo(claim))
    if (phase === undefined) continue
    const one = stateIn(phase, { claim, namespace, entry, end, pool, hard })
    rememberHolding(identity, one)
    states.push(one)
  }
  return states
}

interface StateInput extends Pick<ClaimStatesInput, 'pool' | 'hard'> {
  readonly claim: ResourcePoolClaim
  readonly namespace: string
  readonly entry: AllocatedClaim | undefined
  readonly end: ClaimEnd | undefined
}

/** Returns the state of a claim in the phase that was decided for it. */
function stateIn(phase: ClaimPhase, { claim, namespace, entry, end, pool, hard }: StateInput): ClaimState {
  const isAtRest = phase.kind === 'holds' && end === undefined && !asksForRelease(claim)
  return {
    claim,
    namespace,
    phase,
    entry,
    request: phase.kind === 'decided' ? amountsOf(entry?.claims) : phase.request,
    ...(phase.kind === 'resizes' ? { held: phase.held } : {}),
    ...(isAtRest ? { outcomes: new Map() } : {}),
    ...(end === undefined ? {} : { end }),
    ...oversizeOf(pool, phase, hard),
  }
}

function oversizeOf(
  pool: ResourcePool,
  phase: ClaimPhase,
  hard: ResourceList,
): Pick<ClaimState, 'oversize' | 'standsAside'> {
  if (phase.kind !== 'asks' && phase.kind !== 'resizes') return {}
  const oversize = shortagesOf(phase.request, { get: (resource) => quantityOf(hard, resource) })
  if (oversize.length === 0) return {}
  return { oversize, standsAside: pool.spec.config.oversizedClaims === 'StandAside' }
}

type EntryFinder = (claim: ResourcePoolClaim) => AllocatedClaim | undefined

/** Namespaces with more entries than this get an index. */
const FEW = 16

/** Finds what the ledger has of a claim. */
function entryFinder(ledger: Ledger | undefined): EntryFinder {
  const indexes = new Map<string, ReadonlyMap<string, AllocatedClaim>>()
  return ({ metadata: { namespace = '', uid = '' } }) => {
    const entries = entriesOf(ledger, namespace)
    if (entries === undefined) return undefined
    if (entries.length <= FEW) return entries.find((entry) => entry.uid === uid)
    const index = indexes.get(namespace) ?? new Map(entries.map((entry) => [entry.uid, entry]))
    indexes.set(namespace, index)
    return index.get(uid)
  }
}

function inOrder(claims: readonly ResourcePoolClaim[]): readonly ResourcePoolClaim[] {
  const isSorted = claims.every((claim, at) => {
    const before = claims[at - 1]
    return before === undefined || byAge(before, claim) <= 0
  })
  return isSorted ? claims : claims.toSorted(byAge)
}

/** Returns the claims of a namespace that have something, and what; gathered when it is first asked for. */
function holdingsOf(queue: readonly ResourcePoolClaim[], find: EntryFinder): (namespace: string) => readonly Holding[] {
  let holding: ReadonlyMap<string, readonly Holding[]> | undefined
  return (namespace) => {
    holding ??= Map.groupBy(
      queue.flatMap((one) => {
        const entry = find(one)
        return entry === undefined ? [] : [{ claim: one, request: amountsOf(entry.claims) }]
      }),
      (one) => one.claim.metadata.namespace ?? '',
    )
    return holding.get(namespace) ?? []
  }
}

type Holdings = ReturnType<typeof holdingsOf>

/** Returns the used claims among those that the status lists; derived for a namespace when it is first asked for. */
const usedBefore = (holding: Holdings, usage: UsageReader): ((claim: ResourcePoolClaim) => boolean) =>
  inNamespace((namespace) => usage.usedNow(namespace, holding(namespace)))

interface LeaversOptions {
  readonly isOver: (claim: ResourcePoolClaim) => boolean
  /** The amounts that a claim surely keeps after this decision, if it does not end. */
  readonly keptBy: (one: Holding) => ResourceList
}

/**
 * Returns the claims that can leave: their time is over, and the quota covers the usage without them. The oldest leaves
 * first. A younger one stays if its amounts are needed after that. Amounts that other claims give up at the same time
 * count as gone.
 */
const leavers = (
  holding: Holdings,
  usage: UsageReader,
  { isOver, keptBy }: LeaversOptions,
): ((claim: ResourcePoolClaim) => boolean) =>
  inNamespace((namespace) => {
    const all = holding(namespace).map((one) => ({ ...one, kept: keptBy(one) }))
    const rest = new ResourceSum()
    for (const { kept } of all) rest.add(kept)
    const gone = new Set<ResourcePoolClaim>()
    for (const { claim, request, kept } of all) {
      if (!isOver(claim)) continue
      if (!usage.isCovered(namespace, subtract(rest.list(), kept), request)) continue
      rest.subtract(kept)
      gone.add(claim)
    }
    return gone
  })

/**
 * Returns the amounts that a claim surely keeps. A claim that is being deleted may go at any time. A claim that asks
 * for more may lose all that it has.
 */
function keptAmounts({ claim, request: has }: Holding, phase: ClaimPhase | undefined): ResourceList {
  if (claim.metadata.deletionTimestamp !== undefined) return {}
  if (phase?.kind === 'holds') return has
  if (phase?.kind === 'resizes') return isZero(subtractWithNonNegativeResult(phase.request, has)) ? phase.request : {}
  return phase?.kind === 'decided' && phase.decision.verdict === 'held-by-use' ? has : {}
}

/** Is a claim among those that are found in its namespace? They are found once. */
function inNamespace(
  find: (namespace: string) => ReadonlySet<ResourcePoolClaim>,
): (claim: ResourcePoolClaim) => boolean {
  const known = new Map<string, ReadonlySet<ResourcePoolClaim>>()
  return (claim) => {
    const { namespace = '' } = claim.metadata
    const found = known.get(namespace) ?? find(namespace)
    known.set(namespace, found)
    return found.has(claim)
  }
}
