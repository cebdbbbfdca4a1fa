import { customQuota } from '../api/custom-quota.ts'
import { globalCustomQuota } from '../api/global-custom-quota.ts'
import type { QuantityLedger } from '../../counted/api/quantity-ledger.ts'
import { type LedgerCache, targetKey } from '../../counted/replica/ledger-cache.ts'
import type { CustomQuotaTracker } from './tracking/quota-tracker.ts'
import { quotaKey } from '../../counted/replica/ledger-name.ts'
import type { TrackedQuota } from './tracking/tracked-quota.ts'
import { CAPSULE_GROUP } from '../../../api/capsule.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import { isNotFound } from '../../../machinery/status.ts'

export interface QuotaPlaces {
  readonly tracker: Pick<CustomQuotaTracker, 'get' | 'customQuotas'>
  readonly ledgers: Pick<LedgerCache, 'placeOf' | 'isMarked' | 'isForeign'>
}

/**
 * The key of the quota that has to look at its ledger after a change. That is so when the ledger went, is new or was emptied, or when
 * somebody other than a replica changed it. Undefined after what replicas write all the time.
 */
export function concernedKey(
  places: QuotaPlaces,
  old: QuantityLedger | undefined,
  current: QuantityLedger | undefined,
): string | undefined {
  const ledger = current ?? old
  if (ledger === undefined) return undefined
  const tracked = quotaAt(places, ledger)
  if (tracked === undefined) return undefined
  return current !== undefined && isAsKept(places, current, tracked) ? undefined : tracked.key
}

function isAsKept({ ledgers }: QuotaPlaces, ledger: QuantityLedger, { quota }: TrackedQuota): boolean {
  return (ledger.status?.outstanding ?? '') !== '' && ledgers.isMarked(ledger, quota) && !ledgers.isForeign(ledger)
}

/** The quota whose ledger has this place, whatever the ledger says. */
export function quotaAt({ tracker, ledgers }: QuotaPlaces, ledger: QuantityLedger): TrackedQuota | undefined {
  const { namespace = '', name = '' } = ledger.metadata
  const isHere = (key: string): TrackedQuota | undefined => {
    const tracked = tracker.get(key)
    const place = tracked === undefined ? undefined : ledgers.placeOf(tracked.quota)
    return place?.namespace === namespace && place.name === name ? tracked : undefined
  }
  const found =
    isHere(targetKey(ledger)) ??
    isHere(quotaKey({ kind: customQuota.kind, metadata: { namespace, name } })) ??
    isHere(quotaKey({ kind: globalCustomQuota.kind, metadata: { name } }))
  if (found !== undefined) return found
  // Ledgers of quotas beside those of global ones have other names.
  for (const quota of tracker.customQuotas.list(namespace)) {
    const tracked = isHere(quotaKey(quota))
    if (tracked !== undefined) return tracked
  }
  return undefined
}

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
