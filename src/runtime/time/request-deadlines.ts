import type { ApiError } from '../../machinery/status.ts'
import { REAL_STEPS, type StepTimer } from './running-time.ts'

/** How often it is looked whose time is over: one timer for all, since nearly every request ends long before. */
const LOOK_MS = 100
/** A look that comes so much later than it should was held up by a stall. */
const SLACK_MS = 50

/** The time that one request has. It ends early when the client leaves. */
export interface RequestDeadline {
  /** Milliseconds of running time that are left; below zero when there are none. */
  readonly leftMs: number
  /** Throws the refusal when the time is over. */
  demand(): void
  /**
   * Demands time, and from now on the answer says what becomes of what is stored: it waits for it, however long that takes.
   * Throws the refusal when the time is over, so that nothing is stored of a request that was refused for its time.
   */
  beginCommit(): void
  /** Calls back once when the time is over, at once if it is. Gives a function that forgets the callback. */
  whenOver(callback: () => void): () => void
}

interface Allowance {
  readonly ms: number
  readonly refusal: () => ApiError
  /** Called when the time is over, unless something is stored by then or the request has ended. */
  readonly over: (refusal: ApiError) => void
}

/**
 * The deadlines of a server's requests. Deadlines count only the time in which the event loop runs. After a stall, data
 * that has arrived is read before any deadline passes.
 */
export class RequestDeadlines {
  readonly #timer: StepTimer
  readonly #open = new Set<OpenRequestDeadline>()
  /** How long the loop had run at the last look. */
  #ran = 0
  #lookedAt = 0
  #isLooking = false
  #wasLate = false

  constructor(timer: StepTimer = REAL_STEPS) {
    this.#timer = timer
  }

  /** The deadline of a request that begins now. Call `end` when it has ended. */
  begin(allowance: Allowance): OpenRequestDeadline {
    if (!this.#isLooking) {
      this.#isLooking = true
      this.#lookedAt = this.#timer.monotonic()
      this.#lookLater()
    }
    const deadline = new OpenRequestDeadline(this.now() + allowance.ms, allowance, this)
    this.#open.add(deadline)
    return deadline
  }

  end(deadline: OpenRequestDeadline): void {
    this.#open.delete(deadline)
  }

  /** Milliseconds in which the loop ran, from some moment on. */
  now(): number {
    return this.#ran + Math.min(this.#timer.monotonic() - this.#lookedAt, LOOK_MS)
  }

  #lookLater(): void {
    this.#timer.after(LOOK_MS, () => this.#look())
  }

  #look(): void {
    const now = this.#timer.monotonic()
    const isLate = now - this.#lookedAt > LOOK_MS + SLACK_MS
    this.#ran = this.now()
    this.#lookedAt = now
    // A loop that is always late must not keep deadlines from passing.
    if (!isLate || this.#wasLate) for (const deadline of this.#open) deadline.look(this.#ran)
    this.#wasLate = isLate && !this.#wasLate
    this.#isLooking = this.#open.size > 0
    if (this.#isLooking) this.#lookLater()
  }
}

/** See `RequestDeadline`. Only `RequestDeadlines` makes them. */
export class OpenRequestDeadline implements RequestDeadline {
  readonly #due: number
  readonly #allowance: Allowance
  readonly #deadlines: RequestDeadlines
  /** Made when first needed: most requests wait for nothing. */
  #callbacks: Set<() => void> | undefined
  #isOver = false
  #isCommitting = false
  #cancellation: ApiError | undefined

  constructor(due: number, allowance: Allowance, deadlines: RequestDeadlines) {
    this.#due = due
    this.#allowance = allowance
    this.#deadlines = deadlines
  }

  get leftMs(): number {
    return this.#isOver ? 0 : this.#due - this.#deadlines.now()
  }

  demand(): void {
    if (this.leftMs <= 0) throw this.#cancellation ?? this.#allowance.refusal()
  }

  beginCommit(): void {
    this.demand()
    this.#isCommitting = true
  }

  whenOver(callback: () => void): () => void {
    if (this.#isOver) callback()
    else (this.#callbacks ??= new Set()).add(callback)
    return () => void this.#callbacks?.delete(callback)
  }

  /** The request has ended. */
  end(): void {
    this.#deadlines.end(this)
  }

  /** Ends the time at once, because the client has left: nobody reads a refusal, and `demand` throws `reason` from now on. */
  cancel(reason: ApiError): void {
    if (this.#isOver) return
    this.#cancellation = reason
    this.#finish()
  }

  look(now: number): void {
    if (now < this.#due) return
    this.#finish()
    if (!this.#isCommitting) this.#allowance.over(this.#allowance.refusal())
  }

  #finish(): void {
    this.#isOver = true
    this.end()
    for (const callback of this.#callbacks ?? []) callback()
    this.#callbacks = undefined
  }
}
