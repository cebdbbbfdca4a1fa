import type { ConditionIn } from '../../../api/condition-table.ts'
import type { POOL_CONDITIONS } from '../api/pool-conditions.ts'
import { STALLED } from '../../../api/progress.ts'
import { EXHAUSTED, FAILED, NO_EXHAUSTIONS, POOL_EXHAUSTED, READY, SUCCEEDED } from '../api/pool-names.ts'
import type { PoolExhaustion, PoolFrozenClaim, ResourcePool } from '../api/resource-pool.ts'
import { setOwn } from '../../../machinery/json-value.ts'
import { clampToZero } from '../../../quantity/limit.ts'
import type { ResourceList } from '../../../quantity/resource-list.ts'
import type { ClaimState } from './claim/state.ts'
import { timeText } from '../../../machinery/text/time.ts'
import { jsonOf, totalsOf } from './ledger/pool-ledger.ts'
import type { PoolLedgerState } from './ledger-change.ts'
import { HAS_EXHAUSTIONS, NOTHING_EXHAUSTED, RECONCILED } from './queue/messages.ts'
import { limitRangeErrors } from './limit-range/pool-limit-range.ts'
import type { PoolStatusFacts } from './queue/pool-outcome.ts'
import { distinctSentences, poolProblem, selectorErrors } from './quota/pool-problem.ts'
import type { Exhaustion } from './queue/queue.ts'
import { bounded } from './amount/shorten-text.ts'
import { LISTED } from './waiting/waiting.ts'
import type { WaitingLine } from './waiting/waiting-line.ts'

export interface PoolStatusInput {
  readonly pool: ResourcePool
  readonly hard: ResourceList
  readonly selected: readonly string[]
  readonly ledger: PoolLedgerState
  readonly exhaustions: ReadonlyMap<string, Exhaustion>
  readonly line: WaitingLine
  /** The claims that have ended and keep what they have. */
  readonly frozen: readonly ClaimState[]
}

/** The status of a pool, as Go prints it: empty maps and lists are left out. */
export function poolStatus({
  pool,
  hard,
  selected,
  ledger,
  exhaustions,
  line,
  frozen,
}: PoolStatusInput): PoolStatusFacts {
  const { claims, releasing } = ledger
  const { used, available } = totalsOf(hard, ledger)
  const left = Object.fromEntries(Object.entries(available).map(([name, amount]) => [name, clampToZero(amount)]))
  const isExhausted = exhaustions.size > 0
  const problem = poolProblem(pool) ?? distinctSentences([...selectorErrors(pool), ...limitRangeErrors(pool)])
  const { generation } = pool.metadata
  const observed = typeof generation === 'number' ? { observedGeneration: generation } : {}
  return {
    ...observed,
    namespaceCount: selected.length,
    claimCount: Object.values(claims).reduce((sum, entries) => sum + entries.length, 0),
    ...(selected.length === 0 ? {} : { namespaces: selected }),
    ...(Object.keys(claims).length === 0 ? {} : { claims }),
    allocation: allocationOf(hard, used, left),
    ...(isExhausted ? { exhaustions: exhaustionsOf(exhaustions) } : {}),
    ...(Object.keys(releasing).length === 0 ? {} : { releasing }),
    ...(line.count === 0 ? {} : { waitingCount: line.count, waiting: line.first }),
    ...(frozen.length === 0 ? {} : { frozenCount: frozen.length, frozen: frozen.slice(0, LISTED).map(listed) }),
    ...(line.blockedBy === undefined ? {} : { blockedBy: line.blockedBy }),
    conditions: [
      readyCondition(problem),
      isExhausted
        ? { type: EXHAUSTED, status: 'True', reason: POOL_EXHAUSTED, message: HAS_EXHAUSTIONS, ...observed }
        : { type: EXHAUSTED, status: 'False', reason: NO_EXHAUSTIONS, message: NOTHING_EXHAUSTED, ...observed },
      // Only who changes the spec can help.
      ...(problem === undefined
        ? []
        : [{ ...readyCondition(problem), type: STALLED, status: 'True', reason: FAILED } as const]),
    ],
  }
}

const listed = ({ namespace, claim: { metadata }, end }: ClaimState): PoolFrozenClaim => ({
  namespace,
  name: metadata.name ?? '',
  endedAt: timeText(end?.endsAt ?? 0),
})

/** The condition Ready: False with the problem where there is one. It never has an observedGeneration, as in Capsule. */
export function readyCondition(problem: string | undefined): ConditionIn<typeof POOL_CONDITIONS, 'Ready'> {
  return problem === undefined
    ? { type: READY, status: 'True', reason: SUCCEEDED, message: RECONCILED }
    : { type: READY, status: 'False', reason: FAILED, message: bounded(problem) }
}

function allocationOf(
  hard: ResourceList,
  used: ResourceList,
  available: ResourceList,
): NonNullable<PoolStatusFacts['allocation']> {
  const [hardJson, usedJson, availableJson] = [jsonOf(hard), jsonOf(used), jsonOf(available)]
  return {
    ...(hardJson === undefined ? {} : { hard: hardJson }),
    ...(usedJson === undefined ? {} : { used: usedJson }),
    ...(availableJson === undefined ? {} : { available: availableJson }),
  }
}

function exhaustionsOf(exhaustions: ReadonlyMap<string, Exhaustion>): Readonly<Record<string, PoolExhaustion>> {
  const result: Record<string, PoolExhaustion> = {}
  for (const resource of [...exhaustions.keys()].toSorted()) {
    const exhaustion = exhaustions.get(resource)
    if (exhaustion === undefined) continue
    const { available, requesting } = exhaustion
    setOwn(result, resource, {
      // Go leaves a zero out here.
      ...(available.sign() > 0 ? { available: available.toString() } : {}),
      requesting: requesting.toString(),
    })
  }
  return result
}
