import { TurnQueue } from './turn-queue.ts'

/** As long may requests together hold the thread in one turn of the loop, before those that come besides wait. */
const SHARE_MS = 5

/**
 * Divides the thread among the users of a server. Work on a request begins at once as long as the requests of this turn of the loop
 * have taken little time. What comes then waits, and so do the further steps of large requests, for one user after the other.
 */
export class WorkTurns {
  readonly #queue = new TurnQueue(SHARE_MS)
  #began: number | undefined

  /** Undefined when work on a request of this user may begin at once. Those of one user begin in their order. */
  begin(user: string): Promise<void> | undefined {
    return this.#queue.waitingOf(user) > 0 || this.#isLate() ? this.#queue.turn(user) : undefined
  }

  /** Resolves when a further step of a request may begin. What has begun is ended before more of the same user begins. */
  next(user: string): Promise<void> {
    return this.#queue.nextTurn(user)
  }

  #isLate(): boolean {
    if (this.#began !== undefined) return performance.now() - this.#began > SHARE_MS
    this.#began = performance.now()
    setImmediate(() => {
      this.#began = undefined
    })
    return false
  }
}
