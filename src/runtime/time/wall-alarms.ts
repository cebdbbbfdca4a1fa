import type { ClockSteps } from './clock-steps.ts'

/** The longest wait of `setTimeout`; it takes a longer one as 0. */
const LONGEST_MS = 2 ** 31 - 1

interface Alarm {
  readonly at: number
  readonly timer: NodeJS.Timeout
}

export interface WallAlarmsOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The steps of the same clock. */
  readonly steps: ClockSteps
  /** Called once the time of a key has passed. */
  readonly onDue: (key: string) => void
}

/**
 * One alarm for each key, at a time of the wall clock: the earliest that it was set to. A timer waits by the clock that nobody
 * can set, so all of them are set anew when the wall clock was set: an alarm is at most about a second late then.
 */
export class WallAlarms {
  readonly #options: WallAlarmsOptions
  readonly #alarms = new Map<string, Alarm>()
  readonly #unsubscribe: () => void

  constructor(options: WallAlarmsOptions) {
    this.#options = options
    this.#unsubscribe = options.steps.subscribe(() => {
      for (const [key, { at, timer }] of this.#alarms) {
        clearTimeout(timer)
        this.#wait(key, at)
      }
    })
  }

  /** `at`: milliseconds since the epoch, the last moment before the key is due. */
  set(key: string, at: number): void {
    const known = this.#alarms.get(key)
    if (known !== undefined && known.at <= at) return
    clearTimeout(known?.timer)
    this.#wait(key, at)
  }

  /** Forgets the alarm of a key, if it has one. */
  delete(key: string): void {
    clearTimeout(this.#alarms.get(key)?.timer)
    this.#alarms.delete(key)
  }

  /** Forgets all alarms; none is to be set afterwards. */
  stop(): void {
    this.#unsubscribe()
    for (const { timer } of this.#alarms.values()) clearTimeout(timer)
    this.#alarms.clear()
  }

  #wait(key: string, at: number): void {
    const { now, onDue } = this.#options
    const timer = setTimeout(
      () => {
        // The clock was set back meanwhile, or the time is further away than a timer can wait.
        if (now() <= at) return this.#wait(key, at)
        this.#alarms.delete(key)
        onDue(key)
      },
      Math.min(Math.max(0, at - now()) + 1, LONGEST_MS),
    )
    this.#alarms.set(key, { at, timer: timer.unref() })
  }
}
