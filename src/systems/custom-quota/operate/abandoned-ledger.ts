import { CAPSULE_GROUP } from '../../../api/capsule.ts'
import { customQuota } from '../api/custom-quota.ts'
import { globalCustomQuota } from '../api/global-custom-quota.ts'
import type { QuantityLedger } from '../../counted/api/quantity-ledger.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import { isNotFound } from '../../../machinery/status.ts'
import { quotaAt, type QuotaPlaces } from './concerned-quota.ts'

const QUOTAS = [customQuota, globalCustomQuota]

/**
 * Does a ledger belong to no custom quota any more, neither by its place nor by what it says? Then nobody decides on it. Ledgers of other
 * quotas are left to their controllers. Rejects as `KubeClient` does.
 */
export async function isAbandoned(
  places: QuotaPlaces,
  client: Pick<KubeClient, 'get'>,
  ledger: QuantityLedger,
  signal: AbortSignal,
): Promise<boolean> {
  if (quotaAt(places, ledger) !== undefined) return false
  const { apiGroup, kind, namespace = '', name } = ledger.spec.targetRef
  const resource = apiGroup === CAPSULE_GROUP ? QUOTAS.find((one) => one.kind === kind) : undefined
  if (resource === undefined) return false
  try {
    await client.get(resource, { namespace: resource.namespaced ? namespace : '', name }, { signal })
    return false
  } catch (error) {
    if (!isNotFound(error)) throw error
    return true
  }
}
