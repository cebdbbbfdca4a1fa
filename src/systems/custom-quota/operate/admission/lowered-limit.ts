import { LEDGER_AMOUNT } from '../../../counted/protocol/ledger-budget.ts'
import { LedgerUnavailable, RETRY_SECONDS } from '../../../counted/protocol/ledger-errors.ts'
import type { Lowering } from '../../../counted/protocol/ledger-state.ts'
import { ApiError } from '../../../../machinery/status.ts'
import { wholeNumber } from '../../../../machinery/json-value.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import type { Clock } from '../../../../kube/time/clock.ts'
import { type AdmissionDecision, allowed, retryLater } from '../../../../runtime/admission/decision.ts'
import { quotaKey } from '../../../counted/replica/ledger-name.ts'
import type { CustomQuotaTracker } from '../tracking/quota-tracker.ts'
import type { AnyQuota } from '../tracking/tracked-quota.ts'
import type { QuotaLedgers } from '../../../counted/quota-ledgers.ts'
import type { TrackedQuota } from '../tracking/tracked-quota.ts'

/** An update of a quota that lowers its limit. */
export interface LoweredLimit {
  readonly quota: AnyQuota
  readonly lowering: Omit<Lowering, 'since'>
}

/** Returns how an update of a quota lowers its limit; undefined where it does not. */
export function loweredLimit(quota: AnyQuota, old: AnyQuota): LoweredLimit | undefined {
  const limit = Quantity.fromJson(quota.spec.limit)
  if (limit.cmp(Quantity.fromJson(old.spec.limit)) >= 0) return undefined
  const generation = Number(wholeNumber(old.metadata.generation) ?? 0n) + 1
  return { quota: old, lowering: { generation, limits: { [LEDGER_AMOUNT]: limit } } }
}

export interface LimitLowererOptions {
  readonly tracker: Pick<CustomQuotaTracker, 'get'>
  readonly ledgers: Pick<QuotaLedgers<TrackedQuota>, 'of'>
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * Returns what has the ledger of a quota hold a lower limit before the update with it is allowed. Replicas that do not know of the
 * update yet go by it from then on.
 */
export function limitLowerer({ tracker, ledgers, clock }: LimitLowererOptions) {
  return async ({ quota, lowering }: LoweredLimit, withinMs: number): Promise<AdmissionDecision> => {
    const tracked = tracker.get(quotaKey(quota))
    if (tracked === undefined) return retryLater('the quota is not known to the operator yet', RETRY_SECONDS)
    try {
      await ledgers.of(tracked).admission.lower(lowering, clock.monotonic() + withinMs)
      return allowed()
    } catch (error) {
      if (error instanceof LedgerUnavailable || error instanceof ApiError)
        return retryLater(`the limit cannot be lowered now: ${error.message}`, RETRY_SECONDS)
      throw error
    }
  }
}
