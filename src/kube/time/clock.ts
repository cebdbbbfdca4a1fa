import type { SystemContext } from './system-context.ts'

/** Time and chance. Stored objects are dated with `now`, and durations are measured with `monotonic`. */
export type Clock = Pick<SystemContext, 'now' | 'monotonic' | 'random' | 'sleep'>

/** The signal of waits and requests that nothing cuts short. */
export const NEVER_ABORTED: AbortSignal = new AbortController().signal

/** Resolves after so many milliseconds, or as soon as the signal aborts: for loops that look at the signal themselves. */
export async function pause(clock: Pick<Clock, 'sleep'>, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
