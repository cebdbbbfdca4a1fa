import { TurnQueue } from './turn-queue.ts'

/** As long may requests together hold the thread in one turn of the loop, before those that come besides wait. */
const SHARE_MS = 5
/** The same while only one user writes: turns that end early make many small commits, and nobody is there to gain by that. */
const ALONE_MS = 30
/** For so long after a change of the user several are taken to write. */
const LATELY_MS = 1000

/**
 * Divides the thread among the users of a server. Work on a request begins at once as long as the requests of this turn of the loop
 * have taken little time. What comes then waits, and so do the further steps of large requests, for one user after the other.
 */
export class WorkTurns {
  readonly #queue = new TurnQueue(() => this.#shareMs)
  #began: number | undefined
  #user: string | undefined
  #severalUntil = -Infinity
  #shareMs = ALONE_MS
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Undefined when work on a request of this user may begin at once. Those of one user begin in their order. */
  begin(user: string): Promise<void> | undefined {
    const now = this.#now()
    if (user !== this.#user && this.#user !== undefined) this.#severalUntil = now + LATELY_MS
    this.#user = user
    this.#shareMs = now < this.#severalUntil ? SHARE_MS : ALONE_MS
    return this.#queue.waitingOf(user) > 0 || this.#isLate(now) ? this.#queue.turn(user) : undefined
  }

  /** Resolves when a further step of a request may begin. What has begun is ended before more of the same user begins. */
  next(user: string): Promise<void> {
    return this.#queue.nextTurn(user)
  }

  #isLate(now: number): boolean {
    if (this.#began !== undefined) return now - this.#began > this.#shareMs
    this.#began = now
    setImmediate(() => {
      this.#began = undefined
    })
    return false
  }
}
