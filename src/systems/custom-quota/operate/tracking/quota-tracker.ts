import type { QuotaCompileOptions } from '../../decide/compile-quota.ts'
import { QuotaTracker } from '../../../counted/quota-tracker.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import { CustomQuotaTracking } from './quota-tracking.ts'
import type { TrackedQuota } from './tracked-quota.ts'

/** All custom quotas as this replica knows them. */
export class CustomQuotaTracker extends QuotaTracker<TrackedQuota> {
  readonly tracking: CustomQuotaTracking

  constructor(context: Pick<OperatorContext, 'caches' | 'client' | 'clock' | 'logger'>, compile: QuotaCompileOptions) {
    const tracking = new CustomQuotaTracking(context, compile)
    super({ context, tracking, areCrdsNeeded: true })
    this.tracking = tracking
    this.begin()
  }

  get customQuotas(): CustomQuotaTracking['customQuotas'] {
    return this.tracking.customQuotas
  }

  get globalQuotas(): CustomQuotaTracking['globalQuotas'] {
    return this.tracking.globalQuotas
  }

  get namespaces(): CustomQuotaTracking['namespaces'] {
    return this.tracking.namespaces
  }

  get unserved(): CustomQuotaTracking['unserved'] {
    return this.tracking.unserved
  }
}
