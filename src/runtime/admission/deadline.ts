import { parseGoDuration } from '../../machinery/go/duration.ts'

const DEFAULT_MS = 10_000
/** The longest timeout that Kubernetes allows. */
const LONGEST_MS = 30_000
const NANOS_PER_MS = 1_000_000

/** How long a webhook may take for a review, in milliseconds from its arrival. */
export interface ReviewDeadline {
  /** Then the decision is to be given up … */
  readonly abortMs: number
  /** … and then something is answered, whatever the handler does. */
  readonly answerMs: number
}

/**
 * Returns the deadline of a review by its query parameter `timeout`, a duration in Go's form (`10s`). Without it,
 * Kubernetes' default of ten seconds counts. The API server rounds the remaining time up to whole seconds. So a tenth,
 * at most one second, is left for that and for the way back.
 */
export function reviewDeadline(timeout: string | null): ReviewDeadline {
  const given = Math.min(durationMs(timeout ?? '') ?? DEFAULT_MS, LONGEST_MS)
  const margin = Math.min(given / 10, 1000)
  return { abortMs: Math.floor(given - margin), answerMs: Math.floor(given - margin / 2) }
}

/** Undefined unless the duration is positive. */
function durationMs(text: string): number | undefined {
  const nanos = parseGoDuration(text)
  return typeof nanos === 'bigint' && nanos > 0n ? Number(nanos) / NANOS_PER_MS : undefined
}
