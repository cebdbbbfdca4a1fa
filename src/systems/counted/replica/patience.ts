/**
 * The addition to the API server's time: for a request that it accepted just before the webhook answered, and for the way of the
 * stored object to the watch.
 */
const MARGIN_MS = 5_000

/**
 * Returns the milliseconds after which an allowed request is over: the API server can no longer store it, and its watch
 * has shown the object.
 */
export const patienceOf = (requestTimeoutMs: number): number => requestTimeoutMs + MARGIN_MS
