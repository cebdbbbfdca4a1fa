import type { HistoryRow } from '../data/answer.ts'
import { drawnNumber } from './drawn-number.ts'

type Samples = HistoryRow['samples']

/** How high to draw the usage of each sample, from 0 to 1. A limit of 0 is full, whatever is used of it. */
export function drawnShares(samples: Samples): readonly number[] {
  const most = Math.max(0, ...samples.flatMap(({ used, hard }) => [drawnNumber(used) ?? 0, drawnNumber(hard) ?? 0]))
  return samples.map(({ used, hard }) => (isClosed(hard) ? 1 : Math.max(0, (drawnNumber(used) ?? 0) / (most || 1))))
}

/** Is the latest limit one that lets nothing in? */
export const isClosedAtLast = (samples: Samples): boolean => isClosed(samples.at(-1)?.hard ?? '')

const isClosed = (hard: string): boolean => (drawnNumber(hard) ?? 1) <= 0
