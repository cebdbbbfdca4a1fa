/** How a failed key waits before its next try: doubling from `first` to `last`. */
const BACKOFF_MS = { first: 5, last: 30_000 } as const

/**
 * A controller's queue of keys, with the semantics of client-go's workqueue. A key is queued at most once, and two
 * workers never process it at a time. If it is added meanwhile, it is processed again. After each failure it waits
 * longer.
 */
export class WorkQueue {
  readonly #work: (key: string, signal: AbortSignal) => Promise<void>
  readonly #onError: (key: string, error: unknown) => void
  readonly #workers: number
  readonly #queue: string[] = []
  /** The next keys, the first at the end: taking from the front of a long array costs its length. */
  #next: string[] = []
  readonly #dirty = new Set<string>()
  readonly #processing = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #timers = new Set<NodeJS.Timeout>()
  /** The next try of a key, where nothing processes it before. */
  readonly #retries = new Map<string, { readonly timer: NodeJS.Timeout; readonly at: number }>()
  readonly #abort = new AbortController()
  #idle: (() => void)[] = []

  constructor(options: {
    readonly work: (key: string, signal: AbortSignal) => Promise<void>
    readonly onError: (key: string, error: unknown) => void
    readonly workers?: number
  }) {
    this.#work = options.work
    this.#onError = options.onError
    this.#workers = options.workers ?? 1
  }

  add(key: string): void {
    if (this.#abort.signal.aborted || this.#dirty.has(key)) return
    this.#dirty.add(key)
    if (this.#processing.has(key)) return
    this.#queue.push(key)
    queueMicrotask(() => this.#pump())
  }

  addAfter(key: string, delayMs: number): void {
    if (this.#abort.signal.aborted) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.add(key)
    }, delayMs)
    timer.unref()
    this.#timers.add(timer)
  }

  /** Processes a key again after a while, unless it is processed before. Only the earliest of several such tries is made. */
  retryAfter(key: string, delayMs: number): void {
    const at = performance.now() + delayMs
    const pending = this.#retries.get(key)
    if (this.#abort.signal.aborted || (pending !== undefined && pending.at <= at)) return
    this.#dropRetry(key)
    const timer = setTimeout(() => {
      this.#retries.delete(key)
      this.add(key)
    }, delayMs)
    timer.unref()
    this.#retries.set(key, { timer, at })
  }

  /** Resolves when nothing is queued or processed (keys that wait after a failure do not count). */
  whenIdle(): Promise<void> {
    if (this.#isEmpty && this.#processing.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  /** Takes no more keys and drops those that wait; resolves when what is being processed has ended. */
  stop(): Promise<void> {
    this.#abort.abort()
    this.#queue.length = 0
    this.#next.length = 0
    this.#dirty.clear()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    for (const key of this.#retries.keys()) this.#dropRetry(key)
    return this.whenIdle()
  }

  get #isEmpty(): boolean {
    return this.#queue.length === 0 && this.#next.length === 0
  }

  #pump(): void {
    while (this.#processing.size < this.#workers) {
      if (this.#next.length === 0) this.#next = this.#queue.splice(0).toReversed()
      const key = this.#next.pop()
      if (key === undefined) break
      this.#dirty.delete(key)
      this.#processing.add(key)
      void this.#process(key)
    }
  }

  #dropRetry(key: string): void {
    clearTimeout(this.#retries.get(key)?.timer)
    this.#retries.delete(key)
  }

  async #process(key: string): Promise<void> {
    this.#dropRetry(key)
    try {
      await this.#work(key, this.#abort.signal)
      this.#failures.delete(key)
    } catch (error) {
      const failures = this.#failures.get(key) ?? 0
      this.#failures.set(key, failures + 1)
      if (!this.#abort.signal.aborted) {
        this.#onError(key, error)
        this.retryAfter(key, Math.min(BACKOFF_MS.first * 2 ** failures, BACKOFF_MS.last))
      }
    }
    this.#processing.delete(key)
    if (this.#dirty.has(key)) this.#queue.push(key)
    this.#pump()
    if (this.#isEmpty && this.#processing.size === 0) {
      const idle = this.#idle
      this.#idle = []
      for (const resolve of idle) resolve()
    }
  }
}
