import { expect, test } from 'vitest'
import { quotaSpec } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import { itemSeries } from './item-series.ts'
import type { MeasuredQuota } from './quota-metrics.ts'

const quota = (namespace: string, name: string, items: number, emitMetricPerClaimUsage = true): MeasuredQuota => ({
  kind: namespace === '' ? 'GlobalCustomQuota' : 'CustomQuota',
  metadata: { name, namespace },
  spec: quotaSpec({ limit: '1', sources: [], options: { emitMetricPerClaimUsage } }),
  status: {
    claims: Array.from({ length: items }, (_, at) => ({
      group: '',
      version: 'v1',
      kind: 'Pod',
      name: `${at}`,
      uid: 'u',
      usage: '1',
    })),
    conditions: [],
  },
})

test('the quotas of a namespace share their number of series, in whatever order they come', () => {
  const quotas = [
    quota('evil', 'c', 50),
    quota('evil', 'b', 2),
    quota('evil', 'a', 50),
    quota('evil', 'silent', 50, false),
    quota('honest', 'a', 9),
    quota('', 'global', 70),
  ]
  const expected = { 'evil/a': 4, 'evil/b': 2, 'evil/c': 4, 'evil/silent': 0, 'honest/a': 9, '/global': 70 }
  for (const all of [quotas, quotas.toReversed()]) {
    const series = itemSeries(all, 10)
    const entries = all.map((one) => [`${one.metadata.namespace}/${one.metadata.name}`, series(one)])
    expect(Object.fromEntries(entries)).toEqual(expected)
  }
})
