/** What `setTimeout` can wait for; it takes more for nothing. */
const LONGEST_MS = 2 ** 31 - 1

/** One alarm for each key: the earliest of the times that it was set to. */
export class ExpiryTimers {
  readonly #now: () => number
  readonly #onDue: (key: string) => void
  readonly #alarms = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>()

  /** `now`: milliseconds since the epoch. `onDue` is called once the time of a key has passed. */
  constructor(now: () => number, onDue: (key: string) => void) {
    this.#now = now
    this.#onDue = onDue
  }

  /** `at`: milliseconds since the epoch, the last moment before the key is due. */
  set(key: string, at: number): void {
    const known = this.#alarms.get(key)
    if (known !== undefined && known.at <= at) return
    clearTimeout(known?.timer)
    const wait = Math.min(Math.max(0, at - this.#now()) + 1, LONGEST_MS)
    const timer = setTimeout(() => {
      this.#alarms.delete(key)
      this.#onDue(key)
    }, wait)
    this.#alarms.set(key, { at, timer: timer.unref() })
  }

  stop(): void {
    for (const { timer } of this.#alarms.values()) clearTimeout(timer)
    this.#alarms.clear()
  }
}
