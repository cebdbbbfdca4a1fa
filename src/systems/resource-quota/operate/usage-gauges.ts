import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { type LimitReading, limitReadings } from '../../../insight/history/limit-reading.ts'
import { showGauges } from '../../../operator/shell/read-gauges.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { limitGauges, limitSamples } from '../../generated-quota/decide/limit-metrics.ts'
import { keepLimits, RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'

/**
 * How the metrics of ResourceQuotas are called.
 *
 * @public for the reference of metrics
 */
export const RESOURCE_QUOTA_METRICS = {
  prefix: 'allot_resourcequota',
  label: 'resource_quota',
  kind: RESOURCE_QUOTAS.kind,
}

/**
 * Shows Prometheus the limits and the usage of all ResourceQuotas, whoever made and counts them. Gives what reads them.
 */
export function showUsage(
  { caches, registry }: Pick<OperatorContext, 'caches' | 'registry'>,
  isIgnored: (quota: ResourceQuota) => boolean,
): () => Iterable<LimitReading> {
  const quotas = caches.optionalView({ kind: RESOURCE_QUOTAS, keep: keepLimits })
  const shown = (): readonly ResourceQuota[] => quotas.list().filter((quota) => !isIgnored(quota))
  showGauges(registry, limitGauges(RESOURCE_QUOTA_METRICS), () => limitSamples(RESOURCE_QUOTA_METRICS, shown()))
  return function* () {
    for (const { metadata, status } of shown())
      yield* limitReadings(RESOURCE_QUOTA_METRICS.kind, metadata, status?.hard, status?.used)
  }
}
