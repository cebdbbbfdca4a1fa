import { conditionOf } from '../../../api/condition.ts'
import type { QuotaClaim, QuotaUsage } from '../api/quota-fields.ts'
import type { CustomQuotaSpec, CustomQuotaStatus } from '../api/custom-quota.ts'
import type { Gauge, GaugeSample } from '../../../machinery/gauge.ts'
import type { ObjectMeta } from '../../../machinery/object.ts'
import { decimalOf, percentageOf } from '../../../quantity/exact-decimal.ts'
import { Quantity } from '../../../quantity/quantity.ts'

export type QuotaMetricName = keyof typeof CUSTOM_QUOTA_METRICS

export type QuotaSample = GaugeSample<keyof typeof CUSTOM_QUOTA_METRICS>

const NAMESPACED: readonly string[] = ['custom_quota', 'target_namespace']
const GLOBAL: readonly string[] = ['custom_quota']
const ITEM: readonly string[] = ['name', 'target_namespace', 'kind', 'group']

const gauge = (help: string, labels: readonly string[]): Gauge => ({ help, labels: [...new Set(labels)] })

/** The gauges of custom quotas, with the names and help texts of Capsule; the last is our own. */
export const CUSTOM_QUOTA_METRICS = {
  capsule_custom_quota_condition: gauge('Provides per custom quota condition status', [...NAMESPACED, 'condition']),
  capsule_custom_quota_resource_available: gauge('Available resources for given custom quota', NAMESPACED),
  capsule_custom_quota_resource_item_usage: gauge('Claimed resources from given item', [...NAMESPACED, ...ITEM]),
  capsule_custom_quota_resource_limit: gauge('Current resource limit for given custom quota', NAMESPACED),
  capsule_custom_quota_resource_usage: gauge('Current resource usage for given custom quota', NAMESPACED),
  capsule_custom_quota_resource_usage_percentage: gauge(
    'Current resource usage (%) for given custom quota',
    NAMESPACED,
  ),
  capsule_global_custom_quota_condition: gauge('Provides per global custom quota condition status', [
    ...GLOBAL,
    'condition',
  ]),
  capsule_global_custom_quota_resource_available: gauge('Available resources for given global_custom quota', GLOBAL),
  capsule_global_custom_quota_resource_item_usage: gauge('Claimed resources from given item', [...GLOBAL, ...ITEM]),
  capsule_global_custom_quota_resource_limit: gauge('Current resource limit for given global custom quota', GLOBAL),
  capsule_global_custom_quota_resource_usage: gauge('Current resource usage for given global custom quota', GLOBAL),
  capsule_global_custom_quota_resource_usage_percentage: gauge(
    'Current resource usage (%) for given global custom quota',
    GLOBAL,
  ),
  allot_custom_quota_items_without_series: gauge(
    'Objects that a custom quota counts and that have no series of their own, although the quota asks for them',
    NAMESPACED,
  ),
} as const

/** A quota of either kind, as its metrics read it. */
export interface MeasuredQuota {
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly spec: Pick<CustomQuotaSpec, 'limit' | 'options'>
  readonly status?: Pick<CustomQuotaStatus, 'usage' | 'claims' | 'omittedClaims' | 'conditions'>
}

/**
 * Every series of a quota as its status is now; what is not among them is to be deleted. Objects have series of their own
 * only with `emitMetricPerClaimUsage`: the first `most` of those that the status lists, in its order, so that they stay the same while amounts change.
 * Throws QuantityError.
 */
export function customQuotaMetrics(
  { kind, metadata, spec, status }: MeasuredQuota,
  most: number,
): readonly QuotaSample[] {
  const isGlobal = kind === 'GlobalCustomQuota'
  const { name = '', namespace = '' } = metadata
  const of = isGlobal ? { custom_quota: name } : { custom_quota: name, target_namespace: namespace }
  const row = (metric: Metric, value: string, labels: Readonly<Record<string, string>> = {}): QuotaSample => ({
    name: `capsule_${isGlobal ? 'global_custom' : 'custom'}_quota_${metric}`,
    labels: { ...of, ...labels },
    value,
  })
  const ready = conditionOf(status?.conditions, 'Ready')
  const claims = status?.claims ?? []
  const items = spec.options.emitMetricPerClaimUsage ? claims.slice(0, most) : []
  const left = spec.options.emitMetricPerClaimUsage ? claims.length - items.length + (status?.omittedClaims ?? 0) : 0
  return [
    ...(ready === undefined ? [] : [row('condition', ready.status === 'True' ? '1' : '0', { condition: 'Ready' })]),
    ...usageRows(row, Quantity.fromJson(spec.limit), status?.usage),
    ...items.map((claim) => row('resource_item_usage', decimalOf(Quantity.fromJson(claim.usage)), itemLabels(claim))),
    ...(left === 0 ? [] : [withoutSeries(name, namespace, left)]),
  ]
}

const withoutSeries = (name: string, namespace: string, count: number): QuotaSample => ({
  name: 'allot_custom_quota_items_without_series',
  labels: { custom_quota: name, target_namespace: namespace },
  value: String(count),
})

type Metric =
  | 'condition'
  | 'resource_available'
  | 'resource_item_usage'
  | 'resource_limit'
  | 'resource_usage'
  | 'resource_usage_percentage'

function usageRows(
  row: (metric: Metric, value: string) => QuotaSample,
  limit: Quantity,
  usage: QuotaUsage | undefined,
): readonly QuotaSample[] {
  if (usage?.used === undefined) return []
  const used = Quantity.fromJson(usage.used)
  return [
    row('resource_usage', decimalOf(used)),
    row('resource_usage_percentage', percentageOf(used, limit)),
    row('resource_limit', decimalOf(limit)),
    row('resource_available', decimalOf(Quantity.fromJson(usage.available ?? null))),
  ]
}

function itemLabels({ group, kind, name, namespace = '' }: QuotaClaim): Readonly<Record<string, string>> {
  return { name, kind, group, target_namespace: namespace }
}
