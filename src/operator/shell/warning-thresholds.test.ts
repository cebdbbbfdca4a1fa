import { Registry } from '@prometheus-io/client'
import { expect, test } from 'vitest'
import { showThresholds } from './warning-thresholds.ts'

test.each([
  [
    [80, 95],
    ['info 80', 'warning 95'],
  ],
  [
    [95, 50, 70],
    ['info 50', 'warning 95'],
  ],
  [[90], ['warning 90']],
  [[], []],
])('alerts go by the lowest and the highest of %j [33/rules]', async (warnAt, expected) => {
  const registry = new Registry()
  showThresholds(registry, warnAt)
  const [metric] = await registry.getMetricsAsJSON()
  const values = (metric?.values ?? []).map(({ labels, value }) => `${String(labels['severity'])} ${value}`)
  expect([metric?.name, values]).toEqual(['allot_usage_warning_percentage', expected])
})
