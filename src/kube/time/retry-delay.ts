/** Too Many Requests and Service Unavailable: the server has not begun to work on the request. */
const NOT_BEGUN: ReadonlySet<number> = new Set([429, 503])
const LONGEST_EXTRA_MS = 1000

/**
 * How many milliseconds to wait before the request is sent again; undefined: the answer stands. Never less than the server
 * asks for; the more often it has asked, the further apart those that were sent away together come back.
 */
export function retryDelay(
  answer: { readonly status: number; readonly retryAfterSeconds: number | undefined },
  attempt: number,
  random: () => number,
): number | undefined {
  if (!NOT_BEGUN.has(answer.status) || answer.retryAfterSeconds === undefined) return undefined
  const asked = answer.retryAfterSeconds * 1000
  return asked + random() * Math.min(LONGEST_EXTRA_MS, 50 * 2 ** Math.min(attempt, 10))
}
