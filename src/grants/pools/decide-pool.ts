import type { ResourceQuotaStatus } from '../../api/resource-quota/resource-quota.ts'
import { setOwn } from '../../machinery/json-value.ts'
import { allocate, type AllocateInput } from './allocate.ts'
import type { PoolOutcome } from './pool-outcome.ts'
import type { Quotas } from './quota-view.ts'
import { settleReleases, type SettleInput } from './settle-releases.ts'

export interface DecidePoolInput extends Omit<AllocateInput, 'used'>, SettleInput {}

/**
 * What a pool's controller decides in one go: releases as far as they have come, and on that the whole outcome. Write its
 * status first (`poolStatusChange` of the pool that was given, with its resourceVersion), then the quotas (`nextSteps` of the
 * pool as it then is), then the claims.
 */
export function decidePool({ pool, claims, namespaces, quotas, gone, book, within }: DecidePoolInput): PoolOutcome {
  const shared = { ...(book === undefined ? {} : { book }), ...(within === undefined ? {} : { within }) }
  const settled = settleReleases({ pool, quotas, ...(gone === undefined ? {} : { gone }), ...shared })
  const outcome = allocate({ pool: settled, claims, namespaces, used: statusesOf(quotas), ...shared })
  // A pool that goes waits for its quotas, so that one of the same name does not find them.
  const isLeaving = pool.metadata.deletionTimestamp !== undefined
  return isLeaving && quotas.size > 0 ? { ...outcome, finalizer: true } : outcome
}

function statusesOf(quotas: Quotas): Readonly<Record<string, ResourceQuotaStatus>> {
  const statuses: Record<string, ResourceQuotaStatus> = {}
  for (const [namespace, { status }] of quotas) if (status !== undefined) setOwn(statuses, namespace, status)
  return statuses
}
