import type { KubeObject } from '../../machinery/object.ts'

/** Counts the bytes of one answer as they come. */
export interface AnswerCount {
  /** Throws where they are too many: the request ends, and rejects with this. */
  readonly received: (bytes: number) => void
  /** The answer has been read, or has failed. */
  readonly end: () => void
}

/** Bounds the memory of what is read with a client. */
export interface AnswerReader {
  readonly begin: () => AnswerCount
  /** What is kept of an object of a list: the rest is let go before the next page is read. May throw where it is too much. */
  readonly keep: <T extends KubeObject>(object: T) => T
}
