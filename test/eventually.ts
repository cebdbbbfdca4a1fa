import { setTimeout as sleep } from 'node:timers/promises'

export interface Patience {
  /** For how many milliseconds to look; default 60,000: controllers of a real control plane try again up to half a minute later. */
  readonly patienceMs?: number
  /** Between the first two looks; default 20. Later ones are further apart, by a part of the time that has passed. */
  readonly everyMs?: number
  /** The name of the condition, for the message. */
  readonly what?: string
}

/** Looks less often at slow conditions, so that looking does not take the CPU time that they need. */
const PART_OF_WAIT = 0.25
const MOST_BETWEEN_MS = 500

/** Looks until what is seen is good, and gives it. Throws with what was seen last. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  isGood: (seen: T) => boolean,
  { patienceMs = 60_000, everyMs = 20, what = 'it' }: Patience = {},
): Promise<T> {
  const began = performance.now()
  const deadline = began + patienceMs
  for (;;) {
    const seen = await look()
    if (isGood(seen)) return seen
    if (performance.now() > deadline)
      throw new Error(
        `${what} was not as expected within ${patienceMs / 1000} seconds; at last ${JSON.stringify(seen)}`,
      )
    await sleep(Math.max(everyMs, Math.min((performance.now() - began) * PART_OF_WAIT, MOST_BETWEEN_MS)))
  }
}
