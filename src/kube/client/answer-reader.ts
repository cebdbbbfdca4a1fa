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

/** Is what is asked about too large for its reader, whatever else the reader holds? */
export const isTooLarge = (error: unknown): boolean => error instanceof AnswerTooLarge && error.status.code === 413

/** Counts the bytes of one answer as they come. */
export interface AnswerCount {
  /** Throws AnswerTooLarge where they are too many: the request ends, and rejects with this. */
  readonly received: (bytes: number) => void
  /** The answer has been read, or has failed. */
  readonly end: () => void
}

/** Keeps the objects of one list. */
export interface KeptList {
  /**
   * Returns the kept part of an object. The rest is let go before the next page is read. Undefined where the list has become too large: it
   * ends there. Throws AnswerTooLarge where its reader holds too much besides.
   */
  readonly keep: <T extends KubeObject>(object: T) => T | undefined
}

/** Bounds the memory of what is read with a client. */
export interface AnswerReader {
  readonly begin: () => AnswerCount
  readonly beginList: () => KeptList
}
