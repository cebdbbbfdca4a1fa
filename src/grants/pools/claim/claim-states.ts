import type { AllocatedClaim, ResourcePool } from '../../../api/resource-pool/resource-pool.ts'
import type { ResourcePoolClaim } from '../../../api/resource-pool-claim/resource-pool-claim.ts'
import { quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import type { ClaimState } from './claim-state.ts'
import { shortagesOf } from '../amount/capacity.ts'
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
  readonly obstacleOf?: ObstacleOf | undefined
}

/** Returns the states of the claims that the pool decides about, in the order in which they are served. */
export function claimStatesOf({
  pool,
  claims,
  served,
  hard,
  usage,
  obstacleOf,
}: ClaimStatesInput): readonly ClaimState[] {
  const queue = inOrder(claims)
  const ledger = pool.status?.claims
  const find = entryFinder(ledger)
  const isUsed = usedBefore(queue, find, usage)
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
    const phase = phaseOf({
      pool,
      claim,
      entry,
      served: isServed,
      hard,
      isUsed: () => isUsed(claim),
      obstacle,
    })
    if (phase === undefined) continue
    const request = phase.kind === 'settled' ? amountsOf(entry?.claims) : phase.request
    const held = phase.kind === 'resizes' ? { held: phase.held } : {}
    const keeps = phase.kind === 'holds' && !asksForRelease(claim) ? { outcomes: new Map() } : {}
    const one: ClaimState = {
      claim,
      namespace,
      phase,
      entry,
      request,
      ...held,
      ...keeps,
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

/** Returns the used claims among those that the status lists; derived for a namespace when it is first asked for. */
function usedBefore(
  queue: readonly ResourcePoolClaim[],
  find: EntryFinder,
  usage: UsageReader,
): (claim: ResourcePoolClaim) => boolean {
  let holding: ReadonlyMap<string, readonly Holding[]> | undefined
  const known = new Map<string, ReadonlySet<ResourcePoolClaim>>()
  return (claim) => {
    const { namespace = '' } = claim.metadata
    holding ??= Map.groupBy(
      queue.flatMap((one) => {
        const entry = find(one)
        return entry === undefined ? [] : [{ claim: one, request: amountsOf(entry.claims) }]
      }),
      (one) => one.claim.metadata.namespace ?? '',
    )
    const used = known.get(namespace) ?? usage.usedNow(namespace, holding.get(namespace) ?? [])
    known.set(namespace, used)
    return used.has(claim)
  }
}
