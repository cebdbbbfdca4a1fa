import type { RefusalRow } from '../data/answer.ts'
import { agoText } from './durations.ts'

type Times = Pick<RefusalRow, 'count' | 'firstSeen' | 'lastSeen'>

/** When something was refused last, and how often since when. */
export function refusalTimes({ count, firstSeen, lastSeen }: Times, now: number): string {
  const ago = agoText(lastSeen, now)
  if (count < 2) return ago
  const first = Date.parse(firstSeen)
  return `${ago}; ${count} times${Number.isNaN(first) ? '' : ` since ${sinceText(first, now)}`}`
}

const DAY_MS = 86_400_000

/** The time; with its date, where that is not within the last day. */
function sinceText(at: number, now: number): string {
  const date = new Date(at)
  const time = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return now - at < DAY_MS ? time : `${date.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${time}`
}
