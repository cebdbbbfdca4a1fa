/** Chance, and a sleep that rejects where the signal aborts it. */
export interface Chance {
  readonly random: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Looks about every so many milliseconds until the signal aborts, first after one of them. Each wait takes three to five quarters of the time, so
 * that replicas that start together do not look together. Rejects as `look` does, and looks no more then.
 */
export async function repeatedly(
  { random, sleep }: Chance,
  everyMs: number,
  signal: AbortSignal,
  look: () => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      await sleep(everyMs * (0.75 + random() / 2), signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
    if (signal.aborted) return
    await look()
  }
}
