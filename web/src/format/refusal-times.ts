import type { RefusalRow } from '../data/answer.ts'
import { agoText } from './durations.ts'
import { momentText } from './times.ts'

type Times = Pick<RefusalRow, 'count' | 'firstSeen' | 'lastSeen'>

/** When something was refused last, and how often since when. */
export function refusalTimes({ count, firstSeen, lastSeen }: Times, now: number): string {
  const ago = agoText(lastSeen, now)
  if (count < 2) return ago
  const first = Date.parse(firstSeen)
  return `${ago}; ${count} times${Number.isNaN(first) ? '' : ` since ${momentText(new Date(first), now)}`}`
}
