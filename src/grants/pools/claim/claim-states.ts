import type { AllocatedClaim, ResourcePool } from '../../../api/resource-pool/resource-pool.ts'
import type { ResourcePoolClaim } from '../../../api/resource-pool-claim/resource-pool-claim.ts'
import { quantityOf, type ResourceList, subtract } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import type { ClaimState } from './claim-state.ts'
import { shortagesOf } from '../amount/capacity.ts'
import { ResourceSum } from '../amount/resource-sum.ts'
import { endOf, mayEnd } from '../end/claim-end.ts'
import { byAge } from './claim-order.ts'
import { knownHolding, poolIdentity, rememberHolding } from './claim-memory.ts'
import { asksForRelease, type ClaimPhase, phaseOf } from './claim-phase.ts'
import { entriesOf, type Ledger } from '../ledger/ledger-entries.ts'
import type { ObstacleOf } from '../quota/quota-place.ts'
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
export function claimStatesOf({
  pool,
  claims,
  served,
  hard,
  usage,
  now,
  obstacleOf,
}: ClaimStatesInput): readonly ClaimState[] {
  const queue = inOrder(claims)
  const ledger = pool.status?.claims
  const find = entryFinder(ledger)
  const holding = holdingsOf(queue, find)
  const isUsed = usedBefore(holding, usage)
  const mayGo = leavers(holding, usage, now)
  const identity = poolIdentity(pool)
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
    const end = mayEnd(claim) ? endOf(claim, now) : undefined
    const phase = phaseOf({
      pool,
      claim,
      entry,
      served: isServed,
      hard,
      isUsed: () => isUsed(claim),
      isOver: end?.isOver === true,
      mayGo: () => mayGo(claim),
      obstacle,
    })
    if (phase === undefined) continue
    const request = phase.kind === 'settled' ? amountsOf(entry?.claims) : phase.request
    const held = phase.kind === 'resizes' ? { held: phase.held } : {}
    const isAtRest = phase.kind === 'holds' && end === undefined && !asksForRelease(claim)
    const keeps = isAtRest ? { outcomes: new Map() } : {}
    const one: ClaimState = {
      claim,
      namespace,
      phase,
      entry,
      request,
      ...held,
      ...keeps,
      ...(end === undefined ? {} : { end }),
      ...oversizeOf(pool, phase, hard),
    }
    rememberHolding(identity, one)
    states.push(one)
  }
  return states
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

/**
 * Returns the claims whose time is over and without which the quota still covers what workloads use. They go one after another, the oldest
 * first: what one of two could cover is kept for that one.
 */
const leavers = (holding: Holdings, usage: UsageReader, now: number): ((claim: ResourcePoolClaim) => boolean) =>
  inNamespace((namespace) => {
    const all = holding(namespace)
    const rest = new ResourceSum()
    for (const { request } of all) rest.add(request)
    const gone = new Set<ResourcePoolClaim>()
    for (const { claim, request } of all) {
      if (!mayEnd(claim) || !endOf(claim, now).isOver) continue
      if (!usage.isCovered(namespace, subtract(rest.list(), request), request)) continue
      rest.subtract(request)
      gone.add(claim)
    }
    return gone
  })

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
