import { flatText } from '../../machinery/flat-text.ts'
import { timeText } from '../../machinery/text/time.ts'

const ofSecond = (second: number): string => flatText(timeText(second * 1000))

/**
 * The text of the newest second that was asked for: a busy server asks for the same one a thousand times. It is the
 * process's and no object's, as some thirty callers in two rooms hold a number and nothing that could own it, and what they
 * get does not depend on it.
 */
let last = { second: 0, text: ofSecond(0) }

/** RFC 3339 in whole seconds, as `metav1.Time` is written. `ms`: milliseconds since the epoch. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== last.second) last = { second, text: ofSecond(second) }
  return last.text
}
