import type { Registry } from '@prometheus-io/client'
import type { Gauges, GaugeSample } from '../../machinery/gauge.ts'
import { showGauges } from './read-gauges.ts'

const NAME = 'allot_usage_warning_percentage'

export const THRESHOLD_METRICS: Gauges = {
  [NAME]: {
    help: 'The percentages of --warn-at by which alerts go: the lowest is info, the highest is warning',
    labels: ['severity'],
  },
}

/** Shows at which percentages usage is warned of, in any order, so that alerts go by the same ones. */
export function showThresholds(registry: Registry, warnAt: readonly number[]): void {
  showGauges(registry, THRESHOLD_METRICS, () => thresholdSamples(warnAt))
}

/** A single percentage is what somebody has to look at today. */
function thresholdSamples(warnAt: readonly number[]): readonly GaugeSample[] {
  const [highest, ...lower] = warnAt.toSorted((a, b) => b - a)
  const sample = (severity: string, value: number | undefined): readonly GaugeSample[] =>
    value === undefined ? [] : [{ name: NAME, labels: { severity }, value: String(value) }]
  return [...sample('info', lower.at(-1)), ...sample('warning', highest)]
}
