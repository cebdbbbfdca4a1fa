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
 * nothing behind on a signal that lives long, provided that it is disposed.
 */
export class Deadline implements Disposable {
  readonly #link: ReturnType<typeof linkedAbort>
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, parent?: AbortSignal) {
    this.#link = linkedAbort(parent)
    this.restart(ms)
  }

  get signal(): AbortSignal {
    return this.#link.controller.signal
  }

  /** Counts from now on, and so many milliseconds. */
  restart(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#link.controller.abort(new DeadlineExceeded(ms)), ms)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#link[Symbol.dispose]()
  }
}

/** Runs `work` with a signal that aborts with `signal`, or after so many milliseconds of the clock. */
export async function withinTime<R>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  using link = linkedAbort(signal)
  const { controller } = link
  using done = linkedAbort(controller.signal)
  void pause(clock, ms, done.controller.signal).then(() => {
    if (!done.controller.signal.aborted) controller.abort(new DeadlineExceeded(ms))
  })
  try {
    return await work(controller.signal)
  } finally {
    done.controller.abort()
  }
}
