import { tooManyRequests } from '../../../machinery/status.ts'
import { TurnQueue } from '../turn-queue.ts'
import { SendBuffers } from './send-buffers.ts'

/** So many bytes may all answers hold that nobody has read yet, and those of one user. */
const MOST_UNREAD_BYTES = 512 * 1024 * 1024
const MOST_UNREAD_BYTES_OF_ONE = 256 * 1024 * 1024
/** So many large answers of one user may wait to be made. */
const MOST_WAITING = 200

/** Bounds what the streams and answers of a server hold until clients have read them. */
export class AnswerBounds {
  readonly buffers = new SendBuffers(MOST_UNREAD_BYTES, MOST_UNREAD_BYTES_OF_ONE)
  /** Answers that are dear to make: of one of them, a piece is made at a time. */
  readonly #dear = new TurnQueue()

  /** Resolves when an answer that is dear to make may begin. Throws 429 when too many of the user wait. */
  async turn(user: string): Promise<void> {
    if (this.#dear.waitingOf(user) >= MOST_WAITING)
      throw tooManyRequests('too many lists of this client wait to be made, please try again', 1)
    await this.#dear.turn(user)
  }

  /** Resolves when a further piece of such an answer may be made. */
  anyTurn(user: string): Promise<void> {
    return this.#dear.turn(user)
  }

  /** Throws 429 when too much of the user's answers is not read. */
  assertUnread(user: string): void {
    if (!this.buffers.mayGrow(user))
      throw tooManyRequests('too many answers wait to be read, please read them and try again', 1)
  }
}
