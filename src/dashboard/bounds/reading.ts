import type { AnswerCount, AnswerReader } from '../../kube/client/answer-reader.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Account } from './accounts.ts'
import { shownPart } from './shown-part.ts'
import { weightOf } from './weight.ts'

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

  readonly keep = <T extends KubeObject>(object: T): T => {
    const part = shownPart(object)
    this.#take(weightOf(part))
    return part
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

  #give(bytes: number): void {
    if (this.#isOver) return
    this.#account.giveBytes(bytes)
    this.#held -= bytes
  }
}
