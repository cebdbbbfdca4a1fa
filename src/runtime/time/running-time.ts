/** In how many steps a time is waited for, at least: so much of it can a stall use up. */
const STEPS = 8
const LONGEST_STEP_MS = 500
/** A longer time is waited for in so many steps: dozens of watches would wake an idle process many times a second. */
const MOST_STEPS = 60
/** A step that ends so much later than it should was not on time. */
const SLACK_MS = 50

/** The timer that measures a wait; tests replace it. */
export interface StepTimer {
  readonly monotonic: () => number
  /** Calls back after so many milliseconds, or later; gives a function that ends the wait. */
  readonly after: (ms: number, over: () => void) => () => void
}

export const REAL_STEPS: StepTimer = {
  monotonic: () => performance.now(),
  after: (ms, over) => {
    const timer = setTimeout(over, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * Calls back when the event loop has run for so many milliseconds: time in which it stood still does not count. An answer that
 * came meanwhile is read before, since the callback never follows upon a stall directly. Gives a function that ends the wait.
 */
export function afterRunning(ms: number, over: () => void, timer: StepTimer = REAL_STEPS): () => void {
  let left = ms
  let cancel: () => void
  const wait = (): void => {
    const step = Math.min(Math.max(left, 1), stepOf(ms))
    const began = timer.monotonic()
    cancel = timer.after(step, () => {
      left = leftAfter(ms, left, step, timer.monotonic() - began)
      if (left <= 0) over()
      else wait()
    })
  }
  wait()
  return () => cancel()
}

/** In which steps so many milliseconds are waited for. */
export const stepOf = (ms: number): number =>
  Math.min(Math.max(ms / STEPS, 1), Math.max(LONGEST_STEP_MS, ms / MOST_STEPS))

/**
 * The rest of a wait of `ms` after a step that took so long. When the last step was late, what the stall kept waiting has its
 * turn first: one more step is left.
 */
export function leftAfter(ms: number, left: number, step: number, tookMs: number): number {
  const rest = left - step
  return rest <= 0 && tookMs - step > SLACK_MS ? stepOf(ms) : rest
}
