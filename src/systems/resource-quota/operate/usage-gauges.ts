import type { ResourceQuota } from '../../../api/resource-quota/resource-quota.ts'
import { shareStrings, type StringPool } from '../../../kube/cache/string-pool.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { keepEqual } from '../../../operator/cluster/keep-equal.ts'
import { showGauges } from '../../../operator/shell/read-gauges.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { type LimitedQuota, limitGauges, limitSamples } from '../../generated-quota/decide/limit-metrics.ts'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'

const METRICS = { prefix: 'allot_resourcequota', label: 'resource_quota', kind: RESOURCE_QUOTAS.kind }

/** Shows Prometheus the limits and the usage of all ResourceQuotas, whoever made and counts them. */
export function showUsage(
  { caches, registry }: Pick<OperatorContext, 'caches' | 'registry'>,
  isIgnored: (quota: ResourceQuota) => boolean,
): void {
  const quotas = caches.optionalView<LimitedQuota>({ kind: RESOURCE_QUOTAS, keep: keepAmounts })
  showGauges(registry, limitGauges(METRICS), () =>
    limitSamples(
      METRICS,
      quotas.list().filter((quota) => !isIgnored(quota as ResourceQuota)),
    ),
  )
}

function keepAmounts(object: KubeObject, share: StringPool, old: LimitedQuota | undefined): LimitedQuota {
  const { metadata, status = {} } = object as LimitedQuota
  const { namespace = '', name = '' } = metadata
  const kept = { metadata: { namespace: share(namespace), name: share(name) }, status: shareStrings(status, share) }
  return keepEqual<LimitedQuota>(kept, old)
}
