/** What costs less is done at once. */
const CHEAP_MS = 1

/**
 * Does the work for a key later by as many milliseconds as it costs, so that calls in between are one. What costs next to
 * nothing is done at once.
 */
export function coalesced(work: (key: string) => void, costMs: (key: string) => number): (key: string) => void {
  const waiting = new Set<string>()
  return (key) => {
    const ms = costMs(key)
    if (ms < CHEAP_MS) return work(key)
    if (waiting.has(key)) return
    waiting.add(key)
    setTimeout(() => {
      waiting.delete(key)
      work(key)
    }, ms).unref()
  }
}
