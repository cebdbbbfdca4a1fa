/**
 * The margin beyond the request timeout of the API server. It covers the delay of the request before the webhook, and
 * the delay of the stored object in the watch.
 */
const MARGIN_MS = 5_000

/**
 * Returns the milliseconds after which an allowed request is over: the API server can no longer store it, and its watch
 * has shown the object.
 */
export const patienceOf = (requestTimeoutMs: number): number => requestTimeoutMs + MARGIN_MS
