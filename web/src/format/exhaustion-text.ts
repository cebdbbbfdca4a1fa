import type { Fill } from '../../../src/insight/top/limit-row.ts'
import { durationText } from './durations.ts'

interface Estimated {
  readonly fill: Fill
  readonly exhaustedInSeconds?: number
}

/** When a limit will be full, such as `full in 3 hours`, or `full now`; nothing of an estimate that its row contradicts. */
export function exhaustionText({ fill, exhaustedInSeconds = 0 }: Estimated): string {
  if (fill === 'full' || fill === 'over') return 'full now'
  return fill === 'room' && exhaustedInSeconds > 0 ? `full in ${durationText(exhaustedInSeconds)}` : ''
}
