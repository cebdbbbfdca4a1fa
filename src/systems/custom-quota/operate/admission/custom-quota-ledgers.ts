import { reservationQuotaKey } from '../../decide/quota-key.ts'
import { LedgerAdmission } from '../../../counted/protocol/ledger-admission.ts'
import { LEDGER_AMOUNT } from '../../../counted/protocol/ledger-budget.ts'
import { ledgerStatus, showsAmounts } from '../../../counted/protocol/ledger-status.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { NEVER_ABORTED, pause } from '../../../../kube/time/clock.ts'
import { timestamp } from '../../../../runtime/time/timestamp.ts'
import { newInstanceId } from '../../../counted/replica/instance-id.ts'
import { patienceOf } from '../../../counted/replica/patience.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import type { LedgerCache } from '../../../counted/replica/ledger-cache.ts'
import type { CustomQuotaTracker } from '../tracking/custom-quota-tracker.ts'
import type { TrackedQuota } from '../tracking/tracked-custom-quota.ts'
import { CountedViews } from './counted-views.ts'
import { KeptLedger } from '../../../counted/replica/kept-ledger.ts'

/** How long a process that ends tries to give back what it reserved ahead. */
const END_MS = 2_000

export interface CustomQuotaLedgersOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock'>
  readonly tracker: CustomQuotaTracker
  readonly ledgers: LedgerCache
  /** How long an API server goes on with a request at most, in milliseconds. */
  readonly requestTimeoutMs: number
}

/** The ledger of one quota, as this replica uses it. */
export interface CustomQuotaLedger {
  readonly uid: string | undefined
  readonly admission: LedgerAdmission
  readonly views: CountedViews
  readonly store: KeptLedger
}

/** The ledgers of all quotas that were asked for, each once. */
export class CustomQuotaLedgers {
  readonly #options: CustomQuotaLedgersOptions
  readonly #known = new Map<string, CustomQuotaLedger>()
  /** Names this process in the ledgers that it reserves room in ahead of requests. */
  readonly #instanceId = newInstanceId()

  constructor(options: CustomQuotaLedgersOptions) {
    const { tracker } = options
    this.#options = options
    tracker.onChange((key) => {
      if (tracker.get(key) === undefined) this.#known.delete(key)
    })
  }

  /** The ledger of a quota: the same one for as long as it is the same quota. */
  of(tracked: TrackedQuota): CustomQuotaLedger {
    const { key, quota } = tracked
    const known = this.#known.get(key)
    if (known !== undefined && known.uid === quota.metadata.uid) return known
    const made = this.#make(tracked)
    this.#known.set(key, made)
    return made
  }

  /**
   * Gives back the advances of this process, which ends. An advance that cannot be given back in time lapses, as that of a replica
   * that crashed.
   */
  async end(): Promise<void> {
    const { clock } = this.#options.context
    const ended = Promise.allSettled(this.#known.values().map(({ admission }) => admission.end()))
    const inTime = new AbortController()
    await Promise.race([ended, pause(clock, END_MS, inTime.signal)])
    inTime.abort()
  }

  #make({ key, ref, quota }: TrackedQuota): CustomQuotaLedger {
    const { context, tracker, ledgers, requestTimeoutMs } = this.#options
    const { client, clock } = context
    const patience = patienceOf(requestTimeoutMs)
    const store = new KeptLedger(ledgers, quota, clock)
    const views = new CountedViews({ client, tracker, store, key })
    const admission = new LedgerAdmission({
      ref,
      store,
      views,
      limits: () => ({ [LEDGER_AMOUNT]: tracker.get(key)?.compiled?.limit ?? Quantity.zero }),
      clock: clock.monotonic,
      statusOf: (state, old) =>
        ledgerStatus(state, old, {
          quotaKey: reservationQuotaKey(ref),
          now: timestamp(clock.now()),
          expiresAt: timestamp(clock.now() + patience),
        }),
      shows: showsAmounts,
      onRelease: () => tracker.noteChange(key),
      patience,
      ahead: { owner: this.#instanceId, sleep: (ms) => clock.sleep(ms, NEVER_ABORTED) },
    })
    return { uid: quota.metadata.uid, admission, views, store }
  }
}
