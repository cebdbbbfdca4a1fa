const SHORTEST_MS = 1_000
const LONGEST_MS = 30_000
/** Of the time that the answer took, most of which the server waits for others: a page asks for a thirtieth of the time. */
const SHARE = 30

/** How long a page waits after an answer that took so long before it asks again, however much changes. */
export const reloadPauseMs = (tookMs: number): number => Math.min(LONGEST_MS, Math.max(SHORTEST_MS, tookMs * SHARE))
