import type { Registry } from '@prometheus-io/client'
import { itemSeries } from '../decide/item-series.ts'
import { CUSTOM_QUOTA_METRICS, customQuotaMetrics, type QuotaSample } from '../decide/quota-metrics.ts'
import { QuantityError } from '../../../quantity/quantity.ts'
import { showGauges } from '../../../operator/shell/read-gauges.ts'
import type { AnyQuota } from './tracking/tracked-custom-quota.ts'

/** Shows Prometheus what custom quotas are like. `quotas` gives all of both kinds. */
export function showQuotaMetrics(registry: Registry, quotas: () => readonly AnyQuota[]): void {
  showGauges(registry, CUSTOM_QUOTA_METRICS, () => samplesOf(quotas()))
}

function* samplesOf(quotas: readonly AnyQuota[]): Iterable<QuotaSample> {
  const series = itemSeries(quotas)
  for (const quota of quotas)
    try {
      yield* customQuotaMetrics(quota, series(quota))
    } catch (error) {
      // A quota whose limit is not an amount has no figures.
      if (!(error instanceof QuantityError)) throw error
    }
}
