import { type AnswerCount, type AnswerReader, isTooLarge, type KeptList } from '../../kube/client/answer-reader.ts'
import type { Account } from './accounts.ts'
import { shownPart } from './shown-part.ts'
import { weightOf } from './weight.ts'

/** At most so much is kept of one list, so that the other lists of the request fit, too. */
const MOST_OF_LIST = 8 * 1024 * 1024

/** What one request reads of the API server: every byte counts as long as it is held, for its account and for all. */
export class Reading implements AnswerReader, Disposable {
  readonly #account: Account
  #held = 0
  #isOver = false

  constructor(account: Account) {
    this.#account = account
  }

  readonly begin = (): AnswerCount => {
    let bytes = 0
    return {
      received: (more) => {
        this.#take(more)
        bytes += more
      },
      end: () => this.#give(bytes),
    }
  }

  readonly beginList = (): KeptList => {
    let bytes = 0
    return {
      keep: (object) => {
        const part = shownPart(object)
        const weight = weightOf(part)
        bytes += weight
        return bytes <= MOST_OF_LIST && this.#mayTake(weight) ? part : undefined
      },
    }
  };

  [Symbol.dispose](): void {
    this.#account.giveBytes(this.#held)
    this.#held = 0
    this.#isOver = true
  }

  /** Nobody waits any more for an answer that comes when the request is over. */
  #take(bytes: number): void {
    if (this.#isOver) throw new Error('the request is over')
    this.#account.takeBytes(bytes, this.#held)
    this.#held += bytes
  }

  /** False where the request takes too many. */
  #mayTake(bytes: number): boolean {
    try {
      this.#take(bytes)
      return true
    } catch (error) {
      if (isTooLarge(error)) return false
      throw error
    }
  }

  #give(bytes: number): void {
    if (this.#isOver) return
    this.#account.giveBytes(bytes)
    this.#held -= bytes
  }
}
