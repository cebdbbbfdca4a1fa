import { setTimeout as sleep } from 'node:timers/promises'

export interface Patience {
  /** For how many milliseconds to look; default 20,000. */
  readonly patienceMs?: number
  /** Between two looks; default 20. */
  readonly everyMs?: number
  /** What is looked at, for the message. */
  readonly what?: string
}

/** Looks until what is seen is good, and gives it. Throws with what was seen last. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  isGood: (seen: T) => boolean,
  { patienceMs = 20_000, everyMs = 20, what = 'it' }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const seen = await look()
    if (isGood(seen)) return seen
    if (performance.now() > deadline)
      throw new Error(
        `${what} was not as expected within ${patienceMs / 1000} seconds; at last ${JSON.stringify(seen)}`,
      )
    await sleep(everyMs)
  }
}
