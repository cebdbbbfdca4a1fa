import { LedgerAdmission } from '../../../counted/protocol/ledger-admission.ts'
import { type LedgerState, totalsOf } from '../../../counted/protocol/ledger-state.ts'
import { type LedgerStatus, ledgerStatus, readLedger } from '../../../counted/protocol/ledger-status.ts'
import { limitOf } from '../../decide/ledger-amounts.ts'
import { formatResourceList, removeZeros, type ResourceList } from '../../../../quantity/resource-list.ts'
import { timestamp } from '../../../../runtime/time/timestamp.ts'
import { KeptLedger } from '../../../counted/replica/kept-ledger.ts'
import type { LedgerCache } from '../../../counted/replica/ledger-cache.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import { patienceOf } from '../../../counted/replica/patience.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import { ResourceQuotaViews } from './resource-quota-views.ts'
import type { ResourceQuotaTracker } from './resource-quota-tracker.ts'
import type { TrackedResourceQuota } from './tracked-resource-quota.ts'

export interface ResourceQuotaLedgersOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock'>
  readonly tracker: ResourceQuotaTracker
  readonly ledgers: LedgerCache
  /** How long an API server goes on with a request at most, in milliseconds. */
  readonly requestTimeoutMs: number
}

/** The ledger of one ResourceQuota, as this replica uses it. */
export interface ResourceQuotaLedger {
  readonly admission: LedgerAdmission
  readonly views: ResourceQuotaViews
  readonly store: KeptLedger
}

/** A pod has one reservation for each limit that it raises, and no namespace shares a ledger with another. */
const SHARE = 1024

/** The object that a ledger belongs to. */
export const ownerOf = ({ quota }: TrackedResourceQuota) => ({
  apiVersion: RESOURCE_QUOTAS.version,
  kind: RESOURCE_QUOTAS.kind,
  metadata: quota.metadata,
})

/** The ledgers of ResourceQuotas, each made once. */
export class ResourceQuotaLedgers {
  readonly #options: ResourceQuotaLedgersOptions
  readonly #known = new WeakMap<TrackedResourceQuota, ResourceQuotaLedger>()

  constructor(options: ResourceQuotaLedgersOptions) {
    this.#options = options
  }

  /** The ledger of a quota: the same one for as long as the quota counts the same. */
  readonly of = (tracked: TrackedResourceQuota): ResourceQuotaLedger => {
    const known = this.#known.get(tracked)
    if (known !== undefined) return known
    const made = this.#make(tracked)
    this.#known.set(tracked, made)
    return made
  }

  #make(tracked: TrackedResourceQuota): ResourceQuotaLedger {
    const { context, tracker, ledgers, requestTimeoutMs } = this.#options
    const { client, clock } = context
    const { key, ref } = tracked
    const patience = patienceOf(requestTimeoutMs)
    const store = new KeptLedger(ledgers, ownerOf(tracked), clock)
    const views = new ResourceQuotaViews({ client, tracker, store, key })
    const admission = new LedgerAdmission({
      ref,
      store,
      views,
      limits: () => tracker.get(key)?.hard ?? {},
      amountOf: limitOf,
      clock: clock.monotonic,
      statusOf: (state, old) =>
        readableStatus(
          state,
          ledgerStatus(state, old, {
            quotaKey: key,
            now: timestamp(clock.now()),
            expiresAt: timestamp(clock.now() + patience),
          }),
        ),
      patience,
      share: SHARE,
      onRelease: () => tracker.noteChange(key),
    })
    return { admission, views, store }
  }
}

/** Returns how much of each limit a ledger counts and has reserved, as this replica knows it; undefined where there is nothing to read. */
export function totalsIn({ store }: Pick<ResourceQuotaLedger, 'store'>): ResourceList | undefined {
  const read = readLedger(store.read()?.status)
  return read.type === 'ledger' ? totalsOf(read.state, limitOf) : undefined
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
