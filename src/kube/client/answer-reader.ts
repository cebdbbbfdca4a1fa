import type { KubeObject } from '../../machinery/object.ts'
import type { ApiError, Status } from '../../machinery/status.ts'

/** An answer is not read any further, as its reader holds too much. This is no refusal of the API server. */
export class AnswerTooLarge extends Error {
  readonly status: Status
  constructor({ message, status }: ApiError) {
    super(message)
    this.name = 'AnswerTooLarge'
    this.status = status
  }
}

/** Counts the bytes of one answer as they come. */
export interface AnswerCount {
  /** Throws AnswerTooLarge where they are too many: the request ends, and rejects with this. */
  readonly received: (bytes: number) => void
  /** The answer has been read, or has failed. */
  readonly end: () => void
}

/** Bounds the memory of what is read with a client. */
export interface AnswerReader {
  readonly begin: () => AnswerCount
  /** What is kept of an object of a list: the rest is let go before the next page is read. Throws AnswerTooLarge where it is too much. */
  readonly keep: <T extends KubeObject>(object: T) => T
}
