import type { AllocatedClaim, ResourcePool } from '../../api/resource-pool.ts'
import type { ResourceList } from '../../../../quantity/resource-list.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import type { ClaimState } from '../claim/state.ts'
import { ResourceSum } from '../amount/resource-sum.ts'

/**
 * Returns the room that will soon be free: amounts in release, and amounts of claims that are gone, leave or are
 * released. It does not include amounts that are left to workloads, or amounts of namespaces that are no longer served.
 * Nobody knows when these become free.
 */
export function returningRoom(
  pool: ResourcePool,
  states: readonly ClaimState[],
  served: ReadonlySet<string>,
): ResourceList {
  const { claims = {}, releasing = {} } = pool.status ?? {}
  const room = new ResourceSum()
  for (const [namespace, { token, room: amounts }] of Object.entries(releasing))
    if (token !== undefined && served.has(namespace)) room.add(amountsOf(amounts))
  const kept = new Set<AllocatedClaim>()
  for (const { entry, phase } of states) if (entry !== undefined && keeps(phase)) kept.add(entry)
  for (const [namespace, entries] of Object.entries(claims))
    if (served.has(namespace)) for (const entry of entries) if (!kept.has(entry)) room.add(amountsOf(entry.claims))
  return room.list()
}

/** Reports whether a claim keeps its room, as far as this is known before the queue is served. */
function keeps(phase: ClaimState['phase']): boolean {
  if (phase.kind === 'decided') return phase.decision.verdict === 'held-by-use'
  return phase.kind !== 'asks'
}
