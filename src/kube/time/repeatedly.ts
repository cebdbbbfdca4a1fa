import { type Clock, pause } from './clock.ts'

/**
 * Looks about every so many milliseconds until the signal aborts, first after one of them. Each wait takes three to five quarters of the time, so
 * that replicas that start together do not look together. Rejects as `look` does, and looks no more then.
 */
export async function repeatedly(
  clock: Pick<Clock, 'random' | 'sleep'>,
  everyMs: number,
  signal: AbortSignal,
  look: () => Promise<void>,
): Promise<void> {
  for (;;) {
    await pause(clock, everyMs * (0.75 + clock.random() / 2), signal)
    if (signal.aborted) return
    await look()
  }
}
