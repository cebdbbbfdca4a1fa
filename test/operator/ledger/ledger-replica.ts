import { onTestFinished } from 'vitest'
import { customQuota } from '../../../src/systems/custom-quota/api/custom-quota.ts'
import type { KubeClient } from '../../../src/kube/client/kube-client.ts'
import type { LedgerOwner } from '../../../src/systems/counted/replica/ledger-name.ts'
import { QuantityLedgerStore } from '../../../src/systems/counted/replica/quantity-ledger-store.ts'
import { LedgerCache } from '../../../src/systems/counted/replica/ledger-cache.ts'
import type { LedgerSeal } from '../../../src/operator/cluster/ledger-seal.ts'
import { SharedCaches } from '../../../src/operator/shell/shared-caches.ts'
import { silentLogger } from '../../../src/runtime/process/logger.ts'
import { ManualClock } from '../../kube/manual-clock.ts'

/** A CustomQuota `n/q` of this uid: one that is made again under its name has another. */
export const quotaOf = (uid: string): LedgerOwner =>
  customQuota.read({
    apiVersion: customQuota.apiVersion,
    kind: customQuota.kind,
    metadata: { namespace: 'n', name: 'q', uid },
    spec: { limit: 1, sources: [] },
  })

/** The ledgers of a replica that watches an API server, until its test ends. */
export async function watchingReplica(client: KubeClient, seal: LedgerSeal) {
  const clock = new ManualClock()
  const caches = new SharedCaches({ client, clock, logger: silentLogger })
  const ledgers = new LedgerCache({ client, caches: caches as never, systemNamespace: 'system', seal })
  caches.start()
  onTestFinished(() => caches.stop())
  await ledgers.view.whenSynced()
  // A replica that lost a race tries again at once.
  const hasty = { monotonic: clock.monotonic, random: () => 0, sleep: () => Promise.resolve() }
  return {
    ledgers,
    storeOf: (quota: LedgerOwner) => new QuantityLedgerStore(ledgers, quota, hasty),
    stop: () => caches.stop(),
  }
}
