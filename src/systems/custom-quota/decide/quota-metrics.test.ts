import { expect, test } from 'vitest'
import { quotaSpec } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import { CUSTOM_QUOTA_METRICS, customQuotaMetrics, type MeasuredQuota } from './quota-metrics.ts'

const POD = { group: '', version: 'v1', kind: 'Pod', uid: 'u' }
const quota = (kind: string, emitMetricPerClaimUsage: boolean): MeasuredQuota => ({
  kind,
  metadata: { name: 'cranes', ...(kind === 'CustomQuota' ? { namespace: 'harbour' } : {}) },
  spec: quotaSpec({ limit: '3Ki', sources: [], options: { emitMetricPerClaimUsage } }),
  status: {
    usage: { used: '1Ki', available: '2Ki' },
    claims: [
      { ...POD, namespace: 'harbour', name: 'crane', usage: '1124' },
      { ...POD, name: 'outside', usage: '-100m' },
    ],
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  },
})
const shown = (measured: MeasuredQuota, most = 1000): readonly string[] =>
  customQuotaMetrics(measured, most).map(({ name, labels, value }) => {
    // The labels are those that the gauge has.
    expect(Object.keys(labels).toSorted()).toEqual(CUSTOM_QUOTA_METRICS[name].labels.toSorted())
    return `${name}${JSON.stringify(Object.values(labels))} ${value}`
  })

test('a quota has its condition, limit, usage and what is left, in plain numbers', () => {
  expect(shown(quota('CustomQuota', false))).toEqual([
    'capsule_custom_quota_condition["cranes","harbour","Ready"] 1',
    'capsule_custom_quota_resource_usage["cranes","harbour"] 1024',
    'capsule_custom_quota_resource_usage_percentage["cranes","harbour"] 33.333333333333333',
    'capsule_custom_quota_resource_limit["cranes","harbour"] 3072',
    'capsule_custom_quota_resource_available["cranes","harbour"] 2048',
  ])
})

test('objects have series of their own where the quota asks for that', () => {
  expect(shown(quota('GlobalCustomQuota', true)).slice(-2)).toEqual([
    'capsule_global_custom_quota_resource_item_usage["cranes","crane","Pod","","harbour"] 1124',
    'capsule_global_custom_quota_resource_item_usage["cranes","outside","Pod","",""] -0.1',
  ])
})

test('a quota that was not counted has no amounts, and one that is not ready says so', () => {
  const { status: _, ...uncounted } = quota('CustomQuota', true)
  expect(shown(uncounted)).toEqual([])
  const conditions = quota('CustomQuota', false).status?.conditions.map((one) => ({ ...one, status: 'False' as const }))
  expect(shown({ ...uncounted, status: { conditions: conditions ?? [] } })).toEqual([
    'capsule_custom_quota_condition["cranes","harbour","Ready"] 0',
  ])
})

test('of an object without series of its own the quota says that there is one', () => {
  const measured = quota('CustomQuota', true)
  const listed = { ...measured, status: { ...measured.status!, omittedClaims: 4 } }
  expect(shown(listed, 1).slice(-2)).toEqual([
    'capsule_custom_quota_resource_item_usage["cranes","harbour","crane","Pod",""] 1124',
    'allot_custom_quota_items_without_series["cranes","harbour"] 5',
  ])
  expect(shown({ ...listed, spec: quotaSpec({ limit: '3Ki', sources: [] }) }, 1)).toHaveLength(5)
})
