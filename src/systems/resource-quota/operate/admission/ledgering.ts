import type { LedgerViews } from '../../../counted/protocol/kind-view.ts'
import { type LedgerState, totalsOf } from '../../../counted/protocol/ledger-state.ts'
import { type LedgerStatus, ledgerStatus } from '../../../counted/protocol/ledger-status.ts'
import type { QuotaLedgering } from '../../../counted/adapter.ts'
import { limitOf } from '../../decide/ledger-amounts.ts'
import { formatResourceList, removeZeros } from '../../../../quantity/resource-list.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import type { TrackedResourceQuota } from './tracked-quota.ts'
import { SOLE_NAMESPACE_SHARE } from '../../../counted/protocol/namespace-share.ts'

/** API servers do not number the specs of ResourceQuotas. */
const GENERATION = 1
/** Of limits that hold until no request can be stored any more that another replica allowed by earlier ones. */
export const LATER_GENERATION = GENERATION + 1

/** The ledgers of ResourceQuotas: one part for each limit that the objects of a resource count towards. */
export const RESOURCE_QUOTA_LEDGERING: QuotaLedgering<TrackedResourceQuota> = {
  kindOf: () => RESOURCE_QUOTAS,
  limitsOf: ({ hard }) => hard,
  options: { amountOf: limitOf, share: SOLE_NAMESPACE_SHARE },
  statusOf: ({ key: quotaKey, state, now, expiresAt }, old) =>
    readableStatus(state, ledgerStatus(state, old, { quotaKey, now, expiresAt })),
  viewsOf: ({ rule, widenedBy }): Omit<LedgerViews, 'kinds'> => {
    const has = (part: string): boolean => rule.names.includes(limitOf(part))
    return { generation: GENERATION, selection: '', unnumbered: { has, widenedBy } }
  },
}

/** Fields in which a ledger of one amount has its sum. */
const SUMS: ReadonlySet<string> = new Set(['reserved', 'allocated'])

/** The status with the amounts of each limit, for people, in the place of sums of unlike amounts. */
function readableStatus(state: LedgerState, status: LedgerStatus): LedgerStatus {
  const others = Object.fromEntries(Object.entries(status).filter(([field]) => !SUMS.has(field))) as LedgerStatus
  return {
    ...others,
    resourceQuota: {
      allocated: formatResourceList(totalsOf(state, limitOf)),
      reserved: formatResourceList(removeZeros(totalsOf({ ...state, parts: new Map() }, limitOf))),
    },
  }
}
