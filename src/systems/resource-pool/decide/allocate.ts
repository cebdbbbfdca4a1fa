import type { ResourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import type { ResourceQuotaStatus } from '../../../kinds/resource-quota/resource-quota.ts'
import type { ResourceList } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { sumOf } from './ledger/sums.ts'
import { quotaHard } from './quota/hard.ts'
import { claimStatesOf } from './claim/states.ts'
import type { ClaimState } from './claim/state.ts'
import { claimOutcome } from './claim-outcome.ts'
import { totalsOf } from './ledger/pool-ledger.ts'
import { entriesOf } from './ledger/entries.ts'
import { hasRoom, ledgerAfter } from './ledger-change.ts'
import { beyondShare } from './ledger-share.ts'
import type { PoolOutcome } from './queue/pool-outcome.ts'
import { poolProblem } from './quota/pool-problem.ts'
import { poolStatus } from './pool-status.ts'
import { serveQueue, type Served } from './queue/queue.ts'
import { returningRoom } from './waiting/returning-room.ts'
import { type NamespaceFacts, selectNamespaces } from './select-namespaces.ts'
import type { ObstacleOf } from './quota/place.ts'
import { UsageReader } from './claim/usage-reader.ts'
import { waitingLine } from './waiting/waiting-line.ts'

export interface AllocateInput {
  /** With its status: what is allocated already stays allocated. */
  readonly pool: ResourcePool
  /** Every claim that names the pool, belongs to it, or is to be assigned to it; others do no harm. */
  readonly claims: readonly ResourcePoolClaim[]
  /** All namespaces. */
  readonly namespaces: readonly NamespaceFacts[]
  /**
   * The status of the pool's ResourceQuota, by namespace. Used claims are not reported in a namespace without such a
   * status, or while its `hard` does not yet allow what the claims got.
   */
  readonly used: Readonly<Record<string, ResourceQuotaStatus>>
  /** Returns the obstacle that keeps the pool from limiting a namespace; by default there is none. */
  readonly obstacleOf?: ObstacleOf
  /**
   * The namespaces to decide about; left out: all. The caller passes the claims, namespaces and quotas of these only.
   * The outcome holds only these, except for the status of the pool, which is complete. All other namespaces must need
   * no further look (`namespacesToReconcile`).
   */
  readonly within?: ReadonlySet<string>
  /** Milliseconds since the epoch; left out: no claim ends that has not ended yet. */
  readonly now?: number
  /** May no claim take up more of the ledger than it does? Then a server found the pool too large. */
  readonly isFrozen?: boolean
}

/**
 * Decides everything about a pool at once (docs/concepts/resource-pools.md): its namespaces, the verdict on each claim,
 * the used claims, the status and the quotas. Applied to its own outcome it changes nothing. Room that claims give up
 * is not free at once. It stays in `status.releasing` until `lowerReleases` finds that no quota allows it any more.
 * Throws QuantityError if the pool itself holds an invalid amount.
 */
export function allocate(input: AllocateInput): PoolOutcome {
  const { pool, claims, namespaces, used, within, now = -Infinity } = input
  const obstacleOf = input.obstacleOf ?? obstacleOfAll(pool)
  const hard = amountsOf(pool.spec.quota.hard)
  const defaults = amountsOf(pool.spec.defaults)
  const serves = selectNamespaces(pool, namespaces)
  const selected = within === undefined ? serves : withOthers(pool.status?.namespaces ?? [], within, serves)
  const usage = new UsageReader(used, hard, defaults)
  const first = claimStatesOf({ pool, claims, served: new Set(serves), hard, usage, now, obstacleOf })
  // Nobody knows when the room of a namespace comes back where something is in the way.
  const limited = new Set(serves.filter((name) => obstacleOf?.(name)?.keeps !== false))
  const { available } = totalsOf(hard, pool.status ?? {})
  const isFrozen = input.isFrozen === true
  const { states, queue } = serveWithin(first, (asking, states) => {
    const returning = asking.length === 0 ? {} : returningRoom(pool, states, limited)
    const queue = serveQueue(asking, { available, returning }, pool.spec.config.orderedQueue)
    const { verdicts } = queue
    const beyond = beyondShare({ pool, selected, states, asking, verdicts, within, isFrozen })
    return { queue, beyond }
  })
  const ledger = ledgerAfter({ pool, states, served: queue, within })
  const claimed = (namespace: string): ResourceList => sumOf(entriesOf(ledger.claims, namespace))

  const holders = Map.groupBy(
    states.filter((one) => hasRoom(one, queue)),
    ({ namespace }) => namespace,
  )
  const line = waitingLine(pool, states, queue.verdicts)
  const inUse = new Map<string, ReadonlySet<ClaimState> | undefined>()
  for (const [namespace, holding] of holders) inUse.set(namespace, usage.inUse(namespace, holding, claimed(namespace)))
  const frozen = states.filter(({ phase }) => phase.kind === 'holds' && phase.isFrozen === true)
  const status = poolStatus({ pool, hard, selected, ledger, exhaustions: queue.exhaustions, line, frozen })
  return {
    namespaces: selected,
    status,
    claims: states.map((one) => {
      const isUsed = inUse.get(one.namespace)?.has(one)
      const outcome =
        one.outcomes?.get(isUsed) ??
        claimOutcome(
          pool,
          one,
          { verdict: queue.verdicts.get(one), waiting: line.waiting.get(one), inUse: isUsed },
          now,
        )
      one.outcomes?.set(isUsed, outcome)
      return outcome
    }),
    quotas: new Map([
      ...(pool.status?.namespaces ?? []).flatMap((name) =>
        within?.has(name) === false ? [] : [[name, null] as const],
      ),
      ...serves.map((namespace) => [namespace, quotaHard(claimed(namespace), defaults)] as const),
    ]),
    finalizer: status.claimCount + status.namespaceCount + Object.keys(status.releasing ?? {}).length > 0,
  }
}

interface Turn {
  readonly queue: Served<ClaimState>
  /** The claims that may not have more of the ledger. */
  readonly beyond: ReadonlySet<ClaimState>
}

/** Serves the asking claims until the ledger can hold all of them. Each turn at least one namespace less asks for more. */
function serveWithin(
  first: readonly ClaimState[],
  serve: (asking: readonly ClaimState[], states: readonly ClaimState[]) => Turn,
): { readonly states: readonly ClaimState[]; readonly queue: Served<ClaimState> } {
  for (let states = first; ;) {
    const asking = states.filter(({ phase: { kind } }) => kind === 'asks' || kind === 'resizes')
    const { queue, beyond } = serve(asking, states)
    if (beyond.size === 0) return { states, queue }
    states = states.map((one) => (beyond.has(one) ? withoutEntry(one) : one))
  }
}

/** The state of a claim that the ledger has no room for. */
function withoutEntry({ claim, namespace, entry, request }: ClaimState): ClaimState {
  return {
    claim,
    namespace,
    entry,
    request,
    phase: { kind: 'decided', decision: { verdict: 'refused', reason: 'ledger-full' } },
  }
}

/** A pool of which no quota can be made gives nothing. */
function obstacleOfAll(pool: ResourcePool): ObstacleOf | undefined {
  const why = poolProblem(pool)
  return why === undefined ? undefined : () => ({ why, keeps: true })
}

/** The namespaces that were served but are not decided about, and those of `within` that are served now, sorted. */
function withOthers(
  before: readonly string[],
  within: ReadonlySet<string>,
  served: readonly string[],
): readonly string[] {
  const had = before.filter((name) => within.has(name))
  if (had.length === served.length && had.every((name, at) => name === served[at])) return before
  return [...before.filter((name) => !within.has(name)), ...served].toSorted()
}
