const SHORTEST_MS = 1_000
const LONGEST_MS = 30_000
/** Of the time that the answer took: ten pages that ask for the same cost the server a tenth of its time at most. */
const SHARE = 100

/** How long a page waits after an answer that took so long before it asks again, however much changes. */
export const reloadPauseMs = (tookMs: number): number => Math.min(LONGEST_MS, Math.max(SHORTEST_MS, tookMs * SHARE))
