import type { Registry } from '@prometheus-io/client'
import { CUSTOM_QUOTA_METRICS, customQuotaMetrics, type QuotaSample } from '../decide/quota-metrics.ts'
import { QuantityError } from '../../../quantity/quantity.ts'
import { showGauges } from '../../../operator/shell/read-gauges.ts'
import type { AnyQuota } from './tracking/tracked-custom-quota.ts'

/** Shows Prometheus what custom quotas are like. `quotas` gives all of both kinds. */
export function showQuotaMetrics(registry: Registry, quotas: () => Iterable<AnyQuota>): void {
  showGauges(registry, CUSTOM_QUOTA_METRICS, () => samplesOf(quotas()))
}

function* samplesOf(quotas: Iterable<AnyQuota>): Iterable<QuotaSample> {
  for (const quota of quotas)
    try {
      yield* customQuotaMetrics(quota)
    } catch (error) {
      // A quota whose limit is not an amount has no figures.
      if (!(error instanceof QuantityError)) throw error
    }
}
