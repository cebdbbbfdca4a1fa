import { afterRunning, leftAfter, stepOf } from '../../runtime/time/running-time.ts'
import { type Clock, pause } from './clock.ts'
import { linkedAbort } from './linked-abort.ts'

/** Why a signal aborted: its time was over. */
export class DeadlineExceeded extends Error {
  readonly ms: number
  constructor(ms: number) {
    super(`no end within ${ms} ms`)
    this.name = 'DeadlineExceeded'
    this.ms = ms
  }
}

/**
 * A signal that aborts after some milliseconds, or with another signal. Unlike `AbortSignal.any` and `.timeout` it leaves
 * nothing behind on a signal that lives long, provided that it is disposed. Time in which the event loop stood still does not
 * count: the other side may have answered in it.
 */
export class AbortDeadline implements Disposable {
  readonly #link: ReturnType<typeof linkedAbort>
  #cancel: () => void = () => undefined

  constructor(ms: number, parent?: AbortSignal) {
    this.#link = linkedAbort(parent)
    this.restart(ms)
  }

  get signal(): AbortSignal {
    return this.#link.controller.signal
  }

  /** Counts from now on, and so many milliseconds. */
  restart(ms: number): void {
    this.#cancel()
    this.#cancel = afterRunning(ms, () => this.#link.controller.abort(new DeadlineExceeded(ms)))
  }

  [Symbol.dispose](): void {
    this.#cancel()
    this.#link[Symbol.dispose]()
  }
}

/**
 * Runs `work` with a signal that aborts with `signal`, or after so many milliseconds of the clock. Time in which the loop stood
 * still does not count.
 */
export async function withinTime<R>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  using link = linkedAbort(signal)
  const { controller } = link
  using done = linkedAbort(controller.signal)
  void pauseRunning(clock, ms, done.controller.signal).then(() => {
    if (!done.controller.signal.aborted) controller.abort(new DeadlineExceeded(ms))
  })
  try {
    return await work(controller.signal)
  } finally {
    done.controller.abort()
  }
}

/** As `pause`, for so many milliseconds in which the loop runs. */
async function pauseRunning(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !signal.aborted;) {
    const step = Math.min(left, stepOf(ms))
    const began = clock.monotonic()
    await pause(clock, step, signal)
    left = leftAfter(ms, left, step, clock.monotonic() - began)
  }
}
