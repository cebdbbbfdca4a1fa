import type { AllocatedClaim, ResourcePool } from '../../api/resource-pool.ts'
import type { ResourceList } from '../../../../quantity/resource-list.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import type { ClaimState } from '../claim/claim-state.ts'
import { ResourceSum } from '../amount/resource-sum.ts'

/**
 * The room that is on its way back while a pool is decided about: what it took back earlier and quotas may still allow, and
 * what claims lose that are gone, that leave or that are released. Not what is left to workloads that use it, and nothing of
 * namespaces that are not served any more: nobody knows when that is free.
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

/** Does a claim that has room keep it, as far as is known before the queue is served? */
function keeps(phase: ClaimState['phase']): boolean {
  if (phase.kind === 'settled') return phase.decision.verdict === 'held-by-use'
  return phase.kind !== 'asks'
}
