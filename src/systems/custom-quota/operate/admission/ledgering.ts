import { conditionOf } from '../../../../api/condition.ts'
import { ENFORCED, ENFORCEMENT_OFF } from '../../api/quota-names.ts'
import { isFoundReady } from '../../decide/found-ready.ts'
import { customQuota } from '../../api/custom-quota.ts'
import { globalCustomQuota } from '../../api/global-custom-quota.ts'
import { reservationQuotaKey } from '../../decide/quota-key.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { isOlder } from '../../../../machinery/resource-version.ts'
import type { KeptNamespace } from '../../../../operator/cluster/keep-namespace.ts'
import type { CacheView } from '../../../../operator/shell/shared-watch.ts'
import type { QuotaLedgering } from '../../../counted/adapter.ts'
import { within } from '../../../counted/count/catch-up.ts'
import { LEDGER_AMOUNT } from '../../../counted/protocol/ledger-budget.ts'
import { ledgerStatus, showsAmounts } from '../../../counted/protocol/ledger-status.ts'
import type { TrackedQuota } from '../tracking/tracked-quota.ts'

/** The kind of a quota. */
export const kindOf: QuotaLedgering<TrackedQuota>['kindOf'] = ({ ref }) =>
  ref.kind === globalCustomQuota.kind ? globalCustomQuota : customQuota

/** The ledgers of custom quotas: one amount, with a part for each kind, and room held ahead of requests. */
export const customQuotaLedgering = (
  namespaces: Pick<CacheView<KeptNamespace>, 'version' | 'refresh'>,
): QuotaLedgering<TrackedQuota> => ({
  kindOf,
  limitsOf: ({ compiled }) => ({ [LEDGER_AMOUNT]: compiled?.limit ?? Quantity.zero }),
  options: {},
  holdsAhead: true,
  statusOf: ({ ref, state, now, expiresAt }, old) =>
    ledgerStatus(state, old, { quotaKey: reservationQuotaKey(ref), now, expiresAt }),
  shows: (status, { state }) => showsAmounts(status, state),
  viewsOf: ({ generation, widenedAt, namespaces: selected }) => {
    const { version } = namespaces
    return version === undefined
      ? undefined
      : { generation, widenedAt, selection: selected === undefined ? '' : version }
  },
  catchUp: async ({ namespaces: selected }, parts, signal) => {
    if (selected === undefined) return
    const { version } = namespaces
    if (version === undefined || parts.values().some(({ selection }) => isOlder(version, selection)))
      await within(namespaces.refresh(), signal)
  },
})

/** Reports whether an earlier ledger of the custom quota may have allowed requests. Its status then says that it was ready, or was closed since. */
export function hasAllowed({ quota: { status } }: TrackedQuota): boolean {
  return isFoundReady(status) && conditionOf(status?.conditions, ENFORCED)?.reason !== ENFORCEMENT_OFF
}
